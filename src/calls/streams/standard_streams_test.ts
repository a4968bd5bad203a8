// Promise: all bytes are written in order through short writes, full pipes and interruptions. A closed pipe ends
// writing without an error.

import { assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { streamCalls, writeChunks } from "./standard_streams.ts";

/** Writes `chunks` to a stream that answers each write with the next entry of `plan`: a byte count or an error code. */
function written(chunks: Iterable<Uint8Array>, plan: (number | string)[]): { out: Buffer; done: boolean } {
  const kept: Uint8Array[] = [];
  const real = streamCalls.write;
  streamCalls.write = ((_: number, bytes: Uint8Array, byteOffset: number, byteLength: number) => {
    const answer = plan.shift() ?? byteLength;
    if (typeof answer === "string") throw Object.assign(new Error(answer), { code: answer });
    const taken = Math.min(answer, byteLength);
    kept.push(Buffer.from(bytes.subarray(byteOffset, byteOffset + taken)));
    return taken;
  }) as typeof real;
  try {
    return { done: writeChunks(1, chunks), out: Buffer.concat(kept) };
  } finally {
    streamCalls.write = real;
  }
}

Deno.test("all bytes arrive in order whatever the stream does", () => {
  const chunk = fc.oneof(fc.uint8Array({ maxLength: 50 }), fc.constant(new Uint8Array(70_000).fill(7)));
  const trouble = fc.oneof(fc.nat(100_000), fc.constantFrom("EAGAIN", "EINTR"));
  fc.assert(
    fc.property(fc.array(chunk), fc.array(trouble, { maxLength: 8 }), (chunks, plan) => {
      const { out, done } = written(chunks, plan);
      assertEquals(done, true);
      assertEquals(out.equals(Buffer.concat(chunks)), true);
    }),
    { numRuns: 50 },
  );
});

Deno.test("a source may reuse a chunk's memory for the next chunk", () => {
  function* reused() {
    const memory = new Uint8Array(1);
    for (memory[0] = 1; memory[0] < 5; memory[0]++) yield memory;
  }
  assertEquals([...written(reused(), []).out], [1, 2, 3, 4]);
});

Deno.test("a closed pipe stops the source without an error", () => {
  let made = 0;
  function* endless() {
    for (; made < 100; made++) yield new Uint8Array(65_536);
  }
  assertEquals(written(endless(), ["EPIPE"]).done, false);
  assertEquals(made, 0);
});

Deno.test("any other error is thrown", () => {
  assertThrows(() => written([new Uint8Array(1)], ["ENOSPC"]), Error, "ENOSPC");
});

Deno.test("short answers are one write", () => {
  const writes: number[] = [];
  const real = streamCalls.write;
  streamCalls.write = ((...[, , , byteLength]: number[]) => {
    writes.push(byteLength!);
    return byteLength!;
  }) as unknown as typeof real;
  try {
    writeChunks(1, [Buffer.from("<a>"), Buffer.from("body"), Buffer.from("</a>")]);
  } finally {
    streamCalls.write = real;
  }
  assertEquals(writes, [11]);
});
