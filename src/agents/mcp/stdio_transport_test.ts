// Promise: while answers wait, little more of the input is read, and none of it is lost.

import { deepStrictEqual, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { lineQueue } from "./stdio_transport.ts";

Deno.test("lines wait while the queue is full, and further ones are not read", async () => {
  let isFull = true;
  const taken: number[] = [];
  const queue = lineQueue(() => isFull, (line) => taken.push(line?.length ?? -1));
  let read = 0;
  let isEnded = false;
  const reading = (async () => {
    for (; read < 100; read++) {
      queue.add(Buffer.alloc(100_000 + read));
      await queue.hasRoom();
    }
    queue.add(undefined);
    await queue.ended();
    isEnded = true;
  })();
  for (let turn = 0; turn < 1000; turn++) await undefined;
  ok(read < 12, `${read} lines of 100,000 bytes`);
  deepStrictEqual([taken, isEnded], [[], false]);
  isFull = false;
  queue.goOn();
  await reading;
  deepStrictEqual(taken, [...Array.from({ length: 100 }, (_, index) => 100_000 + index), -1]);
});
