/**
 * Walks content in chunks and reports matching and other lines, in order. Lines are matched in place: only a line
 * across chunks is joined, and one longer than {@link MAX_BUFFERED_BYTES} is fed to the automaton in pieces, so
 * memory use does not grow with the content.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { lineEnd, type LineFinder, lineStart } from "./line_finder.ts";

const LINE_FEED = 0x0a;

/** Maximum length of a line that is joined across chunks. */
export const MAX_BUFFERED_BYTES = 262_144;

/** Bytes of whole lines; byte 0 of `bytes` is at `baseByte` of the content. */
export interface LinesAt {
  /** Undefined for a line too long to buffer, which must be read again. */
  bytes: Buffer | undefined;
  baseByte: number;
}

/** Receives the lines in order. Offsets are in the content. Returning true ends the walk. */
export interface LineVisitor {
  /** A line that matches, at `hitByte`. */
  matched(fromByte: number, toByte: number, hitByte: number, at: LinesAt): boolean;
  /** One or more lines that do not match. */
  unmatched(fromByte: number, toByte: number, at: LinesAt): boolean;
}

/**
 * Walks `chunks`, whose first byte starts a line and is at `fromByte` of the content. Each step handles one chunk and
 * yields its end offset; the walk can be stopped between steps.
 */
export function* scanLines(
  chunks: Iterable<Uint8Array>,
  fromByte: number,
  finder: LineFinder,
  visitor: LineVisitor,
): Generator<number, void> {
  const { automaton } = finder;
  const buffered = Buffer.allocUnsafe(MAX_BUFFERED_BYTES);
  let bufferedCount = 0;
  /** The line being fed: its start, and its match (-1: none yet). */
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
    if (bufferedCount > 0 || fed !== undefined) {
      const lineFeed = bytes.indexOf(LINE_FEED);
      const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
      if (fed === undefined && bufferedCount + end > MAX_BUFFERED_BYTES) {
        fed = { fromByte: baseByte - bufferedCount, hitByte: -1 };
        automaton.beginLine();
        feed(fed, buffered, 0, bufferedCount, baseByte - bufferedCount);
        bufferedCount = 0;
      }
      if (fed !== undefined) {
        feed(fed, bytes, 0, lineFeed < 0 ? end : lineFeed, baseByte);
        if (lineFeed >= 0) {
          if (endFed(fed, baseByte + end)) return;
          fed = undefined;
        }
      } else {
        bytes.copy(buffered, bufferedCount, 0, end);
        bufferedCount += end;
        if (lineFeed >= 0) {
          if (
            visitLines(buffered.subarray(0, bufferedCount), 0, bufferedCount, baseByte + end - bufferedCount)
          ) return;
          bufferedCount = 0;
        }
      }
      from = end;
    }
    if (from < bytes.length) {
      const wholeLines = lineStart(bytes, bytes.length, from);
      if (wholeLines > from && visitLines(bytes, from, wholeLines, baseByte)) return;
      if (bytes.length - wholeLines > MAX_BUFFERED_BYTES) {
        fed = { fromByte: baseByte + wholeLines, hitByte: -1 };
        automaton.beginLine();
        feed(fed, bytes, wholeLines, bytes.length, baseByte);
      } else {
        bufferedCount = bytes.copy(buffered, 0, wholeLines);
      }
    }
    baseByte += bytes.length;
    yield baseByte;
  }
  if (fed !== undefined) endFed(fed, baseByte);
  else if (bufferedCount > 0) {
    visitLines(buffered.subarray(0, bufferedCount), 0, bufferedCount, baseByte - bufferedCount);
  }
}
