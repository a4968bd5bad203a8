// Promise: what gc removed, it lists; a dry run removes nothing (contract, The store).

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { findFd, listFds, putBytes } from "../../fd/mod.ts";
import { inWorld, type World } from "../../tests/command_world.ts";
import { nextLine } from "../../tests/sample_answers.ts";
import { command } from "./gc.ts";
import { command as path } from "./path.ts";
import { command as stat } from "./stat.ts";

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

Deno.test("what only a clock that jumped makes too old stays, is counted, and goes when the caller insists", () =>
  inWorld(async ({ run, store }) => {
    putBytes(store, Buffer.from("one"), { source: "one" });
    const { now } = Date;
    Date.now = () => Date.UTC(2100);
    try {
      const { answer } = await run(command);
      assert(answer?.type === "fd_gc");
      assertEquals([answer.facts["removed_count"], answer.facts["doubted_count"]], [0, 1]);
      assertEquals(JSON.stringify(answer.message).includes("trust_clock"), true);
      const insisted = await run(command, "--trust-clock");
      assert(insisted.answer?.type === "fd_gc");
      assertEquals([insisted.answer.facts["removed_count"], insisted.answer.facts["doubted_count"]], [
        1,
        undefined,
      ]);
    } finally {
      Date.now = now;
    }
  }));

Deno.test("gc --pack says what the store takes, a plan what it would take, and path names a plain file", () =>
  inWorld(async ({ run, store }) => {
    const text = "a line of a log\n".repeat(20_000);
    for (let n = 0; n < 2; n++) putBytes(store, Buffer.from(text), { source: "log" });
    const clean = async (...words: string[]) => {
      const { answer } = await run(command, ...words);
      assert(answer?.type === "fd_gc");
      return answer;
    };
    const plan = await clean("--pack", "--plan");
    assertEquals([plan.facts["packed_count"], nextLine(plan.next)], [2, "fdtool gc --pack"]);
    const { facts } = await clean("--pack");
    assertEquals([facts["packed_count"], facts["bytes_after"], facts["disk_bytes_before"]], [
      2,
      2 * text.length,
      2 * text.length,
    ]);
    const { answer: described } = await run(stat, "fd:2");
    assert(described?.type === "fd_stat");
    assertEquals([described.bytes, described.disk_bytes], [text.length, facts["disk_bytes_after"]]);
    assertEquals(Deno.lstatSync(findFd(store, "fd:2").contentPath.replace(".dat", ".pack")).isFile, true);
    const { answer: named } = await run(path, "fd:2");
    assert(named?.type === "fd_path");
    assertEquals(Deno.readTextFileSync(named.path), text);
  }));

Deno.test("the plain file that path makes of small content counts for stat, gc and the quota", () =>
  inWorld(async ({ run, store, env }) => {
    for (const text of ["first", "other"]) putBytes(store, Buffer.from(text), { source: text });
    const diskBytes = async () => {
      const { answer } = await run(stat, "fd:2");
      assert(answer?.type === "fd_stat");
      return answer.disk_bytes;
    };
    assertEquals(await diskBytes(), undefined);
    await run(path, "fd:2");
    assertEquals(await diskBytes(), 10);
    env["FDTOOL_QUOTA"] = "14";
    const { answer } = await run(command);
    assert(answer?.type === "fd_gc");
    const {
      removed_count: removed,
      bytes_before: plain,
      disk_bytes_before: before,
      disk_bytes_after: after,
    } = answer.facts;
    assertEquals([removed, plain, before, after], [1, 10, 15, 10]);
    assertEquals(listFds(store).map(({ id }) => id), [2]);
  }));
