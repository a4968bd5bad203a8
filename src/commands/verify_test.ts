// Promise: verify finds damage and says so by its exit code; remains of a removal are not damage (contract, Commands).

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { bindName, findFd, putBytes, removeFd } from "../../fd/mod.ts";
import { damageContent } from "../../tests/temporary_store.ts";
import { inWorld } from "../../tests/command_world.ts";
import { command } from "./verify.ts";

Deno.test("a flipped byte is damage, a name whose fd was removed is not", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two"]) putBytes(world.store, Buffer.from(text), { source: text });
    bindName(world.store, "gone", 1);
    await removeFd(world.store, findFd(world.store, "fd:1"), "test");
    const healthy = await world.run(command);
    assert(healthy.answer?.type === "fd_verify");
    assertEquals([healthy.exitCode, healthy.answer.facts["ok"]], [0, true]);
    damageContent(findFd(world.store, "fd:2"));
    const damaged = await world.run(command, "--repair");
    assert(damaged.answer?.type === "fd_verify");
    assertEquals([damaged.exitCode, damaged.answer.facts["damaged"]], [1, 1]);
  }));
