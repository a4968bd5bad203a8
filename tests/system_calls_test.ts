// Promise: what a small call asks of the system and the processor does not grow unseen. Counts are the
// same on a quiet machine and on a loaded one, which times are not.

import { assert, assertEquals } from "@std/assert";
import { openStore, putBytes } from "../fd/mod.ts";
import { ACKNOWLEDGEMENT } from "../src/calls/requests/rewrite_request.ts";
import { store } from "./store_calls.ts";
import { isTraceable, makeWorld, programUnderTest, type World } from "./world.ts";

const ignore = !isTraceable();

/** Calls that touch files, by name; where memory comes from is the runtime's business. */
const FILE_CALL =
  /^(?:open|openat|close|read|pread64|write|pwrite64|lseek|stat|lstat|fstat|statx|newfstatat|mkdir|mkdirat|rename|renameat2?|link|linkat|unlink|unlinkat|readlink|readlinkat|fsync|ftruncate|getdents64|utimensat|fchmod|chmod)\(/;

/**
 * The file calls that `args` make, from the first look at the store on. Stdin is a file: a pipe may be slow, which
 * costs more calls.
 */
async function callsOf(world: World, args: readonly string[], stdin: string): Promise<string[]> {
  const log = world.path("calls.txt");
  Deno.writeTextFileSync(world.path("stdin.txt"), stdin);
  const line = `strace -f -o ${log} fdtool ${args.join(" ")} <stdin.txt`;
  const { code, stderr } = await world.shell(line, {});
  assert(code === 0, stderr);
  const calls = world.text("calls.txt").split("\n").map((each) => each.replace(/^[0-9]+ +/, ""));
  const first = calls.findIndex((call) => call.includes(`"${world.store}/`));
  assert(first >= 0, "the store was looked at");
  // How much memory is left, which the runtime asks now and then.
  const isRuntime = (call: string) => call.includes("/proc/self/statm");
  return calls.slice(first).filter((call) => FILE_CALL.test(call) && !isRuntime(call));
}

async function assertFew(args: readonly string[], most: number, stdin = ""): Promise<void> {
  using world = makeWorld();
  putBytes(openStore(world.store), new TextEncoder().encode("line\n".repeat(40)), { source: "test" });
  // The first capture of a store makes the file of the next cleanup.
  await store(world, "x");
  const calls = await callsOf(world, args, stdin);
  assert(
    calls.length <= most,
    `${calls.length} file calls, at most ${most} are wanted:\n${calls.join("\n")}`,
  );
}

Deno.test({
  name: "system calls: a small read makes no more than its bound",
  ignore,
  fn: () => assertFew(["read", "fd:1", "--lines", "10-14"], READ_CALLS),
});

Deno.test({
  name: "system calls: a small stored capture makes no more than its bound",
  ignore,
  fn: () => assertFew(["capture", "--always"], CAPTURE_CALLS, "line\n".repeat(40)),
});

/** ARCHITECTURE.md, "Keeping small calls small". */
const MAX_INSTRUCTIONS = 12_200_000;

/** Whether valgrind can count the instructions of the binary under test. */
function isCountable(): boolean {
  const valgrind = new Deno.Command("sh", { args: ["-c", "command -v valgrind"], stdout: "null" });
  return programUnderTest().length === 1 && Deno.build.os === "linux" && valgrind.outputSync().success;
}

Deno.test({
  name: `instructions: a small read takes at most ${
    MAX_INSTRUCTIONS / 1e6
  } million (skipped without valgrind)`,
  ignore: !isCountable(),
  async fn() {
    using world = makeWorld();
    await store(world, "line\n".repeat(40));
    const [program] = programUnderTest();
    const counting = "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null";
    const { code, stderr } = await world.shell(`${counting} ${program} read fd:1 --lines 10-14`);
    const counted = Number(/I +refs: +([\d,]+)/.exec(stderr)?.[1]?.replaceAll(",", ""));
    assert(code === 0 && counted > 1e6 && counted <= MAX_INSTRUCTIONS, `${counted} instructions: ${stderr}`);
  },
});

/** Calls that replace `edited.txt`, and the stats of it that each may make. */
const WRITES: readonly { name: string; args: readonly string[]; stdin?: string; stats: number }[] = [
  {
    name: "a rewrite",
    args: [
      "rewrite",
      "edited.txt",
      "--expected-line-count",
      "4",
      "--acknowledgement",
      `'${ACKNOWLEDGEMENT}'`,
    ],
    stdin: "a\nx\nc\nd\n",
    stats: 6,
  },
  { name: "an edit", args: ["edit", "edited.txt", "--old", "b", "--new", "x"], stats: 6 },
  {
    name: "a create that overwrites",
    args: ["create", "edited.txt", "--content", "-", "--overwrite"],
    stdin: "a\nx\n",
    stats: 6,
  },
  {
    name: "a plan",
    args: ["plan", "apply"],
    stdin: JSON.stringify({
      target_file: "edited.txt",
      operations: [{ type: "append", content_block: "d\n" }],
    }),
    stats: 6,
  },
];

for (const { name, args, stdin = "", stats } of WRITES) {
  Deno.test({
    name: `system calls: ${name} opens the file to read, back up and compare it, and looks who writes once`,
    ignore,
    async fn() {
      using world = makeWorld();
      await world.shell("printf 'a\\nb\\nc\\n' > edited.txt", {});
      const calls = await callsOf(world, args, stdin);
      const of = (what: RegExp) => calls.filter((call) => what.test(call));
      const opened = of(/^open(?:at)?\(.*edited\.txt"/);
      const looked = of(/^(?:stat|lstat|statx|newfstatat)\(.*edited\.txt"/);
      const identified = of(/^open(?:at)?\(.*"\/proc\/self\/stat"/);
      assert(opened.length <= 3, opened.join("\n"));
      assert(looked.length <= stats, looked.join("\n"));
      assert(identified.length <= 1, identified.join("\n"));
    },
  });
}

Deno.test({
  name: "system calls: ls of a store with a full shard at rest reads neither its directory nor its records",
  ignore,
  async fn() {
    using world = makeWorld();
    const opened = openStore(world.store);
    for (let made = 0; made < 1010; made++) putBytes(opened, new Uint8Array([0x61]), { source: "test" });
    const shard = `${world.store}/v2/fds/0000`;
    Deno.utimeSync(shard, 1, 1);
    await world.run(["ls", "--limit", "3"]);
    const calls = await callsOf(world, ["ls", "--limit", "3"], "");
    const inShard = calls.filter((call) => call.includes(`${shard}"`) && call.startsWith("open"));
    const records = calls.filter((call) => call.includes(`${shard}/`));
    assertEquals([inShard, records], [[], []]);
  },
});

/** The counts when the bounds were set, plus a few for a newer runtime. */
const READ_CALLS = 10 + 4;
const CAPTURE_CALLS = 26 + 4;
