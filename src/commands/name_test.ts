// Promise: the last binding of a name wins, and the old one is reported (contract, The store).

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { findFd, putBytes, removeFd } from "../../fd/mod.ts";
import { inWorld } from "../../tests/command_world.ts";
import type { Command } from "../calls/terms/command.ts";
import { command as name } from "./name.ts";
import { readCommand } from "./read.ts";
import { command as refs } from "./refs.ts";
import { command as search } from "./search.ts";

Deno.test("a name moves from one fd to another, and refs follows it", () =>
  inWorld(async (world) => {
    for (const text of ["one", "two\n2"]) putBytes(world.store, Buffer.from(text), { source: text });
    const first = await world.run(name, "fd:1", "build");
    const second = await world.run(name, "--name=ref:build", "--fd=2");
    assert(first.answer?.type === "ref_bound" && second.answer?.type === "ref_bound");
    assertEquals(first.answer.message, "ref:build is fd:1.");
    assertEquals(second.answer.message, "ref:build is fd:2; before, it was fd:1.");
    const list = async () => {
      const { answer } = await world.run(refs);
      assert(answer?.type === "ref_list");
      return answer.refs.map(({ created: _, ...ref }) => ref);
    };
    assertEquals(await list(), [{ id: "ref:build", fd: "fd:2", lines: 2, chars: 5 }]);
    await removeFd(world.store, findFd(world.store, "fd:2"), "test");
    assertEquals(await list(), [{ id: "ref:build", fd: "fd:2", lines: 0, chars: 0, state: "removed" }]);
  }));

Deno.test("an extraction that took a name did not tell what it had named", () =>
  inWorld(async ({ store, run }) => {
    putBytes(store, Buffer.from("one\ntwo\n"), { source: "test" });
    const told = async (command: Command, ...words: string[]) => {
      const { answer } = await run(command, "1", ...words, "--extract", "--name", "nn");
      return answer?.type === "fd_extraction" ? [answer.message, answer.previous_fd] : answer;
    };
    assertEquals(await told(readCommand(), "--lines", "1"), [
      "Extracted line 1 of fd:1 to fd:2 as ref:nn (4 chars).",
      undefined,
    ]);
    assertEquals(await told(readCommand(), "--lines", "2"), [
      "Extracted line 2 of fd:1 to fd:3 as ref:nn (was fd:2) (4 chars).",
      "fd:2",
    ]);
    assertEquals(await told(search, "two"), [
      "Extracted 1 matching line of fd:1 (line 2) to fd:4 as ref:nn (was fd:3).",
      "fd:3",
    ]);
  }));
