/**
 * Runs the stages of `scripts/test`, which finds the runtimes first, and counts: a stage is a test that passes or fails,
 * and a run of tests counts all its tests.
 */

import { mkdirSync, statfsSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import {
  addCounts,
  type Counts,
  countsOfDenoTest,
  countsOfLastLine,
  failedTests,
  NONE,
} from "./test_counts.ts";
import { ignoredSignals } from "../src/calls/streams/signals.ts";
import { CHECKOUT } from "./checkout.ts";
import { exampleTests } from "./example_tests.ts";
import { BINARY, DENO, secondsOf, type Stage, STAGES } from "./test_stages.ts";

/** The stage of `--update`: golden scripts and transcripts are rewritten from the binary's output. */
const UPDATE: Stage = {
  name: "update",
  what: "golden scripts and transcripts, rewritten",
  command: [
    DENO,
    "test",
    "--allow-all",
    "tests/golden_test.ts",
    "tests/screens_test.ts",
    "tests/documents_test.ts",
  ],
  env: { FDTOOL: BINARY, FDTOOL_UPDATE_GOLDEN: "1" },
  tests: true,
  after: "build",
};

const HELP = `usage: scripts/test [STAGE…]
       scripts/test [--source] FILE…
       scripts/test --update

Without arguments, every stage, two at once; with names, these and those that they need:

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
  const wanted = new Set(args.length === 0 ? STAGES.map(({ name }) => name) : args);
  // Each needs those before it: from the last on, so that theirs are added, too.
  for (const { name, after } of STAGES.toReversed()) {
    if (after !== undefined && wanted.has(name)) wanted.add(after);
  }
  return await runAll(STAGES.filter(({ name }) => wanted.has(name)));
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
    after: "build",
    inMemory: !files.some((file) => resolve(file).startsWith(join(CHECKOUT, "tests", "remote"))),
  }];
}

/** How many stages run at once: the waits of one are the work of the other. */
const LANES = 2;

/**
 * Runs all stages, whatever fails, and shows the output of each whole, in order. Ends with times, the names of failed
 * tests, where the output of their stage is kept, and the sum. Returns the exit code.
 */
async function runAll(stages: readonly Stage[]): Promise<number> {
  const startedAt = Date.now();
  const memory = memoryDirectory();
  const scratch = memory ?? Deno.makeTempDirSync({ prefix: "fdtool-tests-" });
  // A listener also gives the stages the default of a signal that this process was started to ignore (`nohup`, `&`), as
  // tests of signals expect.
  const ignored = ignoredSignals();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const) {
    Deno.addSignalListener(signal, () => {
      if (ignored.has(signal)) return;
      Deno.removeSync(scratch, { recursive: true });
      Deno.exit(130);
    });
  }
  try {
    const results = start(stages, scratch, memory);
    let total = NONE;
    const failed: string[] = [];
    const times: string[] = [];
    for (const [index, stage] of stages.entries()) {
      console.log(`\n== ${stage.name}: ${stage.what}`);
      const { output, done } = results[index]!;
      for (const chunk of output.kept) show(chunk);
      output.isShown = true;
      const { counts, seconds, failures, log } = await done.promise;
      if (log !== undefined) failed.push(`${stage.name} (${log})`, ...failures.map((name) => `  ${name}`));
      total = addCounts(total, counts);
      times.push(`  ${stage.name.padEnd(8)} ${seconds.padStart(6)} s`);
      console.log(`== ${stage.name}: ${counts.failed === 0 ? "passed" : "FAILED"} in ${seconds} s`);
    }
    const all = secondsSince(startedAt);
    console.log(
      `\nTime by stage, ${LANES} at once:\n${times.join("\n")}\n  ${"all".padEnd(8)} ${all.padStart(6)} s`,
    );
    if (failed.length > 0) console.log(`\nFailed:\n${failed.map((line) => `  ${line}`).join("\n")}`);
    const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
    console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
    return total.failed === 0 ? 0 : 1;
  } finally {
    Deno.removeSync(scratch, { recursive: true });
  }
}

interface Ended {
  counts: Counts;
  seconds: string;
  /** The names of failed tests, as the runner gives them. */
  failures: readonly string[];
  /** If the stage failed: the file that keeps its output, relative to the checkout. */
  log?: string | undefined;
}

/** The directory for the output of failed stages: a test that fails once in ten runs must not lose its name. */
const LOGS = join(CHECKOUT, "dist", "test-logs");

/** The output of a stage so far, and whether what comes is shown at once. */
interface Output {
  kept: Uint8Array[];
  isShown: boolean;
}

/** Starts the stages in order, `LANES` at once, each after the stage that it needs. */
function start(stages: readonly Stage[], scratch: string, memory: string | undefined) {
  const running = stages.map((stage) => {
    const output: Output = { kept: [], isShown: false };
    return { stage, output, done: Promise.withResolvers<Ended>() };
  });
  let next = 0;
  const lane = async () => {
    for (let each = running[next++]; each !== undefined; each = running[next++]) {
      const { stage, output, done } = each;
      await running.find((other) => other.stage.name === stage.after)?.done.promise;
      done.resolve(await run(stage, output, scratch, memory));
    }
  };
  for (let each = 0; each < LANES; each++) void lane();
  return running;
}

/** Runs one stage; its output goes to `output`. */
async function run(
  stage: Stage,
  output: Output,
  scratch: string,
  memory: string | undefined,
): Promise<Ended> {
  const startedAt = Date.now();
  const [program = "", ...args] = stage.command;
  const inMemory = stage.inMemory === true && memory !== undefined;
  const child = new Deno.Command(program, {
    args: [...args, ...groupsOf(stage, scratch)],
    cwd: CHECKOUT,
    env: { NO_COLOR: "1", ...stage.env, ...inMemory ? { TMPDIR: memory } : {} },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let text = "";
  const decoder = new TextDecoder();
  const copy = (chunk: Uint8Array) => {
    output.kept.push(chunk);
    if (output.isShown) show(chunk);
  };
  const copyErrors = async () => {
    for await (const chunk of child.stderr) copy(chunk);
  };
  const copyOutput = async () => {
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      copy(chunk);
    }
  };
  await Promise.all([copyErrors(), copyOutput()]);
  const { success } = await child.status;
  const counts = countsOf(stage, text, success);
  const seconds = secondsSince(startedAt);
  if (counts.failed === 0) return { counts, seconds, failures: [] };
  return { counts, seconds, failures: failedTests(text), log: keepLog(stage.name, output.kept) };
}

/**
 * Writes files that import the stage's test files, so that all take about as long. Loading each by itself takes longer than
 * most tests.
 */
function groupsOf({ name, files, groups = 8, examples }: Stage, scratch: string): string[] {
  if (examples === true) {
    const path = join(scratch, `${name}_test.ts`);
    // In the checkout, where packages are found.
    writeFileSync(path, exampleTests(CHECKOUT, files?.() ?? [], join(CHECKOUT, "dist", "examples")));
    return [path];
  }
  const paths = (files?.() ?? []).toSorted((one, other) => secondsOf(other) - secondsOf(one));
  const parts = Array.from({ length: Math.min(groups, paths.length) }, () => ({ seconds: 0, imports: "" }));
  for (const path of paths) {
    const shortest = parts.reduce((one, other) => other.seconds < one.seconds ? other : one);
    shortest.seconds += secondsOf(path);
    shortest.imports += `import ${JSON.stringify(`file://${join(CHECKOUT, path)}`)};\n`;
  }
  return parts.map(({ imports }, part) => {
    const path = join(scratch, `${name}_${part}_test.ts`);
    writeFileSync(path, imports);
    return path;
  });
}

/** Keeps the output of a failed stage in a file of its own, and returns its path relative to the checkout. */
function keepLog(stageName: string, output: readonly Uint8Array[]): string {
  mkdirSync(LOGS, { recursive: true });
  const time = new Date().toISOString().replace(/[-:]|\..*/g, "");
  const path = join(LOGS, `${time}-${stageName}.log`);
  writeFileSync(path, Buffer.concat(output));
  return relative(CHECKOUT, path);
}

function countsOf(stage: Stage, text: string, success: boolean): Counts {
  if (stage.counts === true) return countsOfLastLine(text, success);
  return stage.tests === true
    ? countsOfDenoTest(text, success)
    : { ...NONE, [success ? "passed" : "failed"]: 1 };
}

/**
 * Makes a directory in memory, where a sync costs nothing. Returns undefined if the system has none with a gigabyte free
 * from which programs can be run.
 */
function memoryDirectory(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    if (bavail * bsize < 2 ** 30) return undefined;
    const directory = Deno.makeTempDirSync({ dir: "/dev/shm", prefix: "fdtool-tests-" });
    const probe = join(directory, "probe");
    Deno.writeTextFileSync(probe, "#!/bin/sh\n", { mode: 0o755 });
    try {
      if (new Deno.Command(probe).outputSync().success) return directory;
    } catch {
      // Programs cannot be run from it.
    }
    Deno.removeSync(directory, { recursive: true });
    return undefined;
  } catch {
    return undefined;
  }
}

function secondsSince(startedAt: number): string {
  return ((Date.now() - startedAt) / 1000).toFixed(1);
}

function show(bytes: Uint8Array): void {
  for (let shown = 0; shown < bytes.length;) shown += Deno.stdout.writeSync(bytes.subarray(shown));
}

Deno.exitCode = await main(Deno.args);
