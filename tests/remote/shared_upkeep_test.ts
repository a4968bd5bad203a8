// Promise: on a shared store, --fresh asks for what was seen a moment ago, gc --dry-run removes nothing, doctor says
// what is wrong and how to mend it, and verify finds damage in the cache and on the object store (contract, Shared
// stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname } from "node:path";
import { emptyTest, manyLines, type SharedHost, sharedTest } from "./shared_world.ts";

sharedTest("a removal elsewhere is seen at once with --fresh", async ({ proxy, a, b }) => {
  await a.capture("one\n");
  assertEquals(await a.read("fd:1"), "one\n");
  assertEquals((await b.run(["rm", "fd:1"])).code, 0);
  assertEquals(await a.read("fd:1"), "one\n", "seen less than a minute ago");
  const [identity] = filesIn(a.world.path("cache"), /\/shared\/identity$/);
  Deno.writeTextFileSync(`${dirname(identity!)}/unreachable`, "");
  for (const args of [["read", "fd:1"], ["search", "fd:1", "one"], ["stat", "fd:1"]]) {
    const { code, stderr } = await a.run([...args, "--fresh"]);
    assertEquals(code, 1);
    assertMatch(stderr, /type="removed"/);
  }
  Deno.removeSync(`${dirname(identity!)}/unreachable`);
  assertEquals((await a.capture("two\n"))["fd"], "fd:2");
  proxy.fault = () => ({ kind: "refused", status: 403, code: "AccessDenied" });
  assertEquals((await a.run(["read", "fd:2"])).code, 0);
  assertMatch((await a.run(["--fresh", "read", "fd:2"])).stderr, /type="store_denied"/);
});

emptyTest("gc --dry-run says what gc removes, and removes nothing", async ({ a, b }) => {
  const env = { FDTOOL_QUOTA: "3000", FDTOOL_TTL: "0" };
  for (const letter of ["a", "b", "c"]) {
    await a.answer(["capture", "--always"], { stdin: `${letter.repeat(1500)}\n`, env });
  }
  const planned = await b.answer(["gc", "--dry-run"]);
  assertEquals(planned["dry_run"], true);
  assert(Number(planned["removed_count"]) > 0);
  assertEquals(await b.read("fd:1"), `${"a".repeat(1500)}\n`);
  const done = await b.answer(["gc"]);
  assertEquals(done["removed"], planned["removed"]);
});

interface Found {
  state: string;
  what: string;
  mend?: string;
}

sharedTest("doctor names the store, its rights, what is not shared and the cache", async ({ proxy, a }) => {
  await a.capture("one\n");
  const examine = async () => {
    const { finding } = await a.answer(["doctor"]);
    return (finding as (Found & { about: string })[]).filter(({ about }) => about === "shared store");
  };
  const [access, cache, ...more] = await examine();
  assertMatch(access!.what, /^s3:\/\/.* answers and allows this host to read, list, write, remove$/);
  assertMatch(cache!.what, /^the cache .* has 1 fd \(/);
  assertEquals(more, []);
  proxy.fault = ({ method }) =>
    method === "PUT" ? { kind: "refused", status: 403, code: "AccessDenied" } : undefined;
  await a.capture("two\n");
  const [denied, pending] = await examine();
  assertEquals(denied!.state, "problem");
  assertMatch(denied!.what, /does not let this host write: .*\(allowed: read, list, remove\)/);
  assertMatch(denied!.mend!, /policy/);
  assertMatch(pending!.what, /^1 fd of this host is not shared yet; the oldest, fd:/);
  assertEquals(pending!.mend, "fdtool sync --wait");
});

sharedTest(
  "completion offers what the cache of a shared store has, and asks for nothing",
  async ({ proxy, a }) => {
    const { fd } = await a.capture("one\n", "--name", "log");
    proxy.reset();
    const { text } = await a.run(["completion", "words-zsh", "--", "read", ""]);
    const words = text.trim().split("\n").slice(1).map((line) => line.split("\t")[0]);
    assertEquals(words, ["ref:log", fd]);
    assertEquals(proxy.requests, []);
  },
);

interface Checked {
  ok: boolean;
  fds: number;
  bytes: number;
  finding: { fd?: string; path: string; problem: string; detail: string; repaired: boolean }[];
}

async function verify(host: SharedHost, ...args: string[]): Promise<Checked> {
  return (await host.answer(["verify", ...args])) as unknown as Checked;
}

/** Changes one byte of a file. */
function damage(path: string, at: number): void {
  const bytes = Deno.readFileSync(path);
  bytes[at]! ^= 1;
  Deno.writeFileSync(path, bytes);
}

/** Returns the files below a directory whose paths end with `end`. */
function filesIn(directory: string, end: RegExp): string[] {
  return [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) => {
    const path = `${directory}/${name}`;
    return isDirectory ? filesIn(path, end) : end.test(path) ? [path] : [];
  }).sort();
}

