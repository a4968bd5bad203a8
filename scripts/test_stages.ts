/**
 * The stages of `scripts/test`, and which black-box tests run on which form of the program.
 */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CHECKOUT } from "./checkout.ts";

export const DENO = Deno.execPath();
export const BINARY = join(CHECKOUT, "dist", "fdtool");

/** The source as fewer modules, for Deno, which starts them in two thirds of the time. */
const SOURCE = join(CHECKOUT, "dist", "source", "main.js");

/** One stage: a command that passes or fails as a whole, or (`tests`) counts its own tests. */
export interface Stage {
  name: string;
  what: string;
  command: readonly string[];
  /** Test files for the end of the command. */
  files?: (() => readonly string[]) | undefined;
  /** The tests are the examples in comments of the files. */
  examples?: boolean | undefined;
  /** How many processes share them: few load and compile less, many keep two processors busy to the end. */
  groups?: number | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  tests?: boolean | undefined;
  /** Its last line is its counts. */
  counts?: boolean | undefined;
  /** The stage that must end before this one starts. */
  after?: string | undefined;
  /** Its temporary files may be in memory: it makes thousands of small stores, and syncs each. */
  inMemory?: boolean | undefined;
}

/**
 * Tests in `tests/` that run on the source form (under Deno) as well as on the binary (Bun), each with what differs
 * between the two runtimes. All others run once: the source form would repeat rules that golden scripts and unit tests
 * already run under Deno, or they are about the binary, packages, documents and the house itself.
 */
export const BOTH_FORMS: Readonly<Record<string, string>> = {
  ask: "terminals, prompts",
  big_capture: "64 MiB through a pipe, threads",
  golden: "whole output on stdout and stderr, arguments, stdin, hooks, failures, store format",
  live: "detached processes, signals, growing files",
  mcp_streams: "a server on stdin and stdout, clients that die",
  recover: "killed processes, exclusive locks",
  run: "child processes, inherited streams, order of output, exit codes, signals, time limits",
  start_up: "which modules are loaded",
};

/** Seconds that slow test files took on two processors beside others (2026-11-29): they are shared out by them. */
export const SLOW_TESTS: Readonly<Record<string, number>> = {
  "tests/ui_browser_test.ts": 52,
  "tests/remote/killed_sharing_test.ts": 45,
  "tests/remote/shared_store_test.ts": 40,
  "tests/shell_pipes_test.ts": 30,
  "tests/soak_test.ts": 28,
  "tests/shell_test.ts": 28,
  "tests/golden_test.ts": 24,
  "tests/remote/store_check_test.ts": 21,
  "tests/install_test.ts": 18,
  "tests/archive_test.ts": 17,
  "tests/left_behind_test.ts": 17,
  "scripts/corpus/generated_listings_test.ts": 16,
  "scripts/corpus/next_chain_test.ts": 16,
  "tests/live_test.ts": 15,
  "tests/run_test.ts": 15,
  "tests/library_package_test.ts": 15,
  "tests/query_test.ts": 14,
  "tests/kill_test.ts": 13,
  "tests/terminal_test.ts": 13,
  "tests/two_pipes_test.ts": 13,
  "tests/caller_limits_test.ts": 11,
  "tests/diff_test.ts": 11,
  "tests/early_clock_test.ts": 11,
  "tests/full_disk_test.ts": 11,
  "tests/remote/cold_reads_test.ts": 11,
  "tests/slices_test.ts": 11,
  "tests/agent_parity_test.ts": 10,
  "tests/bounded_lists_test.ts": 10,
  "tests/mcp_streams_test.ts": 10,
  "tests/remote/shared_fork_test.ts": 9,
  "fd/packing/pack_fd_test.ts": 9,
  "tests/remote/encrypted_store_test.ts": 8,
  "tests/remote/shared_fds_test.ts": 8,
  "src/writing/commit/commit_changes_test.ts": 7,
  "scripts/corpus/runs/numbered_runs_test.ts": 7,
  "fd/search/skip_frames_test.ts": 6,
  "tests/hook_test.ts": 5,
  "scripts/build_kernel_test.ts": 4,
  "fd/put/put_bytes_test.ts": 3,
};

/** Those of any test file; a unit test takes a fifteenth of one that runs the whole program. */
export function secondsOf(path: string): number {
  return SLOW_TESTS[path] ?? (path.startsWith("tests/") ? 3 : 0.2);
}

