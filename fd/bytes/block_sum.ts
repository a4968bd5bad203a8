/**
 * The block sum of FORMAT.md: eight columns of four 32-bit lanes, fed with rows of 32 little-endian words.
 * Lanes can be fed incrementally (as the scan and its kernel do); {@link blockSum} does everything at once.
 *
 * The mixing is chosen for a cold start: a read sums one or two blocks once, in an interpreter, where each
 * operation is a step and a multiplication several. So four words share one mixing of shifts and
 * exclusive ors. Of all pairs of shifts, these are the ones for which one flipped bit looks least like two
 * others anywhere in a block.
 */

/** Size of a block of content; only the last block may be shorter. */
export const BLOCK_BYTES = 32_768;

/** Returns the block that byte `byteOffset` of a content is in. */
export function blockAt(byteOffset: number): number {
  return (byteOffset - byteOffset % BLOCK_BYTES) / BLOCK_BYTES;
}

/** Lanes in a sum; also the number of 32-bit words in a row of 128 bytes. */
export const LANE_COUNT = 32;

const ROW_BYTES = LANE_COUNT * 4;
const SEED = 0x9e3779b1 | 0;
/**
 * The factors 85EBCA77 and C2B2AE3D, in halves: a multiplication of theirs drops what does not fit 32 bits, and `Math.imul` is
 * a call. Where these halves have signs, each product fits 32 bits, which is twice as fast before code is compiled.
 */
const MIX_HIGH = 0x85eb;
const MIX_LOW = 0xca77;
const FOLD_HIGH = 0xc2b3 - 0x10000;
const FOLD_LOW = 0xae3d - 0x10000;

const SHORT_BYTES = 4096;

/** Memory of {@link shortSum}: cheaper for the few short sums of a small call than new memory for each. */
let memory: { lanes: Int32Array; words: Int32Array; bytes: Uint8Array } | undefined;

function shortMemory() {
  if (memory !== undefined) return memory;
  const buffer = new ArrayBuffer(SHORT_BYTES + ROW_BYTES);
  return memory = {
    lanes: new Int32Array(buffer, SHORT_BYTES),
    words: new Int32Array(buffer, 0, SHORT_BYTES / 4),
    bytes: new Uint8Array(buffer, 0, SHORT_BYTES),
  };
}

/** The kernel that sums up to a block of bytes, where one runs: an interpreter takes a hundred times as long. */
export const KERNEL: { sum?: (bytes: Uint8Array) => number } = {};

/** Initializes the lanes. */
export function seedLanes(lanes: Int32Array): void {
  for (let lane = 0, seed = SEED; lane < LANE_COUNT; lane++, seed = seed + SEED | 0) lanes[lane] = seed;
}

/** Feeds `words[fromWord]` to `words[toWord - 1]`, whole rows, into the lanes. */
export function feedLanes(lanes: Int32Array, words: Int32Array, fromWord: number, toWord: number): void {
  // Two columns at a time, of every fourth lane: few rounds, so that a block or two do not start the
  // compiler.
  for (let lane = 0; lane < LANE_COUNT; lane += lane % 4 === 0 ? 2 : 14) {
    let a = lanes[lane]!, b = lanes[lane + 4]!, c = lanes[lane + 8]!, d = lanes[lane + 12]!;
    let e = lanes[lane + 1]!, f = lanes[lane + 5]!, g = lanes[lane + 9]!, h = lanes[lane + 13]!;
    for (let word = fromWord + lane; word < toWord; word += LANE_COUNT) {
      b ^= words[word + 4]!;
      c ^= words[word + 8]!;
      d ^= words[word + 12]!;
      a ^= words[word]! ^ b ^ c ^ d;
      a ^= a << 1;
      const mixed = a ^ a >>> 3;
      a = b;
      b = c;
      c = d;
      d = mixed;
      f ^= words[word + 5]!;
      g ^= words[word + 9]!;
      h ^= words[word + 13]!;
      e ^= words[word + 1]! ^ f ^ g ^ h;
      e ^= e << 1;
      const otherMixed = e ^ e >>> 3;
      e = f;
      f = g;
      g = h;
      h = otherMixed;
    }
    lanes[lane] = a;
    lanes[lane + 1] = e;
    lanes[lane + 4] = b;
    lanes[lane + 5] = f;
    lanes[lane + 8] = c;
    lanes[lane + 9] = g;
    lanes[lane + 12] = d;
    lanes[lane + 13] = h;
  }
}

/** Returns the sum (0 to 2^32 - 1) of the `byteLength` bytes fed to the lanes. Does not change the lanes. */
export function finishLanes(lanes: Int32Array, byteLength: number): number {
  let sum = byteLength | 0;
  for (let lane = 0; lane < LANE_COUNT; lane++) {
    sum ^= lanes[lane]!;
    sum = sum << 17 | sum >>> 15;
    const low = sum & 0xffff;
    const product = low * FOLD_LOW;
    sum = (low * FOLD_HIGH + (sum >> 16) * FOLD_LOW + (product >> 16)) << 16 | product & 0xffff;
  }
  sum ^= sum >>> 15;
  sum = sum * MIX_LOW + (sum * MIX_HIGH << 16) | 0;
  return (sum ^ sum >>> 13) >>> 0;
}

/**
 * Returns the block sum (0 to 2^32 - 1) of any bytes.
 *
 * ```ts
 * import { blockSum } from "./block_sum.ts";
 * const bytes = new TextEncoder().encode("hello\n");
 * if (blockSum(bytes) === blockSum(bytes.subarray(1))) throw new Error();
 * ```
 */
export function blockSum(bytes: Uint8Array): number {
  const { length } = bytes;
  if (KERNEL.sum !== undefined && length > SHORT_BYTES && length <= BLOCK_BYTES) {
    return KERNEL.sum(bytes);
  }
  const { lanes, bytes: short } = shortMemory();
  if (length <= SHORT_BYTES) {
    short.set(bytes);
    return shortSum(length);
  }
  const rowBytes = wholeRows(length);
  let whole = bytes;
  // A view needs whole rows and an address that is a multiple of four.
  if (length !== rowBytes || (bytes.byteOffset & 3) !== 0) {
    whole = new Uint8Array(rowBytes);
    whole.set(bytes);
  }
  seedLanes(lanes);
  feedLanes(lanes, new Int32Array(whole.buffer, whole.byteOffset, rowBytes / 4), 0, rowBytes / 4);
  return finishLanes(lanes, length);
}

function wholeRows(byteLength: number): number {
  return byteLength + (-byteLength & ROW_BYTES - 1);
}

/** Returns the sum of the first `byteLength` bytes of the memory for short sums. */
function shortSum(byteLength: number): number {
  const { lanes, words, bytes } = shortMemory();
  const rowBytes = wholeRows(byteLength);
  bytes.fill(0, byteLength, rowBytes);
  seedLanes(lanes);
  feedLanes(lanes, words, 0, rowBytes / 4);
  return finishLanes(lanes, byteLength);
}

/** Returns the block sum as FORMAT.md writes it in text: 8 lowercase hex digits. */
export function blockSumText(bytes: Uint8Array): string {
  return blockSum(bytes).toString(16).padStart(8, "0");
}

/** Returns the sum of a list of at most 1,024 block sums (FORMAT.md, "Block index"). */
export function sumOfSums(sums: readonly number[]): number {
  shortMemory().words.set(sums);
  return shortSum(4 * sums.length);
}
