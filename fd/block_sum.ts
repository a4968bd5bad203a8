/**
 * The block sum of FORMAT.md: 32 lanes of 32 bits, each fed every 32nd little-endian word. The lanes can be
 * fed bit by bit (the scan does, from here or from its kernel); {@link blockSum} does all of it at once.
 *
 * What feeds a lane is chosen for a cold start: a read sums the block or two that it touches once, in an interpreter, to
 * which a shift is a step of its own and a multiplication (`Math.imul`) a call. The shifts are those of all pairs by
 * which one flipped bit looks least like two others, anywhere in a block.
 *
 * @module
 */

/** Bytes in a block of content; only the last block may be shorter. */
export const BLOCK_BYTES = 32_768;

/** Lanes in a sum, and so 32-bit words in the 128 bytes that one step takes. */
export const LANE_COUNT = 32;

const STEP_BYTES = LANE_COUNT * 4;
const SEED = 0x9e3779b1 | 0;
const MIX = 0x85ebca77 | 0;
const FOLD = 0xc2b2ae3d | 0;

const SEEDS = new Int32Array(LANE_COUNT);

/** Sets the lanes to how every sum starts. */
export function seedLanes(lanes: Int32Array): void {
  if (SEEDS[0] === 0) {
    for (let lane = 0; lane < LANE_COUNT; lane++) SEEDS[lane] = Math.imul(SEED, lane + 1);
  }
  lanes.set(SEEDS);
}

/** Feeds `words[fromWord]` to `words[toWord - 1]` into the lanes. Their number must be a multiple of 32. */
export function feedLanes(lanes: Int32Array, words: Int32Array, fromWord: number, toWord: number): void {
  for (let lane = 0; lane < LANE_COUNT; lane += 4) {
    let a = lanes[lane]!, b = lanes[lane + 1]!, c = lanes[lane + 2]!, d = lanes[lane + 3]!;
    for (let word = fromWord + lane; word < toWord; word += LANE_COUNT) {
      a ^= a << 2;
      a ^= a >>> 3 ^ words[word]!;
      b ^= b << 2;
      b ^= b >>> 3 ^ words[word + 1]!;
      c ^= c << 2;
      c ^= c >>> 3 ^ words[word + 2]!;
      d ^= d << 2;
      d ^= d >>> 3 ^ words[word + 3]!;
    }
    lanes[lane] = a;
    lanes[lane + 1] = b;
    lanes[lane + 2] = c;
    lanes[lane + 3] = d;
  }
}

/** Feeds one word into one lane. */
export function feedLane(lanes: Int32Array, lane: number, word: number): void {
  const mixed = lanes[lane]! ^ lanes[lane]! << 2;
  lanes[lane] = mixed ^ mixed >>> 3 ^ word;
}

/** The sum (0 to 2^32 - 1) of the `byteLength` bytes that the lanes were fed. The lanes stay as they are. */
export function finishLanes(lanes: Int32Array, byteLength: number): number {
  let sum = byteLength | 0;
  for (let lane = 0; lane < LANE_COUNT; lane++) {
    sum ^= lanes[lane]!;
    sum = Math.imul(sum << 17 | sum >>> 15, FOLD);
  }
  sum = Math.imul(sum ^ sum >>> 15, MIX);
  return (sum ^ sum >>> 13) >>> 0;
}

/**
 * The block sum (0 to 2^32 - 1) of any bytes.
 *
 * ```ts
 * import { blockSum } from "./block_sum.ts";
 * const bytes = new TextEncoder().encode("hello\n");
 * if (blockSum(bytes) === blockSum(bytes.subarray(1))) throw new Error();
 * ```
 */
export function blockSum(bytes: Uint8Array): number {
  const lanes = new Int32Array(LANE_COUNT);
  seedLanes(lanes);
  const { length } = bytes;
  let whole = bytes;
  // A view needs whole steps, and an address that is a multiple of four.
  if (length % STEP_BYTES !== 0 || (bytes.byteOffset & 3) !== 0) {
    whole = new Uint8Array(Math.ceil(length / STEP_BYTES) * STEP_BYTES);
    whole.set(bytes);
  }
  const wordCount = whole.length / 4;
  feedLanes(lanes, new Int32Array(whole.buffer, whole.byteOffset, wordCount), 0, wordCount);
  return finishLanes(lanes, length);
}

/** The block sum of any bytes as FORMAT.md writes it in text: 8 lower-case hex digits. */
export function blockSumText(bytes: Uint8Array): string {
  return blockSum(bytes).toString(16).padStart(8, "0");
}

/** The sum of a list of block sums (FORMAT.md, "Block index"). */
export function sumOfSums(sums: readonly number[]): number {
  return blockSum(new Uint8Array(new Int32Array(sums).buffer));
}
