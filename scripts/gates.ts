/**
 * Every gate in order, counted: a gate is a test that passes or fails, and a run of tests counts all its tests. Run by
 * `scripts/test`, which finds the runtimes first.
 *
 * @module
 */

import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { addCounts, type Counts, countsOfDenoTest, countsOfLastLine, NONE } from "./test_counts.ts";

const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));
const DENO = Deno.execPath();
const BINARY = join(CHECKOUT, "dist", "fdtool");

/** One gate: a command that either passes whole, or (`tests`) counts its own tests. */
interface Stage {
  name: string;
  what: string;
  command: readonly string[];
  env?: Readonly<Record<string, string>> | undefined;
  tests?: boolean | undefined;
  /** It ends with its own counts. */
  counts?: boolean | undefined;
}

/**
 * The black-box tests whose subject differs between runtimes: streams, signals, processes, text, files. The binary passes
 * all of `tests/`; the source form passes these.
 */
const SOURCE_FORM_TESTS = [
  "ask",
  "big_capture",
  "call",
  "capture",
  "caps_and_cleaning",
  "diff",
  "edit",
  "fail_open",
  "frames",
  "golden",
  "live",
  "mcp",
  "raw_notice",
  "recover",
  "ref",
  "rewrite",
  "run",
  "run_verdict",
  "search_hits",
  "serve_jp",
  "slices",
  "spawn",
  "start_up",
  "to_file",
  "user_input",
].map(testFile);

/** Unit tests that inject faults into each disk call, each a few seconds long. */
const FAULT_TESTS = ["scripts/soaking/soak_test.ts"];

const TEST = [DENO, "test", "--allow-all", "--parallel"];

const STAGES: readonly Stage[] = [
  { name: "fmt", what: "layout", command: [DENO, "fmt", "--check"] },
  { name: "lint", what: "lint", command: [DENO, "lint"] },
  { name: "check", what: "types", command: [DENO, "check", "main.ts", "fd", "src", "tests", "scripts"] },
  {
    name: "unit",
    what: "unit and property tests, and the examples in the documentation",
    command: [...TEST, "--doc", `--ignore=${FAULT_TESTS.join(",")}`, "fd", "src", "scripts"],
    tests: true,
  },
  {
    name: "faults",
    what: "a short round of every fault class of scripts/soak",
    command: [...TEST, ...FAULT_TESTS],
    tests: true,
  },
  { name: "build", what: "the binary", command: [join(CHECKOUT, "scripts", "build")] },
  {
    name: "release",
    what: "two builds of the binary, in two directories, are the same bytes",
    command: [join(CHECKOUT, "scripts", "release"), "--check-reproducible"],
  },
  {
    name: "binary",
    what: "the whole program from outside, as the binary",
    command: [...TEST, "tests"],
    env: { FDTOOL: BINARY },
    tests: true,
  },
  {
    name: "source",
    what: "the program as source under Deno, where the runtime matters",
    command: [...TEST, ...SOURCE_FORM_TESTS],
    env: { FDTOOL: "" },
    tests: true,
  },
  {
    name: "live",
    what: "Claude Code itself, from npm, without fdtool and with it (skipped if it cannot be installed)",
    command: [join(CHECKOUT, "scripts", "live"), "claude-code", "--short"],
    counts: true,
  },
];

function testFile(name: string): string {
  return `tests/${name}_test.ts`;
}

/** What `--update` runs: the golden scripts and transcripts take what the binary says now as what it is to say. */
const UPDATE: Stage = {
  name: "update",
  what: "golden scripts and transcripts, rewritten",
  command: [DENO, "test", "--allow-all", "tests/golden_test.ts", "tests/documents_test.ts"],
  env: { FDTOOL: BINARY, FDTOOL_UPDATE_GOLDEN: "1" },
  tests: true,
};

const HELP = `usage: scripts/test [STAGE…]
       scripts/test [--source] FILE…
       scripts/test --update

Without arguments, every stage in this order:

${STAGES.map(({ name, what }) => `  ${name.padEnd(8)} ${what}`).join("\n")}

FILE…     only these test files; those in tests/ run against the binary, which is built first when it is out of date
--source  with FILE…: run tests/ against the source under Deno instead
--update  rewrite the golden scripts and the documents' transcripts from the binary: read the change before committing
`;

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(HELP);
    return 0;
  }
  const build = STAGES.filter(({ name }) => name === "build");
  if (args.includes("--update")) return await runAll([...build, UPDATE]);
  const files = args.filter((each) => each.endsWith(".ts"));
  if (files.length > 0) return await runAll(fileStages(files, args.includes("--source")));
  const unknown = args.find((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    const names = STAGES.map(({ name }) => name).join(", ");
    console.error(`fdtool: unknown stage ${unknown}; expected a test file or one of ${names}`);
    return 2;
  }
  return await runAll(STAGES.filter(({ name }) => args.length === 0 || args.includes(name)));
}

/** Runs just `files`; the binary is built for those that need it. */
function fileStages(files: readonly string[], asSource: boolean): Stage[] {
  const isBlackBox = files.some((file) => resolve(file).startsWith(join(CHECKOUT, "tests")));
  const stages: Stage[] = [];
  if (isBlackBox && !asSource) {
    stages.push({
      name: "build",
      what: "the binary, if it is out of date",
      command: [join(CHECKOUT, "scripts", "build"), "--if-needed"],
    });
  }
  return [...stages, {
    name: "files",
    what: files.join(" "),
    command: [DENO, "test", "--allow-all", ...files],
    env: { FDTOOL: asSource ? "" : BINARY },
    tests: true,
  }];
}

/** Runs stages in order, whatever fails, and ends with times and the sum. Returns the exit code. */
async function runAll(stages: readonly Stage[]): Promise<number> {
  let total = NONE;
  const failed: string[] = [];
  const times: string[] = [];
  for (const stage of stages) {
    const startedAt = Date.now();
    console.log(`\n== ${stage.name}: ${stage.what}`);
    const counts = await run(stage);
    if (counts.failed > 0) failed.push(stage.name);
    total = addCounts(total, counts);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    times.push(`  ${stage.name.padEnd(8)} ${seconds.padStart(6)} s`);
    console.log(`== ${stage.name}: ${counts.failed === 0 ? "passed" : "FAILED"} in ${seconds} s`);
  }
  console.log(`\nTime by stage:\n${times.join("\n")}`);
  if (failed.length > 0) console.log(`\nFailed: ${failed.join(", ")}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed === 0 ? 0 : 1;
}

/** Runs one stage, its output shown as it comes, and counts. */
async function run(stage: Stage): Promise<Counts> {
  const [program = "", ...args] = stage.command;
  const child = new Deno.Command(program, {
    args,
    cwd: CHECKOUT,
    env: { NO_COLOR: "1", ...stage.env },
    stdin: "null",
    stdout: "piped",
  }).spawn();
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    await writeAll(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  const { success } = await child.status;
  if (stage.counts === true) return countsOfLastLine(text, success);
  return stage.tests === true
    ? countsOfDenoTest(text, success)
    : { ...NONE, [success ? "passed" : "failed"]: 1 };
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += await Deno.stdout.write(bytes.subarray(written));
  }
}

Deno.exitCode = await main(Deno.args);
