// Promise: what gc removed, it lists; a dry run removes nothing (contract, The store).

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { listFds, putBytes } from "../../fd/mod.ts";
import { inWorld, type World } from "../../tests/command_world.ts";
import { nextLine } from "../../tests/sample_answers.ts";
import { command } from "./gc.ts";

Deno.test("a store over its quota loses the oldest, after saying so", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two", "three"]) putBytes(world.store, Buffer.from(text), { source: text });
    const clean = async ({ run }: World, ...words: string[]) => {
      const { answer } = await run(command, ...words);
      assert(answer?.type === "fd_gc");
      return answer;
    };
    world.env["FDTOOL_QUOTA"] = "8";
    const removed = [{ fd: "fd:1", bytes: 3, source: "one", why: "over the store's quota" }];
    const dry = await clean(world, "--dry-run");
    assertEquals([dry.facts["removed"], nextLine(dry.next)], [removed, "fdtool gc"]);
    assertEquals(listFds(world.store).length, 3);
    const done = await clean(world);
    assertEquals([done.facts["removed"], done.facts["bytes_after"]], [removed, 8]);
    assertEquals(listFds(world.store).map(({ id }) => id), [2, 3]);
  }));
