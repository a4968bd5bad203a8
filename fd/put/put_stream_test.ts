// Promise: an error thrown by the source is thrown on, even if the disk fails at that moment (docs/decisions.md,
// Library).

import { assertEquals, assertRejects } from "@std/assert";
import { temporaryStore } from "../../tests/temporary_store.ts";
import { disk } from "../disk/disk.ts";
import { findFd } from "../records/find_fd.ts";
import { putStream } from "./put_stream.ts";

Deno.test("a source's own error is thrown on while the disk is full", async () => {
  using world = temporaryStore();
  const { write } = disk;
  let isFull = false;
  disk.write = ((...parameters: Parameters<typeof write>) => {
    if (isFull) throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    return write(...parameters);
  }) as typeof write;
  async function* source(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("what came\n");
    isFull = true;
    await Promise.resolve();
    throw new RangeError("the source broke");
  }
  try {
    await assertRejects(
      () => putStream(world.store, source(), { source: "test" }),
      RangeError,
      "the source broke",
    );
  } finally {
    disk.write = write;
  }
  assertEquals(findFd(world.store, "fd:1").byteCount, 10);
});
