/**
 * The lines of a content as numbers: a 53-bit sum of each, equal where the lines are equal. A content is walked once, and
 * nothing of it is held but the line at hand.
 *
 * Lines (contract, Units) include their line end, so that a content that only lost its final line feed
 * differs in its last line.
 *
 * @module
 */

import { Buffer, isUtf8 } from "node:buffer";
import { type Ignored, ignoresAny, withoutIgnored } from "./ignored_text.ts";

/** A longer line is compared as it is: what is to be ignored is looked for in text that can be held. */
export const MAX_COMPARED_BYTES = 65_536;

const LINE_FEED = 0x0a;
/** What the sums of lines that are bytes, UTF-8 and other text start from: a line of one kind is never one of another. */
const SEEDS = { bytes: 0x811c9dc5, utf8: 0x2545f491, other: 0x6a09e667 } as const;

/** The sums of all lines, in their order. */
export function* lineSums(
  chunks: Iterable<Uint8Array>,
  ignored: Ignored,
): Generator<number, void, undefined> {
  if (ignoresAny(ignored)) return yield* sumsOfWhatIsLeft(chunks, ignored);
  let low: number = SEEDS.bytes;
  let high: number = ~SEEDS.bytes;
  let isOpen = false;
  for (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      low = Math.imul(low ^ byte, 0x01000193);
      high = Math.imul((high << 5 | high >>> 27) ^ byte, 0x85ebca6b);
      isOpen = byte !== LINE_FEED;
      if (isOpen) continue;
      yield joined(low, high);
      low = SEEDS.bytes;
      high = ~SEEDS.bytes;
    }
  }
  if (isOpen) yield joined(low, high);
}

function* sumsOfWhatIsLeft(
  chunks: Iterable<Uint8Array>,
  ignored: Ignored,
): Generator<number, void, undefined> {
  /** The beginning of a line that goes on, in pieces, until it is too long to be held. */
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let long: { low: number; high: number } | undefined;

  const hold = (piece: Uint8Array): void => {
    heldBytes += piece.length;
    if (long === undefined) {
      held.push(piece);
      if (heldBytes <= MAX_COMPARED_BYTES) return;
      long = sumOfBytes(Buffer.concat(held), { low: SEEDS.bytes, high: ~SEEDS.bytes });
      held = [];
    } else long = sumOfBytes(piece, long);
  };
  const endLine = (): number => {
    const sum = long === undefined
      ? sumOfLine(held.length === 1 ? held[0]! : Buffer.concat(held), ignored)
      : joined(long.low, long.high);
    held = [];
    heldBytes = 0;
    long = undefined;
    return sum;
  };

  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length;) {
      const lineFeed = chunk.indexOf(LINE_FEED, from);
      if (lineFeed < 0) {
        hold(chunk.slice(from));
        break;
      }
      hold(chunk.subarray(from, lineFeed + 1));
      yield endLine();
      from = lineFeed + 1;
    }
  }
  if (heldBytes > 0) yield endLine();
}

function sumOfLine(line: Uint8Array, ignored: Ignored): number {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const isText = isUtf8(bytes);
  const left = withoutIgnored(bytes.toString(isText ? "utf8" : "latin1"), ignored);
  const seed = isText ? SEEDS.utf8 : SEEDS.other;
  let low: number = seed;
  let high = ~seed;
  for (let at = 0; at < left.length; at++) {
    const unit = left.charCodeAt(at);
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

/** Both halves in one number without loss of bits that differ: the upper half is folded to the 21 bits that it has. */
function joined(low: number, high: number): number {
  const mixed = Math.imul(high ^ high >>> 15 ^ low >>> 7, 0xc2b2ae35);
  return (mixed >>> 11) * 2 ** 32 + (low >>> 0);
}
