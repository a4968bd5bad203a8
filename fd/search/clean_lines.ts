/**
 * Lines in clean view for the search: whole lines cleaned at once, or a line too long to buffer in pieces.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { type Cleaning, startCleaning } from "../clean/clean_text.ts";

const LINE_FEED = 0x0a;
const END_OF_LINE = Uint8Array.of(LINE_FEED);

/** Cleans lines. A result is valid until the next call. */
export interface LineCleaner {
  /** Returns the clean view of `bytes[from, to)`, which are whole lines. Every line has an LF, also the last one. */
  clean(bytes: Buffer, from: number, to: number): Buffer;
  /** Takes a piece of a line, without its LF; returns what is final of it. */
  feed(bytes: Buffer, from: number, to: number): Buffer;
  /** Ends the line that was fed; returns the rest of it. */
  endLine(): Buffer;
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function lineCleaner(): LineCleaner {
  const cleaning: Cleaning = startCleaning();
  return {
    clean(bytes, from, to) {
      const most = bufferOf(cleaning.clean(bytes.subarray(from, to)));
      if (bytes[to - 1] === LINE_FEED) return most;
      return Buffer.concat([most, cleaning.clean(END_OF_LINE)]);
    },
    feed: (bytes, from, to) => bufferOf(cleaning.clean(bytes.subarray(from, to))),
    endLine: () => bufferOf(cleaning.end()),
  };
}

/**
 * Returns the end of as many lines of `bytes[from, to)` as `other[otherFrom, otherTo)` has line feeds; the last line may
 * lack its own.
 */
export function afterAsManyLines(
  bytes: Buffer,
  from: number,
  to: number,
  other: Buffer,
  otherFrom: number,
  otherTo: number,
): number {
  let at = from;
  for (let otherAt = otherFrom; otherAt < otherTo;) {
    const otherFeed = other.indexOf(LINE_FEED, otherAt);
    if (otherFeed < 0 || otherFeed >= otherTo) break;
    otherAt = otherFeed + 1;
    const lineFeed = bytes.indexOf(LINE_FEED, at);
    if (lineFeed < 0 || lineFeed >= to) return to;
    at = lineFeed + 1;
  }
  return at;
}
