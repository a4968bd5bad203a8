/**
 * Promise: a call that is killed at any step of sharing leaves nothing stuck: `sync --wait` ends with all fds of the host
 * shared, and each of them is whole on every host (contract, Shared stores).
 */

import { assert, assertEquals } from "@std/assert";
import { isTraceable } from "../world.ts";
import { type SharedHost, sharedTest, type SharedWorld } from "./shared_world.ts";

const isTraced = isTraceable();
/** How often each of the tests is run, and says how many it killed; once without a word unless a number is given. */
const ROUNDS = Number(Deno.env.get("FDTOOL_KILL_ROUNDS") ?? 1);

const FILE_CALLS = "mkdir,openat,write,pwrite64,rename,link,unlink,rmdir,ftruncate";
/** Calls on the connection to the object store, which other threads make. */
const SOCKET_CALLS = "sendto,recvfrom";

/** A system call, and how many of its name its thread had made by then. */
interface Step {
  name: string;
  count: number;
}

/**
 * The calls with which `args` change the cache, and those with which they speak with the store. Of more than two of one
 * name in a row, one round has the first and the last.
 */
async function stepsOf(host: SharedHost, args: string): Promise<Step[]> {
  const { path, text } = host.world;
  await traced(host, args, `-y -s 4096 -o ${path("steps.txt")} -e trace=${FILE_CALLS},${SOCKET_CALLS}`);
  const counts = new Map<string, number>();
  const steps = new Map<string, Step>();
  for (const line of text("steps.txt").split("\n")) {
    const [, thread, name] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
    if (name === undefined) continue;
    const count = (counts.get(`${thread} ${name}`) ?? 0) + 1;
    counts.set(`${thread} ${name}`, count);
    const isSocket = SOCKET_CALLS.includes(name) && line.includes("<socket:");
    const isChange = line.includes(path("cache")) && (name !== "openat" || line.includes("O_CREAT"));
    if (isSocket || isChange) steps.set(`${name} ${count}`, { name, count });
  }
  const all = [...steps.values()];
  if (ROUNDS > 1) return all;
  return all.filter(({ name }, at) => all[at - 1]?.name !== name || all[at + 1]?.name !== name);
}

/** Runs fdtool under strace. */
async function traced({ world, env }: SharedHost, args: string, options: string): Promise<number> {
  const line = `strace -f ${options} fdtool ${args} <content.txt`;
  return (await world.shell(line, { env: { ...env, FDTOOL_UPLOAD_WAIT: "2s" } })).code;
}

/**
 * Kills `args` at each of their steps, with content of each of these sizes; then all fds of the host are shared, and whole.
 * One round leaves out the first steps of a size that were those of the one before.
 */
async function killAtEachStep(
  { a, b }: SharedWorld,
  args: string,
  lineCounts: readonly number[],
  before: (content: string) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const made: string[] = [];
  let last: string[] = [];
  for (const lineCount of lineCounts) {
    const prepare = async () => {
      const content = `content ${made.length}\n`.repeat(lineCount);
      made.push(content);
      a.world.write("content.txt", content);
      await before(content);
    };
    await prepare();
    const all = await stepsOf(a, args);
    const words = all.map(({ name, count }) => `${name} ${count}`);
    const steps = ROUNDS > 1 ? all : all.slice(words.findIndex((word, at) => word !== last[at]));
    last = words;
    assert(steps.length >= 8, words.join());
    let killed = 0;
    for (const { name, count } of steps) {
      await prepare();
      const options = `-o /dev/null -e trace=${name} -e inject=${name}:signal=KILL:when=${count}`;
      if (await traced(a, args, options) !== 0) killed++;
      const { code, text, stderr } = await a.run(["sync", "--wait"]);
      assertEquals(code, 0, `killed at ${name} ${count}: ${text}${stderr}`);
    }
    assert(killed >= steps.length / 3, `${killed} of ${steps.length} were killed`);
    if (ROUNDS > 1) console.log(`${killed} killed`);
  }
  const { fds } = await b.answer(["ls", "--all"]) as { fds: { fd: string; state: string }[] };
  const { code, stderr } = await b.world.shell("fdtool export --all | tar -x", { env: b.env });
  assertEquals(code, 0, stderr);
  const contents = fds.map(({ fd }) => b.world.text(`fdtool-export/fd/${fd.slice(3)}`));
  for (const content of contents) {
    assert(made.some((each) => each.startsWith(content)), content.slice(0, 100));
  }
  const whole = contents.filter((content) => made.includes(content)).sort();
  assertEquals(whole, [...new Set(whole)], "nothing is shared twice");
  assertEquals((await a.run(["verify"])).code, 0);
}

for (let round = 0; isTraced && round < ROUNDS; round++) {
  // The second is more than the MiB that is inside an fd's object.
  sharedTest("killed at each step of a capture of 1 line and of 110000, nothing is stuck", async (world) => {
    await world.a.capture("");
    await killAtEachStep(world, "capture --always --preview none", [1, 110_000]);
  });
  sharedTest("killed at each step of sharing later, nothing is stuck", async (world) => {
    const captureUnshared = async (content: string) => {
      world.proxy.fault = () => ({ kind: "refused", status: 503, code: "SlowDown" });
      const env = { FDTOOL_UPLOAD_WAIT: "1ms" };
      await world.a.run(["capture", "--always", "--preview", "none"], { stdin: content, env });
      world.proxy.fault = () => undefined;
    };
    await world.a.capture("");
    // The first starts a process that shares what waits; the next of those is started much later.
    await captureUnshared("");
    assertEquals((await world.a.run(["sync", "--wait"])).code, 0);
    await killAtEachStep(world, "sync", [1], captureUnshared);
  });
}
