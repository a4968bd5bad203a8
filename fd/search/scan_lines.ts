/**
 * Walks content in chunks and tells lines that match from lines that do not, in order. Lines are looked at where
 * they lie: only a line that a chunk's end cuts is put together, and one that is longer than {@link HELD_BYTES} is
 * fed to the automaton piece by piece, so memory stays flat whatever the content.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { lineEnd, type LineFinder, lineStart } from "./line_finder.ts";

const LINE_FEED = 0x0a;

/** The longest line that is put together when chunks cut it. */
export const HELD_BYTES = 262_144;

/** Bytes of content: whole lines in `bytes[from, to)`, whose byte 0 is at `baseByte` of the content. */
export interface LinesAt {
  /** Undefined for one line that is too long to hold; it must be read again. */
  bytes: Buffer | undefined;
  baseByte: number;
}

/** Is told of the lines, in order. Offsets are those of the content. Returning true ends the walk. */
export interface LineVisitor {
  /** One line that matches; `hitByte` is where. */
  matched(fromByte: number, toByte: number, hitByte: number, at: LinesAt): boolean;
  /** One or more lines that do not match. */
  unmatched(fromByte: number, toByte: number, at: LinesAt): boolean;
}

/**
 * Walks `chunks`, whose first byte starts a line and is at `fromByte` of the content. A step is one chunk, and tells the
 * byte that it ended at: between steps the walk can be left.
 */
export function* scanLines(
  chunks: Iterable<Uint8Array>,
  fromByte: number,
  finder: LineFinder,
  visitor: LineVisitor,
): Generator<number, void> {
  const { automaton } = finder;
  const held = Buffer.allocUnsafe(HELD_BYTES);
  let heldCount = 0;
  /** The line that is being fed: where it starts, and where it matched (-1: not yet). */
  let fed: { fromByte: number; hitByte: number } | undefined;
  let baseByte = fromByte;

  function visitLines(bytes: Buffer, from: number, to: number, base: number): boolean {
    const at = { bytes, baseByte: base };
    let done = from;
    while (done < to) {
      const hit = finder.next(bytes, done, to);
      if (hit < 0) break;
      const start = lineStart(bytes, hit, done);
      if (start > done && visitor.unmatched(base + done, base + start, at)) return true;
      done = lineEnd(bytes, hit, to);
      if (visitor.matched(base + start, base + done, base + hit, at)) return true;
    }
    return done < to && visitor.unmatched(base + done, base + to, at);
  }

  function feed(line: { hitByte: number }, bytes: Buffer, from: number, to: number, base: number): void {
    if (line.hitByte >= 0) return;
    const hit = automaton.feedLine(bytes, from, to);
    if (hit >= 0) line.hitByte = base + hit;
  }

  function endFed(line: { fromByte: number; hitByte: number }, toByte: number): boolean {
    const at = { bytes: undefined, baseByte: 0 };
    if (line.hitByte < 0 && automaton.endLine()) line.hitByte = toByte - 1;
    if (line.hitByte < 0) return visitor.unmatched(line.fromByte, toByte, at);
    return visitor.matched(line.fromByte, toByte, line.hitByte, at);
  }

  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    if (heldCount > 0 || fed !== undefined) {
      const lineFeed = bytes.indexOf(LINE_FEED);
      const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
      if (fed === undefined && heldCount + end > HELD_BYTES) {
        fed = { fromByte: baseByte - heldCount, hitByte: -1 };
        automaton.beginLine();
        feed(fed, held, 0, heldCount, baseByte - heldCount);
        heldCount = 0;
      }
      if (fed !== undefined) {
        feed(fed, bytes, 0, lineFeed < 0 ? end : lineFeed, baseByte);
        if (lineFeed >= 0) {
          if (endFed(fed, baseByte + end)) return;
          fed = undefined;
        }
      } else {
        bytes.copy(held, heldCount, 0, end);
        heldCount += end;
        if (lineFeed >= 0) {
          if (visitLines(held.subarray(0, heldCount), 0, heldCount, baseByte + end - heldCount)) return;
          heldCount = 0;
        }
      }
      from = end;
    }
    if (from < bytes.length) {
      const wholeLines = lineStart(bytes, bytes.length, from);
      if (wholeLines > from && visitLines(bytes, from, wholeLines, baseByte)) return;
      if (bytes.length - wholeLines > HELD_BYTES) {
        fed = { fromByte: baseByte + wholeLines, hitByte: -1 };
        automaton.beginLine();
        feed(fed, bytes, wholeLines, bytes.length, baseByte);
      } else {
        heldCount = bytes.copy(held, 0, wholeLines);
      }
    }
    baseByte += bytes.length;
    yield baseByte;
  }
  if (fed !== undefined) endFed(fed, baseByte);
  else if (heldCount > 0) visitLines(held.subarray(0, heldCount), 0, heldCount, baseByte - heldCount);
}
