/**
 * Lines in clean view for the search: whole lines cleaned at once, or a line too long to buffer in pieces.
 */

import { Buffer } from "node:buffer";
import { blockAt } from "../bytes/block_sum.ts";
import { Cleaning } from "../clean/clean_text.ts";
import { needsCleaning } from "../clean/needs_cleaning.ts";
import type { BlockIndex } from "../index/index_file.ts";

const LINE_FEED = 0x0a;
const END_OF_LINE = Uint8Array.of(LINE_FEED);

/** Cleans lines. A result is valid until the next call. */
export interface LineCleaner {
  /** Whether `bytes[from, to)`, which are whole lines, differ in clean view; byte 0 is at `baseByte` of the content. */
  needs(bytes: Buffer, from: number, to: number, baseByte: number): boolean;
  /** Whether the line at `fromByte`, of several blocks, may differ in clean view. */
  needsLine(fromByte: number): boolean;
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

/** Creates a cleaner for the lines of a content; blocks that `index` knows to be clean are not looked at. */
export function lineCleaner(index: BlockIndex): LineCleaner {
  const cleaning = new Cleaning();
  let knownBlock = -1;
  let isKnownClean = false;

  function isClean(block: number): boolean {
    if (block !== knownBlock) {
      knownBlock = block;
      isKnownClean = index.at(block).hasControls === false;
    }
    return isKnownClean;
  }

  return {
    needs(bytes, from, to, baseByte) {
      const last = blockAt(baseByte + to - 1);
      for (let block = blockAt(baseByte + from); block <= last; block++) {
        if (!isClean(block)) return needsCleaning(bytes, from, to);
      }
      return false;
    },
    needsLine(fromByte) {
      const first = blockAt(fromByte);
      const lastBlock = index.blockCount - 1;
      for (let block = first; block <= lastBlock; block++) {
        if (!isClean(block)) return true;
        // The line ends in the first block after its own that has a line feed.
        if (
          block > first && block < lastBlock &&
          index.at(block + 1).lineFeedsBefore > index.at(first + 1).lineFeedsBefore
        ) return false;
      }
      return false;
    },
    clean(bytes, from, to) {
      const most = bufferOf(cleaning.clean(bytes.subarray(from, to)));
      if (bytes[to - 1] === LINE_FEED) return most;
      // The next call overwrites what this one returned.
      return Buffer.concat([Buffer.from(most), cleaning.clean(END_OF_LINE)]);
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