const TEST = [DENO, "test", "--no-check", "--allow-all", "--parallel"];

/** Fault tests that take seconds each. */
const FAULT_TESTS = "scripts/soaking/soak_test.ts";

/** The folders of unit tests and of the code with examples. */
const CODE = ["fd", "src", "scripts"];

/** The files below `folders`, seen from the checkout, whose path from there ends with `end`. */
function filesIn(folders: readonly string[], end: string): string[] {
  const below = (folder: string) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join(folder, name)
    );
  return folders.flatMap(below).filter((path) => path.endsWith(end)).sort();
}

/** The files whose comments have examples, which are run as tests. */
function withExamples(): string[] {
  return filesIn(CODE, ".ts").filter((path) =>
    readFileSync(join(CHECKOUT, path), "utf8").includes("* ```ts\n")
  );
}

/**
 * Every stage, in the order in which they start: the longest early, and last those that keep two processors busy by
 * themselves. The stage `check` has the types of all tests and examples.
 */
export const STAGES: readonly Stage[] = [
  { name: "fmt", what: "layout", command: [DENO, "fmt", "--check"] },
  { name: "lint", what: "lint", command: [DENO, "lint"] },
  { name: "build", what: "the binary", command: [join(CHECKOUT, "scripts", "build")] },
  {
    name: "bundle",
    what: "the source as fewer modules, for the tests that run it very often",
    command: [join(CHECKOUT, "scripts", "build"), "--modules", dirname(SOURCE)],
  },
  {
    name: "check",
    what: "types, those of examples in comments too",
    command: [DENO, "check", "--quiet", "--doc", "main.ts", "fd", "src", "tests", "scripts"],
    // The compiler ends before its code, optimised, has won back what that took: a quarter of the processor time.
    env: { DENO_V8_FLAGS: "--no-turbofan" },
  },
  {
    name: "binary",
    what: "the whole program from outside, as the binary",
    command: TEST,
    files: () => filesIn(["tests"], "_test.ts").filter((path) => !path.startsWith("tests/remote/")),
    // It is the longest: a further process works while others wait. More would take the processors' caches from each other.
    // Three groups for each.
    groups: 9,
    env: { FDTOOL: BINARY, DENO_JOBS: "3" },
    tests: true,
    after: "build",
    inMemory: true,
  },
  {
    name: "release",
    what: "the binary is the same bytes as one that is built in another directory",
    command: [join(CHECKOUT, "scripts", "release"), "--check-reproducible"],
    after: "build",
  },
  {
    name: "servers",
    what: "object stores for the next stage, built once into a cache (skipped without Go)",
    command: [join(CHECKOUT, "scripts", "object-servers")],
    counts: true,
    after: "build",
  },
  {
    name: "remote",
    what: "the shared store on a real object store (skipped if there is none)",
    // On a disk: a test mounts a file system of its own at /dev/shm, where the program caches too.
    command: TEST,
    // Servers that the stage before does not make are tried when a row of their table may change.
    files: () => filesIn(["tests/remote"], "_test.ts").filter((path) => !path.includes("other_servers")),
    groups: 6,
    env: { FDTOOL: BINARY },
    tests: true,
    after: "servers",
  },
  {
    name: "live",
    what: "Claude Code itself, from npm, without fdtool and with it (skipped if it cannot be installed)",
    command: [join(CHECKOUT, "scripts", "live"), "claude-code", "--short"],
    counts: true,
    after: "build",
  },
  {
    name: "faults",
    what: "a short round of every fault class of scripts/soak",
    command: [...TEST, FAULT_TESTS],
    tests: true,
    inMemory: true,
  },
  {
    name: "examples",
    what: "the examples in comments",
    command: TEST,
    files: withExamples,
    examples: true,
    tests: true,
    inMemory: true,
  },
  {
    name: "source",
    what: "the program as source under Deno, where the runtime matters",
    command: TEST,
    files: () => Object.keys(BOTH_FORMS).map((name) => `tests/${name}_test.ts`),
    env: { FDTOOL: "", FDTOOL_SOURCE: SOURCE },
    tests: true,
    after: "bundle",
    inMemory: true,
  },
  {
    name: "unit",
    what: "unit and property tests",
    command: TEST,
    files: () => filesIn(CODE, "_test.ts").filter((path) => path !== FAULT_TESTS),
    groups: 4,
    tests: true,
    inMemory: true,
  },
];
