// Promise: with --durable what was stored is on the disk before the answer says so.

import { assert, assertEquals } from "@std/assert";
import { store } from "./store_calls.ts";
import { isTraceable, makeWorld } from "./world.ts";

const ignore = !isTraceable();

async function syncsOf(args: readonly string[], stdin = "line\n".repeat(8000)): Promise<number> {
  using world = makeWorld();
  // The first fd of a store makes its directories, which are synced once.
  await store(world, "first");
  const log = world.path("calls.txt");
  const { code, stderr } = await world.shell(
    `strace -f -y -e trace=fsync,write -o ${log} fdtool ${args.join(" ")}`,
    { stdin },
  );
  assertEquals([code, stderr], [0, ""]);
  const calls = world.text("calls.txt").split("\n");
  const answered = calls.findIndex((call) => call.includes("<fd_result"));
  assert(answered >= 0, "the answer was written");
  return calls.slice(0, answered).filter((call) => /fsync\(.*= 0/.test(call) && call.includes(world.store))
    .length;
}

Deno.test({
  name: "durable: content, record and directory are synced before the answer",
  ignore,
  async fn() {
    assert(await syncsOf(["capture", "--always", "--durable"]) >= 3);
    assert(
      await syncsOf(["capture", "--always", "--durable"], "line\n".repeat(40)) >= 2,
      "one file has both",
    );
  },
});

Deno.test({
  name: "durable: a capture without --durable does not sync",
  ignore,
  fn: async () => assertEquals(await syncsOf(["capture", "--always"]), 0),
});
