// Promise: the block sum is what FORMAT.md says, and finds damage.

import { deepStrictEqual, notStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import {
  BLOCK_BYTES,
  blockSum,
  feedLane,
  feedLanes,
  finishLanes,
  LANE_COUNT,
  seedLanes,
} from "./block_sum.ts";

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
    const mixed = (lanes[lane]! ^ lanes[lane]! << 2n) % modulus;
    lanes[lane] = mixed ^ mixed >> 3n ^ word;
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
  deepStrictEqual(blockSum(new TextEncoder().encode("hello\n")), 2_434_367_478);
  deepStrictEqual(blockSum(Uint8Array.from({ length: 32_768 }, (_, at) => at % 251)), 4054041392);
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
  // Feeding is linear: what a flipped bit leaves in its lane does not depend on the lane, nor on what else was fed. So
  // two flips are missed where one of them, some steps on, is the other.
  const lanes = new Int32Array(LANE_COUNT);
  for (let bit = 0; bit < 32; bit++) lanes[bit] = 1 << bit;
  const nothing = new Int32Array(LANE_COUNT);
  for (let step = 1; step <= BLOCK_BYTES / (4 * LANE_COUNT); step++) {
    feedLanes(lanes, nothing, 0, LANE_COUNT);
    for (const lane of lanes) notStrictEqual(lane & (lane - 1), 0, `after ${step} steps one bit is left`);
  }
});
