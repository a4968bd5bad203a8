// Promise: the block sum matches FORMAT.md and detects damage.

import { deepStrictEqual, notStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { startScan } from "../index/scan_text.ts";
import { BLOCK_BYTES, blockSum, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "./block_sum.ts";

/** Computes FORMAT.md's definition with unlimited integers. */
function sumByTheBook(bytes: Uint8Array): number {
  const modulus = 1n << 32n;
  const rotate = (x: bigint, by: bigint) => (x << by | x >> 32n - by) % modulus;
  const padded = new DataView(new ArrayBuffer(Math.ceil(bytes.length / 128) * 128));
  bytes.forEach((byte, at) => padded.setUint8(at, byte));
  const lanes = Array.from({ length: 32 }, (_, lane) => 0x9e3779b1n * BigInt(lane + 1) % modulus);
  for (let row = 0; row < padded.byteLength; row += 128) {
    for (let lane = 0; lane < 32; lane++) lanes[lane]! ^= BigInt(padded.getUint32(row + 4 * lane, true));
    for (const column of [0, 1, 2, 3, 16, 17, 18, 19]) {
      const [a, b, c, d] = [0, 4, 8, 12].map((further) => lanes[column + further]!) as [
        bigint,
        bigint,
        bigint,
        bigint,
      ];
      const all = a ^ b ^ c ^ d;
      const mixed = (all ^ all << 1n) % modulus;
      [b, c, d, mixed ^ mixed >> 3n].forEach((lane, place) => lanes[column + 4 * place] = lane);
    }
  }
  let sum = BigInt(bytes.length);
  for (const lane of lanes) sum = rotate(sum ^ lane, 17n) * 0xc2b2ae3dn % modulus;
  sum ^= sum >> 15n;
  sum = sum * 0x85ebca77n % modulus;
  sum ^= sum >> 13n;
  return Number(sum);
}

Deno.test("the sum matches FORMAT.md for any bytes at any address", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 7 }), (bytes, skip) => {
      const elsewhere = new Uint8Array(bytes.length + skip);
      elsewhere.set(bytes, skip);
      deepStrictEqual(blockSum(elsewhere.subarray(skip)), sumByTheBook(bytes));
    }),
    { numRuns: 200 },
  );
});

Deno.test("known sums do not change, since stores on disk contain them", () => {
  deepStrictEqual(blockSum(new Uint8Array()), sumByTheBook(new Uint8Array()));
  deepStrictEqual(blockSum(new TextEncoder().encode("hello\n")), 2_116_530_148);
  deepStrictEqual(blockSum(Uint8Array.from({ length: 32_768 }, (_, at) => at % 251)), 1038028985);
});

Deno.test("a pass that has ended sums long bytes in its kernel, to the same sum", () => {
  const scan = startScan({ pageSize: 4000, onEntry() {}, kernelFrom: 0 });
  scan.window().fill(0x61, 0, 512);
  scan.accept(512);
  scan.end();
  fc.assert(
    fc.property(fc.integer({ min: 4000, max: BLOCK_BYTES + 200 }), fc.nat(), (length, seed) => {
      const bytes = Uint8Array.from({ length }, (_, at) => Math.imul(at + seed, 0x9e3779b1) >>> 24);
      deepStrictEqual(blockSum(bytes), sumByTheBook(bytes));
    }),
    { numRuns: 12, examples: [[BLOCK_BYTES, 1], [BLOCK_BYTES - 256, 1], [BLOCK_BYTES - 1, 1]] },
  );
});

Deno.test("lanes fed incrementally give the same sum", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1280, maxLength: 1280 }), fc.nat({ max: 10 }), (bytes, cut) => {
      const words = new Int32Array(bytes.slice().buffer);
      const lanes = new Int32Array(LANE_COUNT);
      seedLanes(lanes);
      feedLanes(lanes, words, 0, cut * LANE_COUNT);
      feedLanes(lanes, words, cut * LANE_COUNT, words.length);
      deepStrictEqual(finishLanes(lanes, bytes.length), blockSum(bytes));
    }),
  );
});

Deno.test("changing one byte changes the sum", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (bytes, a, flip) => {
        const damaged = bytes.slice();
        damaged[a % bytes.length]! ^= flip;
        notStrictEqual(blockSum(damaged), blockSum(bytes));
      },
    ),
  );
});

Deno.test("the length distinguishes trailing zeros", () => {
  notStrictEqual(blockSum(new Uint8Array(127)), blockSum(new Uint8Array(128)));
});

Deno.test("a repeated byte overwritten by a page of zeros changes the sum", () => {
  const pageBytes = 4096;
  for (let byte = 1; byte < 256; byte++) {
    const bytes = new Uint8Array(2 * pageBytes).fill(byte);
    const damaged = bytes.slice().fill(0, (byte % 2) * pageBytes, (byte % 2 + 1) * pageBytes);
    notStrictEqual(blockSum(damaged), blockSum(bytes), `of ${byte}`);
  }
});

Deno.test("two flipped bits in one column change the sum", () => {
  // Feeding is linear: the effect of a flipped bit on its column depends neither on the column nor on other
  // input. So two flips go undetected only if one of them, some rows later, equals the other. Two flips in
  // one row are two set bits.
  const nothing = new Int32Array(LANE_COUNT);
  for (let place = 0; place < 4; place++) {
    for (let bit = 0; bit < 32; bit++) {
      const lanes = new Int32Array(LANE_COUNT);
      lanes[4 * place] = 1 << bit;
      for (let row = 1; row <= BLOCK_BYTES / (4 * LANE_COUNT); row++) {
        feedLanes(lanes, nothing, 0, LANE_COUNT);
        notStrictEqual(bitCount(lanes), 1, `bit ${bit} of place ${place} is one bit after ${row} rows`);
      }
    }
  }
});

function bitCount(lanes: Int32Array): number {
  let count = 0;
  for (const lane of lanes) {
    for (let rest = lane; rest !== 0; rest &= rest - 1) count++;
  }
  return count;
}
