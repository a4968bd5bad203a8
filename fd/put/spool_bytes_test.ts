// Promise: any part of a spool reads back as added, whatever its size, and no file is left behind.

import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { startSpool } from "./spool_bytes.ts";
import { openFiles } from "../../tests/open_files.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { temporaryPath } from "../store/store_paths.ts";

Deno.test("any part of a small or large spool reads back as added", () => {
  using temporary = temporaryStore();
  for (const pieces of [0, 3, 40]) {
    const added: Buffer[] = [];
    const spool = startSpool(() => temporary.store);
    for (let piece = 0; piece < pieces; piece++) {
      const bytes = Buffer.alloc(60_000 + piece, piece + 1);
      spool.add(bytes);
      added.push(bytes);
    }
    const whole = Buffer.concat(added);
    assertEquals(spool.byteCount, whole.length);
    for (const [from, to] of [[0, 1], [1 / 4, 1 / 2], [1, 1]] as const) {
      const [fromByte, toByte] = [Math.floor(from * whole.length), Math.floor(to * whole.length)];
      const read: Buffer[] = [];
      for (const piece of spool.read(fromByte, toByte)) read.push(Buffer.from(piece));
      assertEquals(Buffer.concat(read).equals(whole.subarray(fromByte, toByte)), true);
    }
    spool.close();
  }
  assertEquals(readdirSync(dirname(temporaryPath(temporary.store.path, "x"))), []);
});

Deno.test("a small spool creates no store", () => {
  const spool = startSpool(() => {
    throw new Error("the store was opened");
  });
  spool.add(Buffer.from("small"));
  assertEquals(Buffer.concat([...spool.read(1, 3)]).toString(), "ma");
  spool.close();
});

Deno.test("a spool whose first write fails leaves no file open", () => {
  using temporary = temporaryStore();
  const { write } = disk;
  const spool = startSpool(() => temporary.store);
  spool.add(Buffer.from("held"));
  try {
    disk.write = (() => {
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    }) as typeof write;
    assertThrows(() => spool.add(Buffer.alloc(2 ** 21)), FdError);
  } finally {
    disk.write = write;
  }
  spool.close();
  assertEquals(openFiles(temporary.dir), []);
});
