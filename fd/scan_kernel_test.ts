// Promise: the kernel that is shipped is the one whose source is here, runs where WebAssembly does, and counts what
// the plain path counts, whatever the bytes in and around the strides.

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { kernelModuleText } from "../scripts/build_kernel.ts";
import { seedLanes } from "./block_sum.ts";
import { plainCounter } from "./count_strides.ts";
import { kernelCounter } from "./scan_kernel.ts";
import { addressOfStride, STRIDE_BYTES, type StrideCounter, STRIDES_ADDRESS } from "./stride_memory.ts";
import { charEnd, leadIn } from "./utf8_chars.ts";

Deno.test("assembling the kernel's source gives the module that is shipped", async () => {
  const shipped = readFileSync(new URL("scan_kernel_wasm.ts", import.meta.url), "utf8");
  equal(await kernelModuleText(), shipped, "run scripts/build-kernel");
});

Deno.test("where WebAssembly has no SIMD there is no kernel", async () => {
  const { Module } = WebAssembly;
  class WithoutSimd extends Module {
    constructor() {
      super(Uint8Array.of(0));
    }
  }
  WebAssembly.Module = WithoutSimd;
  try {
    // A module of its own, since a kernel is compiled once.
    const fresh: typeof import("./scan_kernel.ts") = await import(
      `${import.meta.resolve("./scan_kernel.ts")}?fresh`
    );
    equal(fresh.kernelCounter(), undefined);
  } finally {
    WebAssembly.Module = Module;
  }
});

function bothCounters(): { kernel: StrideCounter; plain: StrideCounter } {
  const kernel = kernelCounter();
  ok(kernel, "the kernel does not load here, so these tests would test nothing");
  return { kernel, plain: plainCounter() };
}

/** The totals and lanes after counting `runs` of strides. The first of `bytes` stand 3 before the first stride. */
function count(counter: StrideCounter, bytes: Uint8Array, runs: number[]): unknown {
  const { memory } = counter;
  memory.bytes.fill(0, STRIDES_ADDRESS - 64, STRIDES_ADDRESS + bytes.length + 64);
  memory.bytes.set(bytes, STRIDES_ADDRESS - 3);
  seedLanes(memory.lanes);
  let done = 0;
  for (const run of runs) {
    counter.count(done, run);
    done += run;
  }
  return { totals: [...memory.totals.subarray(0, 2 * (done + 1))], lanes: [...memory.lanes] };
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

const wellFormedShares = fc.constantFrom(0, 500, 900, 990, 999, 1000);

Deno.test("the kernel counts and sums what plain code counts and sums", () => {
  const { kernel, plain } = bothCounters();
  const runs = fc.array(fc.integer({ min: 1, max: 128 }), { minLength: 1, maxLength: 2 });
  fc.assert(
    fc.property(fc.integer(), runs, wellFormedShares, (seed, runs, wellFormedShare) => {
      const strideCount = runs.reduce((sum, run) => sum + run, 0);
      // 3 bytes before the strides and 3 after them, too.
      const bytes = sequences(seed, strideCount * STRIDE_BYTES + 6, wellFormedShare);
      deepStrictEqual(count(kernel, bytes, runs), count(plain, bytes, runs));
    }),
    { numRuns: 300 },
  );
});

Deno.test("the kernel sees what any three bytes around the start of a stride begin", () => {
  const { kernel, plain } = bothCounters();
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
        for (const at of [0, 1, 2, STRIDE_BYTES + 1]) {
          // The text around is well-formed, so that only these bytes decide how the stride is counted.
          bytes.fill(0x61).set([first, second, third, 0x80], at);
          const where = `${first} ${second} ${third} at ${at}`;
          deepStrictEqual(count(kernel, bytes, [2]), count(plain, bytes, [2]), where);
        }
      }
    }
  }
});

Deno.test("the kernel finds LFs and chars where plain code finds them", () => {
  const { kernel, plain } = bothCounters();
  const end = addressOfStride(4);
  fc.assert(
    fc.property(fc.integer(), wellFormedShares, fc.nat(), fc.nat(), fc.nat(), (seed, share, a, b, c) => {
      const content = sequences(seed, 4 * STRIDE_BYTES, share);
      for (const { memory } of [kernel, plain]) memory.bytes.fill(10).set(content, STRIDES_ADDRESS);
      const from = STRIDES_ADDRESS + a % (4 * STRIDE_BYTES);
      const to = from + b % (end - from + 1);
      equal(kernel.lastLineFeed(from, to), plain.lastLineFeed(from, to));
      const start = from + leadIn(plain.memory.bytes, from, STRIDES_ADDRESS);
      if (start >= to) return;
      equal(kernel.countCharStarts(start, to), plain.countCharStarts(start, to));
      const charCount = c % (to - start + 2);
      equal(kernel.skipChars(start, to, charCount), plain.skipChars(start, to, charCount));
      equal(kernel.skipChars(start, to, 1), charEnd(plain.memory.bytes, start, to));
    }),
    { numRuns: 3000 },
  );
});
