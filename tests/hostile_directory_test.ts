/**
 * The binary ignores whatever the directory it is started in, and the environment, say to the runtime that it is made
 * of: no foreign code runs, nothing is printed or written that would not be elsewhere.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { normalise } from "./golden_script.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/** The source form runs under Deno, whose configuration does not concern the binary. */
const ignore = programUnderTest().length > 1;

/** Code that gives itself away when it runs. */
const EVIL_CODE =
  `require("node:fs").writeFileSync(__dirname + "/EVIL", "");console.log("EVIL");console.error("EVIL");`;

/** Files that a runtime might obey in its working directory. `DIR` is replaced by the directory. */
const HOSTILE_FILES: Readonly<Record<string, string>> = {
  ".env":
    "FDTOOL_STORE=DIR/stolen\nFDTOOL_FORMAT=json\nFDTOOL_ROOT=/nowhere\nBUN_OPTIONS=--preload=DIR/evil.cjs\n",
  ".env.local": "FDTOOL_FORMAT=raw\n",
  ".env.production": "FDTOOL_FORMAT=raw\n",
  ".env.development": "FDTOOL_FORMAT=raw\n",
  ".npmrc": "node-options=--require DIR/evil.cjs\n",
  "bunfig.toml":
    'preload = ["./evil.cjs"]\nlogLevel = "debug"\n[run]\npreload = ["./evil.cjs"]\n[test]\npreload = ["./evil.cjs"]\n',
  "package.json":
    '{"type":"commonjs","main":"evil.cjs","imports":{"#x":"./evil.cjs"},"overrides":{"valibot":"file:."}}',
  "tsconfig.json":
    '{"compilerOptions":{"baseUrl":".","paths":{"*":["./evil.cjs"],"valibot":["./evil.cjs"]}}}',
  "jsconfig.json": '{"compilerOptions":{"baseUrl":".","paths":{"*":["./evil.cjs"]}}}',
  "deno.json": '{"imports":{"node:fs":"./evil.cjs","valibot":"./evil.cjs"}}',
  "evil.cjs": EVIL_CODE,
  "main.ts": EVIL_CODE,
  "index.js": EVIL_CODE,
  "node_modules/valibot/package.json": '{"name":"valibot","main":"index.js"}',
  "node_modules/valibot/index.js": EVIL_CODE,
  "node_modules/fs/index.js": EVIL_CODE,
};

/** Variables that a runtime might obey. */
const HOSTILE_VARIABLES: Readonly<Record<string, string>> = {
  BUN_BE_BUN: "1",
  BUN_OPTIONS: "--preload=DIR/evil.cjs --print 1",
  BUN_INSPECT: "ws+unix://DIR/inspect.sock?wait=1",
  BUN_INSPECT_CONNECT_TO: "unix://DIR/inspect.sock",
  BUN_INSPECT_NOTIFY: "unix://DIR/inspect.sock",
  BUN_INSPECT_PRELOAD: "DIR/evil.cjs",
  BUN_CONFIG_FILE: "DIR/bunfig.toml",
  BUN_CONFIG_PRELOAD: "DIR/evil.cjs",
  BUN_CONFIG_VERBOSE_FETCH: "curl",
  BUN_BYTECODE_DIGEST_OUT: "DIR/digest",
  BUN_BYTECODE_ORDER_OUT: "DIR/order",
  BUN_BYTECODE_ORDER_NAMES_OUT: "DIR/names",
  BUN_RUNTIME_TRANSPILER_CACHE_PATH: "DIR/cache",
  BUN_TRACE: "DIR/trace",
  BUN_WATCHER_TRACE: "DIR/trace",
  BUN_THREADPOOL_STATS: "1",
  BUN_DEBUG: "DIR/debug",
  BUN_DEBUG_QUIET_LOGS: "0",
  BUN_DESTRUCT_VM_ON_EXIT: "1",
  BUN_ENABLE_CRASH_REPORTING: "1",
  BUN_CRASH_REPORT_URL: "http://127.0.0.1:9/",
  BUN_FEATURE_FLAG_SYNTHETIC_MEMORY_LIMIT: "1",
  BUN_GARBAGE_COLLECTOR_LEVEL: "2",
  BUN_JSC_dumpOptions: "3",
  BUN_JSC_functionOverrides: "DIR/evil.cjs",
  BUN_JSC_logGC: "2",
  BUN_JSC_noSuchOption: "1",
  BUN_JSC_useWasm: "0",
  BUN_JSC_useJIT: "0",
  JSC_dumpOptions: "3",
  JSC_PROFILER_PATH: "DIR/profile",
  JSC_SIGNAL_FOR_GC: "9",
  MIMALLOC_VERBOSE: "1",
  MIMALLOC_SHOW_STATS: "1",
  MallocStackLogging: "1",
  NODE_CHANNEL_FD: "0",
  NODE_COMPILE_CACHE: "DIR/cache",
  NODE_DEBUG: "fs,net,child_process",
  NODE_ENV: "development",
  NODE_OPTIONS: "--require=DIR/evil.cjs",
  NODE_PATH: "DIR/node_modules",
  NODE_REDIRECT_WARNINGS: "DIR/warnings",
  NODE_V8_COVERAGE: "DIR/coverage",
  UV_THREADPOOL_SIZE: "0",
  DENO_DIR: "DIR/deno",
  DEBUG: "*",
};

