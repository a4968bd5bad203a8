// Promise: on a shared store, --fresh asks for what was seen a moment ago, gc --dry-run removes nothing, doctor says what is wrong
// and how to mend it, and verify finds damage in the cache and on the object store (contract, Shared stores).

import { assert, assertEquals, assertMatch } from "@std/assert";
import { sharedTest } from "./shared_world.ts";

sharedTest("a removal elsewhere is seen at once with --fresh", async ({ proxy, a, b }) => {
  await a.capture("one\n");
  assertEquals(await a.read("fd:1"), "one\n");
  assertEquals((await b.run(["rm", "fd:1"])).code, 0);
  assertEquals(await a.read("fd:1"), "one\n", "seen less than a minute ago");
  for (const args of [["read", "fd:1"], ["search", "fd:1", "one"], ["stat", "fd:1"]]) {
    const { code, stderr } = await a.run([...args, "--fresh"]);
    assertEquals(code, 1);
    assertMatch(stderr, /type="removed"/);
  }
  await a.capture("two\n");
  proxy.fault = () => ({ kind: "refused", status: 403, code: "AccessDenied" });
  assertEquals((await a.run(["read", "fd:2"])).code, 0);
  assertMatch((await a.run(["--fresh", "read", "fd:2"])).stderr, /type="store_denied"/);
});

sharedTest("gc --dry-run says what gc removes, and removes nothing", async ({ a, b }) => {
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
  const [denied, , pending] = await examine();
  assertEquals(denied!.state, "problem");
  assertMatch(denied!.what, /does not let this host write: .*\(allowed: read, list, remove\)/);
  assertMatch(denied!.mend!, /policy/);
  assertMatch(pending!.what, /^1 fd of this host is not shared yet; the oldest, fd:/);
  assertEquals(pending!.mend, "fdtool sync --wait");
});
