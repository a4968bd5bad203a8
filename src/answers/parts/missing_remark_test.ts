// Promise: every view of an fd reports what a size limit dropped and what a dead writer did not write, in words and in
// fields (contract, law 7).

import { assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { beginPut, putBytes, type Store } from "../../../fd/mod.ts";
import { inWorld, type World } from "../../../tests/command_world.ts";
import type { Command } from "../../calls/terms/command.ts";
import { command as ls } from "../../commands/ls.ts";
import { readCommand } from "../../commands/read.ts";
import { command as search } from "../../commands/search.ts";
import { command as toFile } from "../../commands/to_file.ts";

const LINES = Array.from({ length: 2000 }, (_, index) => `${index + 1}\n`).join("");
const CAP = 1000;
const DROPPED = LINES.length - CAP;
const GAP = { state: undefined, dropped_bytes: DROPPED, gap_at_byte: CAP / 2 };
const GAP_SAID = `fd:1 is missing ${DROPPED} bytes after byte 500 (size limit).`;

function putCapped(store: Store): void {
  putBytes(store, Buffer.from(LINES), { source: "test", maxBytes: CAP });
}

/** The message of a call's answer, and its fields about missing content. */
async function shown(world: World, command: Command, ...words: string[]) {
  const { answer } = await world.run(command, ...words);
  const { message, state, dropped_bytes, gap_at_byte } = answer as unknown as Record<string, unknown>;
  return { message, missing: { state, dropped_bytes, gap_at_byte } };
}

Deno.test("a search of a capped fd reports the gap, also without a match", () =>
  inWorld(async (world) => {
    putCapped(world.store);
    const none = { message: `No matches. ${GAP_SAID}`, missing: GAP };
    assertEquals(await shown(world, search, "1", "^1000$"), none);
    assertEquals(await shown(world, search, "1", "^1000$", "--extract"), none);
    assertEquals(await shown(world, search, "1", "^[12]$"), { message: GAP_SAID, missing: GAP });
    const counted = { message: `2 matching lines. ${GAP_SAID}`, missing: GAP };
    assertEquals(await shown(world, search, "1", "^[12]$", "--count"), counted);
    const extracted = `Extracted 2 matching lines of fd:1 (lines 1, 2) to fd:2. ${GAP_SAID}`;
    assertEquals(await shown(world, search, "1", "^[12]$", "--extract"), {
      message: extracted,
      missing: GAP,
    });
  }));

Deno.test("to-file and --extract report the gap of a capped fd, and only if it is in the part", () =>
  inWorld(async (world) => {
    putCapped(world.store);
    const path = join(world.store.path, "..", "out");
    assertEquals(await shown(world, toFile, "1", path), {
      message: `Wrote fd:1 (1000 chars) to ${path}. ${GAP_SAID}`,
      missing: GAP,
    });
    assertEquals(await shown(world, readCommand(), "1", "--all", "--extract"), {
      message: `Extracted all of it of fd:1 to fd:2 (1000 chars). ${GAP_SAID}`,
      missing: GAP,
    });
    const nothing = { state: undefined, dropped_bytes: undefined, gap_at_byte: undefined };
    const head = ["1", "--lines", "1-9"];
    assertEquals((await shown(world, readCommand(), ...head, "--extract")).missing, nothing);
    assertEquals((await shown(world, toFile, ...head.toSpliced(1, 0, `${path}.head`))).missing, nothing);
    assertEquals((await shown(world, readCommand(), "1", "--chars", "499-600", "--extract")).missing, GAP);
  }));

Deno.test("ls reports the gap of a capped fd", () =>
  inWorld(async (world) => {
    putCapped(world.store);
    putBytes(world.store, Buffer.from("whole"), { source: "test" });
    const { answer } = await world.run(ls);
    const fds = answer?.type === "fd_list" ? answer.fds : [];
    assertEquals(fds.map((fd) => [fd.dropped_bytes, fd.gap_at_byte]), [[DROPPED, 500], [
      undefined,
      undefined,
    ]]);
  }));

Deno.test("search, to-file and --extract report an incomplete fd", () =>
  inWorld(async (world) => {
    const put = beginPut(world.store, { source: "test" });
    put.write(Buffer.from("one\ntwo"));
    put.seal({ incomplete: true });
    const said = "fd:1 is incomplete: its writer did not finish; it has 7 bytes.";
    const missing = { state: "incomplete", dropped_bytes: undefined, gap_at_byte: undefined };
    const path = join(world.store.path, "..", "out");
    assertEquals(await shown(world, search, "1", "three"), { message: `No matches. ${said}`, missing });
    assertEquals(await shown(world, search, "1", "o", "--count"), {
      message: `2 matching lines. ${said}`,
      missing,
    });
    assertEquals(await shown(world, readCommand(), "1", "--all", "--extract"), {
      message: `Extracted all of it of fd:1 to fd:2 (7 chars). ${said}`,
      missing,
    });
    assertEquals(await shown(world, toFile, "1", path), {
      message: `Wrote fd:1 (7 chars) to ${path}. ${said}`,
      missing,
    });
  }));