type Call = readonly [args: readonly string[], stdin?: string];

/** Calls whose every byte of output is compared: a command with large output, a capture, an error and more. */
const FIRST_CALLS: readonly Call[] = [
  [["run", "--", "sh", "-c", "seq -f 'a line of the large output %g' 1000; echo err >&2; exit 3"]],
];
const ALL_CALLS: readonly Call[] = [
  ...FIRST_CALLS,
  [["capture"], "a line of the large output\n".repeat(40_000)],
  [["--version"]],
  [["--help"]],
  [["capture"], "small\n"],
  [["read", "fd:1", "--start", "2"]],
  [["read", "fd:1", "--all", "--format", "raw"]],
  [["read", "fd:99"]],
  [["stat", "fd:1", "--format", "json"]],
];

async function observe(
  world: World,
  env: Readonly<Record<string, string>>,
  calls: readonly Call[] = ALL_CALLS,
): Promise<string[]> {
  const seen: string[] = [];
  for (const [args, stdin] of calls) {
    const { code, text, stderr } = await world.run(args, { stdin: stdin ?? "", env });
    seen.push(normalise(`${args.join(" ")} → ${code}\n${text}\n${stderr}`, world));
  }
  return seen;
}

function replaceDirectory(
  entries: Readonly<Record<string, string>>,
  directory: string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).map(([k, v]) => [k, v.replaceAll("DIR", directory)]));
}

function filesUnder(directory: string): string[] {
  return [...Deno.readDirSync(directory)].flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory ? filesUnder(path) : [path];
  }).sort();
}

Deno.test({
  name: "hostile directory: its files change nothing",
  ignore,
  async fn() {
    using calm = makeWorld();
    using hostile = makeWorld();
    for (const [name, text] of Object.entries(replaceDirectory(HOSTILE_FILES, hostile.dir))) {
      hostile.write(name, text);
    }
    const before = filesUnder(hostile.dir);
    assertEquals(await observe(hostile, {}), await observe(calm, {}));
    assertEquals(filesUnder(hostile.dir), before);
  },
});

Deno.test({
  name: "hostile environment: the runtime's own variables change nothing, one by one and all at once",
  ignore,
  async fn() {
    using calm = makeWorld();
    const expected = await observe(calm, {});
    const each = Object.entries(HOSTILE_VARIABLES).map(([name, value]) => ({ [name]: value }));
    for (const variables of [HOSTILE_VARIABLES, ...each]) {
      const calls = variables === HOSTILE_VARIABLES ? ALL_CALLS : FIRST_CALLS;
      using hostile = makeWorld();
      for (const [name, text] of Object.entries(replaceDirectory(HOSTILE_FILES, hostile.dir))) {
        hostile.write(name, text);
      }
      const before = filesUnder(hostile.dir);
      const env = replaceDirectory(variables, hostile.dir);
      const names = Object.keys(variables).join(" ");
      assertEquals(await observe(hostile, env, calls), expected.slice(0, calls.length), names);
      assertEquals(filesUnder(hostile.dir), before, names);
    }
  },
});

// Deno refuses such names itself.
Deno.test("an argument that is not UTF-8 never becomes another name", { ignore }, async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "text\n" });
  for (const call of ['to-file fd:1 "$x"', 'run -- printf %s "$x"', 'edit "$x" --old a --new b']) {
    const ran = await world.shell(`x=$(printf 'x\\377'); fdtool ${call}`);
    assertEquals([ran.code, ran.text], [2, ""], call);
    assertStringIncludes(ran.stderr, "expected UTF-8");
  }
  assertEquals(Array.from(Deno.readDirSync(world.dir)), []);
  const written = await world.run(["run", "--", "printf", "%s", "\uFFFD"]);
  assertEquals([written.code, written.text], [0, "\uFFFD"], "which may be meant");
});

// Deno refuses such names itself.
Deno.test("a working directory that is not UTF-8 is never mistaken for another", { ignore }, async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "text\n" });
  Deno.mkdirSync(world.path("d\uFFFD"));
  const ran = await world.shell(
    `mkdir "$(printf 'd\\377')"; cd "$(printf 'd\\377')"; fdtool to-file fd:1 x; code=$?; ls; exit $code`,
  );
  assertEquals([ran.code, ran.text], [2, ""]);
  assertStringIncludes(ran.stderr, "names are valid UTF-8");
  assertEquals(Array.from(Deno.readDirSync(world.path("d\uFFFD"))), []);
});
