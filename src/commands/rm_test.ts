// Promise: rm gives each argument its own verdict, and removed fds stay known (contract, The store).

import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { findFd, putBytes } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { inWorld } from "../../tests/command_world.ts";
import { command } from "./rm.ts";

Deno.test("an fd that is asked for in several spellings is removed once, and none is reported as kept", () =>
  inWorld(async (world) => {
    putBytes(world.store, Buffer.from("one"), { source: "one", names: ["a", "b"] });
    const { exitCode, answer } = await world.run(command, "fd:1", "1", "ref:a", "ref:b");
    assertEquals(exitCode, 0);
    assertEquals(answer?.type === "fd_removed" && answer.message, "Removed 1 fd (3 bytes).");
    const again = await world.run(command, "1", "fd:1", "ref:a");
    assertEquals(again.exitCode, 1);
    assertEquals(again.answer?.type === "fd_removed" && again.answer.facts["kept"], [{
      fd: "fd:1",
      error: "removed",
    }]);
  }));

Deno.test("several are removed, the missing one is reported, and the exit code says so", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two"]) putBytes(world.store, Buffer.from(text), { source: text });
    const { exitCode, answer } = await world.run(command, "fd:1", "9", "2", "2");
    assertEquals(exitCode, 1);
    assertEquals(
      answer?.type === "fd_removed" && answer.message,
      "Removed 2 fds (6 bytes); 1 could not be removed.",
    );
    assertEquals(answer?.type === "fd_removed" && answer.facts["kept"], [{ fd: "fd:9", error: "not_found" }]);
    const failure = await assertRejects(async () => await world.run(command, "fd:1"), FdError);
    assertEquals(failure.failure.kind, "removed");
    try {
      findFd(world.store, "fd:2");
    } catch (thrown) {
      assertEquals(thrown instanceof FdError && thrown.failure.kind, "removed");
    }
  }));

Deno.test("an fd that was given twice, with and without fd:, is not reported as one that could not be removed", () =>
  inWorld(async (world) => {
    putBytes(world.store, Buffer.from("one"), { source: "test" });
    const { exitCode, answer } = await world.run(command, "1", "fd:1");
    assertEquals([exitCode, answer?.type === "fd_removed" && answer.message], [0, "Removed 1 fd (3 bytes)."]);
  }));
