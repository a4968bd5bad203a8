// Promise: the kernel that is shipped is the one whose source is here, runs where WebAssembly does, and counts what
// the plain path counts, whatever the bytes in and around the strides.

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { kernelModuleText } from "../scripts/build_kernel.ts";
import { feedLanes, LANE_COUNT, seedLanes } from "./block_sum.ts";
import { countStrides, STRIDE_BYTES } from "./count_strides.ts";
import { loadKernel, type ScanKernel } from "./scan_kernel.ts";

Deno.test("assembling the kernel's source gives the module that is shipped", async () => {
  const shipped = readFileSync(new URL("scan_kernel_wasm.ts", import.meta.url), "utf8");
  equal(await kernelModuleText(), shipped, "run scripts/build-kernel");
});

const MEMORY_BYTES = 65_536;
const COUNTS_ADDRESS = 1024;
const STRIDES_ADDRESS = 4096;

function kernelOfThisRuntime(): ScanKernel {
  const kernel = loadKernel(MEMORY_BYTES);
  ok(kernel, "the kernel does not load here, so these tests would test nothing");
  return kernel;
}

/** Counts and lanes after counting `strideCount` strides of `bytes`, by the kernel and by the plain path. */
function countBothWays(kernel: ScanKernel, bytes: Uint8Array, strideCount: number): [unknown, unknown] {
  return [true, false].map((byKernel) => {
    const buffer = byKernel ? kernel.memory : new ArrayBuffer(MEMORY_BYTES);
    const memory = {
      bytes: Buffer.from(buffer),
      words: new Int32Array(buffer),
      counts: new Int32Array(buffer, COUNTS_ADDRESS, strideCount),
    };
    const lanes = new Int32Array(buffer, 0, LANE_COUNT);
    memory.bytes.fill(0).set(bytes, STRIDES_ADDRESS - 3);
    seedLanes(lanes);
    if (byKernel) kernel.count(STRIDES_ADDRESS, strideCount, COUNTS_ADDRESS);
    else {
      countStrides(memory, STRIDES_ADDRESS, strideCount);
      const firstWord = STRIDES_ADDRESS / 4;
      feedLanes(lanes, memory.words, firstWord, firstWord + strideCount * STRIDE_BYTES / 4);
    }
    return { counts: [...memory.counts], lanes: [...lanes] };
  }) as [unknown, unknown];
}

/** Content made of sequences of UTF-8 that are whole, cut off, too long or not allowed, in a mix that a seed decides. */
function sequences(seed: number, length: number, wellFormedShare: number): Uint8Array {
  let state = seed | 1;
  const random = (below: number) => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d);
    state ^= state << 7;
    return (state >>> 8) % below;
  };
  const good = ["a", "\n", "é", "Ж", "漢", "字", "ก", "한", "힣", "ﬁ", "😀", "\u{10fffd}", "\0", "\ufeff"];
  const bad = [[0x80], [0xbf, 0x80], [0xc0, 0x80], [0xc2], [0xe0, 0x80, 0x80], [0xe0, 0xa0], [0xe2, 0x82], [
    0xed,
    0xa0,
  ]];
  bad.push([0xed, 0xbf, 0x80], [0xf0, 0x80], [0xf0, 0x90, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf1, 0x80], [
    0xf5,
  ], [0xff]);
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  while (bytes.length < length) {
    const part = random(1000) < wellFormedShare
      ? encoder.encode(good[random(good.length)])
      : bad[random(bad.length)]!;
    bytes.push(...part);
  }
  return Uint8Array.from(bytes.slice(0, length));
}

Deno.test("the kernel counts and sums what the plain path counts and sums", () => {
  const kernel = kernelOfThisRuntime();
  fc.assert(
    fc.property(
      fc.integer(),
      fc.integer({ min: 1, max: 128 }),
      fc.constantFrom(0, 500, 900, 990, 999, 1000),
      (seed, strideCount, wellFormedShare) => {
        // 3 bytes before the strides and 3 after them, too.
        const bytes = sequences(seed, strideCount * STRIDE_BYTES + 6, wellFormedShare);
        const [byKernel, plain] = countBothWays(kernel, bytes, strideCount);
        deepStrictEqual(byKernel, plain);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("the kernel sees what any two bytes before a stride begin", () => {
  const kernel = kernelOfThisRuntime();
  const borders = [
    0x41,
    0x80,
    0x8f,
    0x90,
    0x9f,
    0xa0,
    0xbf,
    0xc1,
    0xc2,
    0xdf,
    0xe0,
    0xe1,
    0xec,
    0xed,
    0xee,
    0xef,
  ];
  borders.push(0xf0, 0xf1, 0xf4, 0xf5, 0xff);
  const bytes = new Uint8Array(3 + 2 * STRIDE_BYTES);
  for (const first of borders) {
    for (const second of borders) {
      for (const third of borders) {
        for (const at of [0, 1, 2, 3 + STRIDE_BYTES - 2]) {
          // The text around is well-formed, so that only these bytes decide how the stride is counted.
          bytes.fill(0x61).set([first, second, third, 0x80], at);
          const [byKernel, plain] = countBothWays(kernel, bytes, 2);
          deepStrictEqual(byKernel, plain, `${first} ${second} ${third} at ${at}`);
        }
      }
    }
  }
});