sharedTest("verify drops what is damaged in the cache, and it is fetched again", async ({ a, b }) => {
  const content = manyLines(3 * 2 ** 20);
  await a.capture("one\n");
  await a.capture(content);
  await b.read("fd:1");
  await b.read("fd:2", "--lines", "1-5");
  const cache = b.world.path("cache");
  assertEquals((await verify(b)).finding, [], "holes are not damage");
  const paths = filesIn(cache, /\/(1\.dat|2\.dat|2\.idx)$/);
  assertEquals(paths.length, 3);
  for (const path of paths) damage(path, 2);
  const seen = await verify(b, "--no-repair");
  assertEquals([seen.ok, seen.finding.some(({ repaired }) => repaired)], [false, false]);
  const checked = await verify(b);
  assertEquals(checked.ok, true);
  assertEquals(checked.finding.map(({ fd }) => fd), ["fd:1", "fd:2"], "blocks need their index");
  assert(checked.finding.every(({ repaired, detail }) => repaired && /fetched again$/.test(detail)));
  assertEquals(await b.read("fd:1"), "one\n");
  const { stdout } = await b.run(["read", "fd:2", "--all", "--format", "raw"]);
  assertEquals([stdout.length, (await verify(b)).finding], [content.length, []]);
  damage(filesIn(cache, /\/2\.dat$/)[0]!, 40_000);
  assertMatch((await verify(b)).finding[0]!.detail, /^1 blocks? .*first at byte 32768; dropped/);
});

sharedTest("verify --remote finds damaged, missing and dangling objects", async ({ server, a, b }) => {
  await a.capture("one\n");
  await a.capture(manyLines(20 * 2 ** 20));
  await a.capture("three\n", "--name", "gone");
  await b.read("fd:1");
  const [identity] = filesIn(b.world.path("cache"), /\/shared\/identity$/);
  const killed = `${dirname(dirname(identity!))}/tmp/verify-1-killed`;
  Deno.mkdirSync(`${killed}/v1`, { recursive: true });
  Deno.writeTextFileSync(`${killed}/v1/left`, "");
  Deno.utimeSync(killed, 0, 0);
  const whole = await verify(b, "--remote");
  assertEquals([whole.ok, whole.fds, whole.finding], [true, 3, []]);
  assert(whole.bytes > 20 * 2 ** 20);
  assertEquals(filesIn(b.world.path("cache"), /\/tmp\/verify/), []);
  await a.run(["rm", "fd:3"]);
  assertEquals((await verify(b, "--remote")).finding.map(({ problem }) => problem), ["name_dangling"]);

  const [, second, third] = filesIn(server.directory, /\/v1\/data\/.*\/\d{5}$/);
  damage(second!, 100);
  damage(filesIn(server.directory, /\/v1\/fd\/0*1$/)[0]!, 130);
  const damaged = await verify(b, "--remote");
  assertEquals(damaged.ok, false);
  assertEquals(damaged.finding.map(({ fd, problem }) => [fd, problem]), [
    ["fd:1", "record_damaged"],
    ["fd:2", "content_damaged"],
    ["fd:3", "name_dangling"],
  ]);
  assertMatch(damaged.finding[1]!.path, /^v1\/data\/.*\/00001$/);
  Deno.removeSync(third!);
  const missing = (await verify(b, "--remote")).finding.find(({ fd }) => fd === "fd:2");
  assertEquals(missing!.problem, "content_missing");
  assertMatch(missing!.path, /\/00002$/);
});
