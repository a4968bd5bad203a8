/**
 * Ten tasks, each as the calls of an agent that knows `fdtool prompt --for shell` and what fdtool prints. `NEXT` pastes
 * the next command of the answer before.
 */

import { join } from "node:path";
import * as contents from "./contents.ts";

/** The next command of the answer before, as it is. */
export const NEXT = "next";

/** A call, and what its answer must hold for the agent to go on as written. */
export interface Call {
  line: string;
  holds: readonly (string | RegExp)[];
}

export interface Task {
  name: string;
  /** The request to the agent. */
  question: string;
  setUp(directory: string): void;
  calls: readonly Call[];
  /** Files afterwards, by their path, and a text that each contains. */
  leaves?: Readonly<Record<string, string>>;
}

function write(name: string, content: string | Uint8Array) {
  return (directory: string) =>
    Deno.writeFileSync(
      join(directory, name),
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
}

const ACKNOWLEDGEMENT = "I confirm this is the complete file content with no omissions or placeholders";

/** All that an agent knows beforehand. */
export const INSTRUCTIONS: Task = {
  name: "instructions, once",
  question: "How is fdtool used?",
  setUp: () => {},
  calls: [{ line: "fdtool prompt --for shell", holds: ["fdtool run", "fdtool search", "fdtool edit"] }],
};

export const TASKS: readonly Task[] = [
  {
    name: "failing tests",
    question: "Which tests fail, and why?",
    setUp: contents.writeTests,
    calls: [{
      line: "fdtool run -- deno test --no-check suite",
      holds: [
        "module 7 keeps promise 13",
        "expected total 1240, got 1204",
        "module 3 keeps promise 4",
        "reading 'currency'",
        'exit_code="1"',
      ],
    }],
  },
  {
    name: "3 MB of JSON",
    question: "Which order failed, why, and for whom?",
    setUp: write("orders.json", contents.ordersJson()),
    calls: [
      { line: "fdtool capture orders.json", holds: ["failed", "CARD_EXPIRED"] },
      { line: NEXT, holds: ["113377", "CARD_EXPIRED", "Customer "] },
    ],
  },
  {
    name: "error in the middle",
    question: "What made the request fail?",
    setUp: write("service.log", contents.serviceLog()),
    calls: [{
      line: "fdtool capture service.log",
      holds: ["id=deadbeef path=/checkout", "no answer from warehouse-2:9042 within 3000 ms"],
    }],
  },
  {
    name: "binary",
    question: "What is this file, and of which version?",
    setUp: write("agent.bin", contents.program()),
    calls: [
      { line: "fdtool capture agent.bin", holds: ["ELF"] },
      { line: "fdtool search fd:1 -o 'version [0-9.]+'", holds: ["version 4.7.1"] },
    ],
  },
  {
    name: "background build",
    question: "Start it, do something else, and say how it ended.",
    setUp: write("build.sh", contents.BUILD),
    calls: [
      { line: "fdtool run --background -- sh build.sh", holds: ['fd="fd:1"', "fdtool wait fd:1"] },
      {
        line: "fdtool wait fd:1",
        holds: ['exit_code="1"', "unit_1432.cc:77:19: error: no matching function"],
      },
    ],
  },
  {
    name: "two runs compared",
    question: "What was different the second time?",
    setUp: write("job.sh", contents.JOB),
    calls: [
      { line: "fdtool run -- sh job.sh", holds: ['fd="fd:1"'] },
      { line: "fdtool run -- sh job.sh", holds: ['fd="fd:2"'] },
      { line: "fdtool diff fd:1 fd:2", holds: [/^\+.*step 417 refused by host db-3/m, 'lines_added="1"'] },
    ],
  },
  {
    name: "three edits",
    question: "Set retries to 5, timeoutMs to 900 and host to db.",
    setUp: write("settings.js", contents.settingsSource()),
    calls: [
      { line: "fdtool help edit", holds: ["--old TEXT", "Several edits: repeat --old and --new"] },
      {
        line: "fdtool edit settings.js --old 'retries: 3' --new 'retries: 5' --old 'timeoutMs: 500' " +
          `--new 'timeoutMs: 900' --old 'host: "localhost"' --new 'host: "db"'`,
        holds: ['lines="13,61,113"', "fdtool undo"],
      },
    ],
    leaves: { "settings.js": 'host: "db"' },
  },
  {
    name: "rewrite",
    question: "Replace the file with three lines.",
    setUp: write("settings.js", contents.settingsSource()),
    calls: [
      { line: "fdtool help rewrite", holds: ["--expected-line-count", ACKNOWLEDGEMENT] },
      {
        // The agent miscounts, as they do.
        line: `fdtool rewrite settings.js --expected-line-count 4 --acknowledgement '${ACKNOWLEDGEMENT}' <<'E'
export const settings = {
  retries: 5,
};
E`,
        holds: ["3"],
      },
      {
        line: `fdtool rewrite settings.js --expected-line-count 3 --acknowledgement '${ACKNOWLEDGEMENT}' <<'E'
export const settings = {
  retries: 5,
};
E`,
        holds: ['lines_removed="1', "fdtool undo"],
      },
    ],
    leaves: { "settings.js": "retries: 5" },
  },
  {
    name: "create",
    question: "Create src/main.js.",
    setUp: () => {},
    calls: [
      { line: "fdtool help create", holds: ["--content"] },
      {
        line: `fdtool create src/main.js --content - <<'E'
import { settings } from "../settings.js";
console.log(settings);
E`,
        holds: ['created="true"'],
      },
    ],
    leaves: { "src/main.js": "console.log(settings);" },
  },
  {
    name: "plan with a mistake, and undo",
    question: "Change two files at once; then take it back.",
    setUp: (directory) => {
      write("a.js", "const a = 1;\nmodule.exports = { a };\n")(directory);
      write("b.js", "const b = 1;\nmodule.exports = { b };\n")(directory);
    },
    calls: [
      { line: "fdtool help plan", holds: ["target_file", "operations", "location_marker"] },
      {
        line: `fdtool plan apply <<'E'
{"intent": "Add c", "plans": [
{"target_file": "a.js", "operations": [{"type": "insert", "content_block": "const c = 2;\\n", "location_marker": "module.export =", "position": "before"}]},
{"target_file": "b.js", "operations": [{"type": "replace", "find": "b = 1", "content_block": "b = 2"}]}]}
E`,
        holds: ["module.exports = { a };"],
      },
      {
        line: `fdtool plan apply <<'E'
{"intent": "Add c", "plans": [
{"target_file": "a.js", "operations": [{"type": "insert", "content_block": "const c = 2;\\n", "location_marker": "module.exports =", "position": "before"}]},
{"target_file": "b.js", "operations": [{"type": "replace", "find": "b = 1", "content_block": "b = 2"}]}]}
E`,
        holds: ["a.js", "b.js", "fdtool undo tx:1"],
      },
      { line: NEXT, holds: ["a.js", "b.js"] },
    ],
    leaves: { "a.js": "const a = 1;\nmodule.exports", "b.js": "b = 1" },
  },
];
