// Promise: the kernel runs wherever WebAssembly does, and counts like the plain path, whatever bytes are in and around
// the strides.

import { deepStrictEqual, equal, ok } from "node:assert/strict";
import fc from "fast-check";
import { repeatedTo } from "../../tests/contents.ts";
import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { plainCounter } from "./count_strides.ts";
import type { CountedStrides, OpenPage, StrideCounter } from "./cut_pages.ts";
import { kernelCounter } from "./scan_kernel.ts";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_wasm.ts";
import { addressOfStride, STRIDE_BYTES, STRIDES_ADDRESS } from "./stride_memory.ts";

Deno.test("there is no kernel if WebAssembly has no SIMD", async () => {
  const { Module } = WebAssembly;
  class WithoutSimd extends Module {
    constructor() {
      super(Uint8Array.of(0));
    }
  }
  WebAssembly.Module = WithoutSimd;
  try {
    // A module of its own, since it compiles a kernel once, and tests before may have done so.
    const fresh: typeof import("../bytes/start_kernel.ts") = await import(
      `../bytes/start_kernel.ts?${"without-simd"}`
    );
    equal(fresh.startKernel(SCAN_KERNEL_BASE64, 1), undefined);
  } finally {
    WebAssembly.Module = Module;
  }
});

function bothCounters(): { kernel: StrideCounter; plain: StrideCounter } {
  const kernel = kernelCounter();
  ok(kernel, "the kernel does not load here, so these tests would test nothing");
  return { kernel, plain: plainCounter() };
}

/** Copies `bytes` into the memory; the first 3 go before the first stride. */
function fill({ memory }: StrideCounter, bytes: Uint8Array): void {
  memory.bytes.fill(0, STRIDES_ADDRESS - 64, STRIDES_ADDRESS + bytes.length + 64);
  memory.bytes.set(bytes, STRIDES_ADDRESS - 3);
}

/** Returns the counts and sums if the first stride is stride `strideInBlock` of its block. */
function count(counter: StrideCounter, bytes: Uint8Array, strideCount: number, strideInBlock = 1): unknown {
  const { memory } = counter;
  fill(counter, bytes);
  memory.lanes.forEach((_, lane) => memory.lanes[lane] = 1000 * lane);
  memory.lineFeeds.fill(0);
  memory.leadIns.fill(0);
  memory.blockSums.fill(0);
  memory.controls.fill(0);
  counter.count(strideCount, strideInBlock);
  return {
    totals: [...memory.totals.subarray(0, strideCount + 1)],
    lineFeeds: [...memory.lineFeeds],
    lanes: [...memory.lanes],
    leadIns: [...memory.leadIns],
    blockSums: [...memory.blockSums],
    controls: [...memory.controls],
  };
}

const encoder = new TextEncoder();
const GOOD = ["a", "\n", "é", "Ж", "漢", "字", "ก", "한", "힣", "ﬁ", "😀", "\u{10fffd}", "\0", "\ufeff"]
  .map((char) => [...encoder.encode(char)]);
const BAD = [[0x80], [0xbf, 0x80], [0xc0, 0x80], [0xc2], [0xe0, 0x80, 0x80], [0xe0, 0xa0], [0xe2, 0x82], [
  0xed,
  0xa0,
]];
BAD.push([0xed, 0xbf, 0x80], [0xf0, 0x80], [0xf0, 0x90, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf1, 0x80], [
  0xf5,
], [0xff]);

/** Generates valid, truncated, overlong and invalid UTF-8 sequences in a mix determined by a seed. */
function sequences(seed: number, length: number, wellFormedShare: number): Uint8Array {
  let state = seed | 1;
  const random = (below: number) => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d);
    state ^= state << 7;
    return (state >>> 8) % below;
  };
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const kind = random(1000) < wellFormedShare ? GOOD : BAD;
    for (const byte of kind[random(kind.length)]!) bytes[at++] = byte;
  }
  return bytes;
}

const wellFormedShares = fc.constantFrom(0, 500, 900, 990, 999, 1000);

