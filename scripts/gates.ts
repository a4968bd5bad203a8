/**
 * Every gate in order, counted: a gate is a test that passes or fails, and a run of tests counts all its tests. Run by
 * `scripts/test`, which finds the runtimes first.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { addCounts, type Counts, countsOfDenoTest, NONE } from "./test_counts.ts";

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
}

const OF_PROCESSES_AND_DISKS = ["kill", "plan_kill", "storm", "soak", "ids", "fork", "hook", "full_disk"]
  .map((name) => `tests/${name}_test.ts`);

const STAGES: readonly Stage[] = [
  { name: "fmt", what: "layout", command: [DENO, "fmt", "--check"] },
  { name: "lint", what: "lint", command: [DENO, "lint"] },
  { name: "check", what: "types", command: [DENO, "check", "main.ts", "fd", "src", "tests", "scripts"] },
  {
    name: "unit",
    what: "unit and property tests, and the examples in the documentation",
    command: [DENO, "test", "--allow-all", "--parallel", "--doc", "fd", "src", "scripts"],
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
    command: [DENO, "test", "--allow-all", "--parallel", "tests"],
    env: { FDTOOL: BINARY },
    tests: true,
  },
  {
    name: "source",
    what: "the whole program from outside, as source under Deno",
    // What tries processes and disks, and not engines, takes minutes: the binary alone goes through it.
    command: [
      DENO,
      "test",
      "--allow-all",
      "--parallel",
      `--ignore=${OF_PROCESSES_AND_DISKS.join(",")}`,
      "tests",
    ],
    env: { FDTOOL: "" },
    tests: true,
  },
];

/** What `--update` runs: the golden scripts and transcripts take what the binary says now as what it is to say. */
const UPDATE: Stage = {
  name: "update",
  what: "golden scripts and transcripts, rewritten",
  command: [DENO, "test", "--allow-all", "tests/golden_test.ts", "tests/documents_test.ts"],
  env: { FDTOOL: BINARY, FDTOOL_UPDATE_GOLDEN: "1" },
  tests: true,
};

async function main(names: readonly string[]): Promise<number> {
  if (names.includes("--help")) {
    console.log(
      "usage: scripts/test [STAGE…]\n       scripts/test --update\n\nWithout a stage, all in this order:\n",
    );
    for (const { name, what } of STAGES) console.log(`  ${name.padEnd(8)} ${what}`);
    console.log(
      "\n--update builds, and rewrites the golden scripts and the documents' transcripts to what the binary says: read the change before you commit it.",
    );
    return 0;
  }
  if (names.includes("--update")) {
    const build = STAGES.filter(({ name }) => name === "build");
    return await runAll([...build, UPDATE]);
  }
  const unknown = names.find((name) => !STAGES.some((stage) => stage.name === name));
  if (unknown !== undefined) {
    console.error(`fdtool: no stage ${unknown}; there are ${STAGES.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  return await runAll(STAGES.filter(({ name }) => names.length === 0 || names.includes(name)));
}

/** Runs stages in order, whatever fails, and ends with the sum. Answers the exit code. */
async function runAll(stages: readonly Stage[]): Promise<number> {
  let total = NONE;
  const failed: string[] = [];
  for (const stage of stages) {
    const startedAt = Date.now();
    console.log(`\n== ${stage.name}: ${stage.what}`);
    const counts = await run(stage);
    if (counts.failed > 0) failed.push(stage.name);
    total = addCounts(total, counts);
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(`== ${stage.name}: ${counts.failed === 0 ? "passed" : "FAILED"} in ${seconds} s`);
  }
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
