// Promise: stat says all that is known, the sha-256 too (contract, The store and 5).

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { deriveFd, findFd, locateSlice, putBytes } from "../../fd/mod.ts";
import { inWorld } from "../../tests/command_world.ts";
import { command } from "./stat.ts";

Deno.test("stat of an extracted fd names its parent and range", () =>
  inWorld(async (world) => {
    const source = putBytes(world.store, Buffer.from("a\nb\nc\n"), {
      source: "run",
      command: ["make", "x"],
      cwd: "/w",
    });
    const slice = locateSlice(world.store, source, { mode: "line", start: 2, count: 2 });
    deriveFd(world.store, findFd(world.store, "fd:1"), slice, {});
    const stat = async (fd: string) => {
      const { answer } = await world.run(command, fd);
      assert(answer?.type === "fd_stat");
      return answer;
    };
    const first = await stat("fd:1");
    assertEquals(first.sha256, createHash("sha256").update("a\nb\nc\n").digest("hex"));
    assertEquals([first.command, first.cwd, first.parent], [["make", "x"], "/w", undefined]);
    const second = await stat("fd:2");
    assertEquals(second.parent, { fd: "fd:1", mode: "line", start: 2, count: 2 });
    assertEquals([second.page_size, second.chars, second.state], [4000, 4, "sealed"]);
  }));