Deno.test("the kernel counts and sums like plain code", () => {
  const { kernel, plain } = bothCounters();
  const strideCounts = fc.integer({ min: 1, max: 256 });
  const stridesInBlock = fc.integer({ min: 0, max: 127 });
  fc.assert(
    fc.property(
      fc.integer(),
      strideCounts,
      stridesInBlock,
      wellFormedShares,
      (seed, strideCount, inBlock, share) => {
        // Includes 3 bytes before the strides and 3 after them.
        const bytes = sequences(seed, strideCount * STRIDE_BYTES + 6, share);
        deepStrictEqual(
          count(kernel, bytes, strideCount, inBlock),
          count(plain, bytes, strideCount, inBlock),
        );
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("the kernel counts like plain code for any three bytes around the start of a stride", () => {
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
          // The surrounding text is well-formed, so that only these bytes decide how the stride is counted.
          bytes.fill(0x61).set([first, second, third, 0x80], at);
          const where = `${first} ${second} ${third} at ${at}`;
          deepStrictEqual(count(kernel, bytes, 2), count(plain, bytes, 2), where);
        }
      }
    }
  }
});

Deno.test("the kernel and plain code find a control character in any place", () => {
  const { kernel, plain } = bothCounters();
  const strideCount = 6;
  const inBlock = 126;
  const text = [..."ab\tc\n~ \u00a0é漢😀\uffff"].map((char) => [...new TextEncoder().encode(char)]);
  const parts = fc.array(fc.constantFrom(...text, [0xc2], [0x9b], [0xff], [0x9f]), {
    minLength: 1,
    maxLength: 40,
  });
  const controls = fc.constantFrom([0], [8], [0x0b], [0x0d], [0x1b], [0x1f], [0x7f], [0xc2, 0x80], [
    0xc2,
    0x9f,
  ], []);
  const place = fc.oneof(
    fc.nat(strideCount * STRIDE_BYTES + 3),
    fc.constantFrom(0, 1, 2, 3, 2 * STRIDE_BYTES + 1, 2 * STRIDE_BYTES + 2),
  );
  fc.assert(
    fc.property(parts, controls, place, (some, control, at) => {
      const unit = some.flat();
      const bytes = repeatedTo(strideCount * STRIDE_BYTES + 6, Uint8Array.from(unit));
      bytes.set(control, at);
      const isControl = (end: number) =>
        bytes[end]! < 0x20 && bytes[end] !== 9 && bytes[end] !== 10 || bytes[end] === 0x7f ||
        bytes[end - 1] === 0xc2 && bytes[end]! >= 0x80 && bytes[end]! < 0xa0;
      const hasControl = (from: number, to: number) => {
        while (from < to && !isControl(from)) from++;
        return from < to ? 1 : 0;
      };
      const border = 3 + (128 - inBlock) * STRIDE_BYTES;
      const wanted = [hasControl(3, border), hasControl(border, bytes.length - 3), 0];
      for (const counter of [kernel, plain]) {
        count(counter, bytes, strideCount, inBlock);
        deepStrictEqual([...counter.memory.controls], wanted);
      }
    }),
    { numRuns: 1200 },
  );
});

/** Counts strides and cuts their pages; returns the reported pages and the state afterwards. */
function cut(counter: StrideCounter, bytes: Uint8Array, open: OpenPage, strides: CountedStrides): unknown {
  fill(counter, bytes);
  counter.count(strides.strideCount, 0);
  const page = { ...open };
  const reported: number[][] = [];
  const firstBlock = Math.ceil(open.start / BLOCK_BYTES) * BLOCK_BYTES;
  counter.cutPages(page, strides, firstBlock, (...ended) => reported.push(ended));
  const { number, start, limitChar, lineFeedByte, lineFeedNextChar } = page;
  const lineFeed = lineFeedByte >= start ? [lineFeedByte, lineFeedNextChar] : undefined;
  return { reported, number, start, limitChar, lineFeed };
}

Deno.test("the kernel ends pages like plain code, at any offset", () => {
  const { kernel, plain } = bothCounters();
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.integer(),
        share: wellFormedShares,
        withoutLineFeeds: fc.boolean(),
        strideCount: fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 12 }) }, {
          weight: 1,
          arbitrary: fc.constantFrom(128, 255, 256),
        }),
        byteOffset: fc.constantFrom(0, STRIDE_BYTES, 2 ** 31, 2 ** 33 - 7 * STRIDE_BYTES, 2 ** 45),
        pageSize: fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.constantFrom(255, 256, 257, 16_777_216)),
        /** Size of the page so far, before the strides. */
        progress: fc.nat(2999),
        lineFeedBack: fc.option(fc.nat(2999), { nil: undefined }),
      }),
      ({ seed, share, withoutLineFeeds, strideCount, byteOffset, pageSize, progress, lineFeedBack }) => {
        const bytes = sequences(seed, strideCount * STRIDE_BYTES + 6, share);
        if (withoutLineFeeds) bytes.forEach((byte, at) => bytes[at] = byte === 10 ? 0x61 : byte);
        const before = Math.min(progress % pageSize, byteOffset);
        // All single bytes, except for the content's own chars.
        const page: OpenPage = {
          pageSize,
          number: 7,
          start: byteOffset - before,
          limitChar: byteOffset - before + pageSize,
          lineFeedByte: lineFeedBack === undefined ? -1 : byteOffset - 1 - Math.min(lineFeedBack, byteOffset),
          lineFeedNextChar: lineFeedBack === undefined ? 0 : byteOffset - Math.min(lineFeedBack, byteOffset),
        };
        const strides = {
          strideCount,
          endAddress: addressOfStride(strideCount),
          byteOffset,
          charsBefore: byteOffset,
        };
        deepStrictEqual(cut(kernel, bytes, page, strides), cut(plain, bytes, page, strides));
      },
    ),
    { numRuns: 400 },
  );
});
