// Promise: a file is stored whole, even if a signal interrupts a read.

import { assertEquals } from "@std/assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { putFile } from "./put_file.ts";
import { readSlice, readWhole } from "../slices/read_slice.ts";

Deno.test("storing a file survives a read interrupted by a signal", () => {
  using world = temporaryStore();
  const path = join(world.dir, "f");
  const content = "line\n".repeat(40_000);
  writeFileSync(path, content);
  const real = disk.read;
  let callCount = 0;
  disk.read = ((...parameters: Parameters<typeof real>) => {
    if (callCount++ % 2 === 0) throw Object.assign(new Error("EINTR"), { code: "EINTR" });
    return real(...parameters);
  }) as typeof real;
  try {
    const entry = putFile(world.store, path, { source: "test" });
    disk.read = real;
    const stored = readWhole(readSlice(world.store, entry, { fromByte: 0, toByte: entry.byteCount }));
    assertEquals(new TextDecoder().decode(stored), content);
  } finally {
    disk.read = real;
  }
});
