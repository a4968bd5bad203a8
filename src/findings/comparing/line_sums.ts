/**
 * Turns each line of a content into a 53-bit sum; equal lines have equal sums. Only one line is in memory at a time. A
 * line's sum includes its line end, so a missing final line feed is a difference.
 */

import { Buffer, isUtf8 } from "node:buffer";
import { type Ignored, withoutIgnored } from "./ignored_text.ts";

/** Longer lines are compared as they are, so that they need not be in memory to be searched for ignored text. */
export const MAX_COMPARED_BYTES = 65_536;

const LINE_FEED = 0x0a;
/** Seeds by kind of line, so that lines of different kinds never have equal sums. */
const SEEDS = { bytes: 0x811c9dc5, utf8: 0x2545f491, other: 0x6a09e667 } as const;

const EMPTY_LINE: { low: number; high: number } = { low: SEEDS.bytes, high: ~SEEDS.bytes };
const PART_BYTES = 65_536;

export function* lineSums(
  chunks: Iterable<Uint8Array>,
  ignored: Ignored,
): Generator<number, void, undefined> {
  if (Object.values(ignored).includes(true)) return yield* sumsWithoutIgnored(chunks, ignored);
  const line = { ...EMPTY_LINE, isOpen: false };
  const sums: number[] = [];
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += PART_BYTES) {
      sums.length = 0;
      sumPart(line, chunk, from, Math.min(from + PART_BYTES, chunk.length), sums);
      for (let at = 0; at < sums.length; at++) yield sums[at]!;
    }
  }
  if (line.isOpen) yield joined(line.low, line.high);
}

/**
 * Adds the sums of the lines that end from `fromByte` to before `toByte`. A function of its own: the compiled program
 * optimises one that is called often, not a long loop (which was four times slower).
 */
function sumPart(
  line: { low: number; high: number; isOpen: boolean },
  bytes: Uint8Array,
  fromByte: number,
  toByte: number,
  sums: number[],
): void {
  let { low, high } = line;
  for (let at = fromByte; at < toByte; at++) {
    const byte = bytes[at]!;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul((high << 5 | high >>> 27) ^ byte, 0x85ebca6b);
    if (byte !== LINE_FEED) continue;
    sums.push(joined(low, high));
    low = EMPTY_LINE.low;
    high = EMPTY_LINE.high;
  }
  line.low = low;
  line.high = high;
  line.isOpen = bytes[toByte - 1] !== LINE_FEED;
}

function* sumsWithoutIgnored(
  chunks: Iterable<Uint8Array>,
  ignored: Ignored,
): Generator<number, void, undefined> {
  /** The pieces of the current line, until it is too long to be buffered. */
  let pieces: Uint8Array[] = [];
  let bufferedBytes = 0;
  let long: { low: number; high: number } | undefined;

  const addPiece = (piece: Uint8Array): void => {
    bufferedBytes += piece.length;
    if (long === undefined) {
      pieces.push(piece);
      if (bufferedBytes <= MAX_COMPARED_BYTES) return;
      long = sumOfBytes(Buffer.concat(pieces), EMPTY_LINE);
      pieces = [];
    } else long = sumOfBytes(piece, long);
  };
  const endLine = (): number => {
    const sum = long === undefined
      ? sumOfLine(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces), ignored)
      : joined(long.low, long.high);
    pieces = [];
    bufferedBytes = 0;
    long = undefined;
    return sum;
  };

  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const lineFeed = chunk.indexOf(LINE_FEED, from);
      if (lineFeed < 0) {
        addPiece(long === undefined ? chunk.slice(from) : chunk.subarray(from));
        break;
      }
      addPiece(chunk.subarray(from, lineFeed + 1));
      yield endLine();
      from = lineFeed + 1;
    }
  }
  if (bufferedBytes > 0) yield endLine();
}

function sumOfLine(line: Uint8Array, ignored: Ignored): number {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const isText = isUtf8(bytes);
  const counted = withoutIgnored(bytes.toString(isText ? "utf8" : "latin1"), ignored);
  const seed = isText ? SEEDS.utf8 : SEEDS.other;
  let low: number = seed;
  let high = ~seed;
  for (let at = 0; at < counted.length; at++) {
    const unit = counted.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul((high << 5 | high >>> 27) ^ unit, 0x85ebca6b);
  }
  return joined(low, high);
}

function sumOfBytes(bytes: Uint8Array, { low, high }: { low: number; high: number }) {
  for (let at = 0; at < bytes.length; at++) {
    low = Math.imul(low ^ bytes[at]!, 0x01000193);
    high = Math.imul((high << 5 | high >>> 27) ^ bytes[at]!, 0x85ebca6b);
  }
  return { low, high };
}

/** Joins both halves; the upper one is folded to the 21 bits that are left in a safe integer. */
function joined(low: number, high: number): number {
  const mixed = Math.imul(high ^ high >>> 15 ^ low >>> 7, 0xc2b2ae35);
  return (mixed >>> 11) * 2 ** 32 + (low >>> 0);
}
