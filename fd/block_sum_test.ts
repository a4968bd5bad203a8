// Promise: the block sum is what FORMAT.md says, and finds damage.

import { deepStrictEqual, notStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import { blockSum, feedLane, feedLanes, finishLanes, LANE_COUNT, seedLanes } from "./block_sum.ts";

/** FORMAT.md's words, in numbers without a limit. */
function sumByTheBook(bytes: Uint8Array): number {
  const modulus = 1n << 32n;
  const rotate = (x: bigint, by: bigint) => (x << by | x >> 32n - by) % modulus;
  const padded = new DataView(new ArrayBuffer(Math.ceil(bytes.length / 128) * 128));
  bytes.forEach((byte, at) => padded.setUint8(at, byte));
  const lanes = Array.from({ length: 32 }, (_, lane) => 0x9e3779b1n * BigInt(lane + 1) % modulus);
  for (let at = 0; at < padded.byteLength; at += 4) {
    const lane = at / 4 % 32;
    const word = BigInt(padded.getUint32(at, true));
    const doubled = lanes[lane]! << 1n;
    lanes[lane] = (doubled >= modulus ? doubled - modulus ^ 0x04c11db7n : doubled) ^ word;
  }
  let sum = BigInt(bytes.length);
  for (const lane of lanes) sum = rotate(sum ^ lane, 17n) * 0xc2b2ae3dn % modulus;
  sum ^= sum >> 15n;
  sum = sum * 0x85ebca77n % modulus;
  sum ^= sum >> 13n;
  return Number(sum);
}

Deno.test("the sum is FORMAT.md's, for any bytes at any address", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 7 }), (bytes, skip) => {
      const elsewhere = new Uint8Array(bytes.length + skip);
      elsewhere.set(bytes, skip);
      deepStrictEqual(blockSum(elsewhere.subarray(skip)), sumByTheBook(bytes));
    }),
    { numRuns: 500 },
  );
});

Deno.test("known sums stay what they are, since stores on disk hold them", () => {
  deepStrictEqual(blockSum(new Uint8Array()), sumByTheBook(new Uint8Array()));
  deepStrictEqual(blockSum(new TextEncoder().encode("hello\n")), 805_232_094);
  deepStrictEqual(blockSum(Uint8Array.from({ length: 32_768 }, (_, at) => at % 251)), 1_563_210_043);
});

Deno.test("lanes fed bit by bit sum up as all at once", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1280, maxLength: 1280 }), fc.nat({ max: 10 }), (bytes, cut) => {
      const words = new Int32Array(bytes.slice().buffer);
      const lanes = new Int32Array(LANE_COUNT);
      seedLanes(lanes);
      feedLanes(lanes, words, 0, cut * LANE_COUNT);
      for (let word = cut * LANE_COUNT; word < words.length; word++) {
        feedLane(lanes, word % LANE_COUNT, words[word]!);
      }
      deepStrictEqual(finishLanes(lanes, bytes.length), blockSum(bytes));
    }),
  );
});

Deno.test("damage within one word always changes the sum", () => {
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

Deno.test("zeros at the end are told apart by the length", () => {
  notStrictEqual(blockSum(new Uint8Array(127)), blockSum(new Uint8Array(128)));
});

Deno.test("a page of zeros in place of a repeated byte is seen, wherever it stands", () => {
  const pageBytes = 4096;
  for (let byte = 1; byte < 256; byte++) {
    const bytes = new Uint8Array(2 * pageBytes).fill(byte);
    const damaged = bytes.slice().fill(0, (byte % 2) * pageBytes, (byte % 2 + 1) * pageBytes);
    notStrictEqual(blockSum(damaged), blockSum(bytes), `of ${byte}`);
  }
});

Deno.test("two flipped bits of one lane are seen", () => {
  fc.assert(
    fc.property(fc.nat({ max: 31 }), fc.nat({ max: 8191 }), fc.nat({ max: 8191 }), (lane, first, second) => {
      if (first === second) return;
      const words = new Int32Array(8192);
      const undamaged = blockSum(new Uint8Array(words.buffer));
      // Bit `n` of the lane: its bits 32 * k to 32 * k + 31 are word 32 * k + lane.
      for (const bit of [first, second]) words[(bit >> 5) * LANE_COUNT + lane]! ^= 1 << (bit & 31);
      notStrictEqual(blockSum(new Uint8Array(words.buffer)), undamaged);
    }),
  );
});
