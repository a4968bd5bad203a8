/**
 * Walks content in chunks and reports matching and other lines, in order. Lines are matched in place: only a line
 * across chunks is joined, and one longer than {@link MAX_BUFFERED_BYTES} is fed to the automaton in pieces, so
 * memory use does not grow with the content.
 *
 * In clean view, lines with control characters are cleaned and the result is matched; what is reported are places in the
 * content as stored.
 */

import { Buffer } from "node:buffer";
import { afterAsManyLines, type LineCleaner } from "./clean_lines.ts";
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

/** A line as it was matched, with its LF if it has one. */
export interface MatchedText {
  bytes: Buffer;
  from: number;
  to: number;
}

/** Receives the lines in order. Offsets are in the content. Returning true ends the walk. */
export interface LineVisitor {
  /**
   * A line that matches, at `hitByte`; in a line that was cleaned, that is the line's start plus the match's place in
   * the clean line. `text` is undefined for a line too long to buffer.
   */
  matched(
    fromByte: number,
    toByte: number,
    hitByte: number,
    at: LinesAt,
    text: MatchedText | undefined,
  ): boolean;
  /** Counts further lines that match, if that is all that is to be done with them; undefined as long as it is not. */
  readonly counted?: ((lineCount: number) => void) | undefined;
  /** One or more lines that do not match. */
  unmatched(fromByte: number, toByte: number, at: LinesAt): boolean;
}

interface FedLine {
  fromByte: number;
  hitByte: number;
  fedCount: number;
  cleaner: LineCleaner | undefined;
}

/** Bytes of a content, the offset at which the next ones are (lines before it are left out), or what they wait for. */
export type Chunk = Uint8Array | number | Promise<void>;

/**
 * Walks `chunks`, whose first byte starts a line and is at `fromByte` of the content, as does each one after an offset.
 * Each step handles one chunk and yields its end offset, or the promise that the chunk is; the walk can be stopped
 * between steps. With `cleaner`, lines are matched in clean view.
 */
export function* scanLines(
  chunks: Iterable<Chunk>,
  fromByte: number,
  finder: LineFinder,
  visitor: LineVisitor,
  cleaner?: LineCleaner | undefined,
): Generator<number | Promise<void>, void> {
  const buffered = Buffer.allocUnsafe(MAX_BUFFERED_BYTES);
  let bufferedCount = 0;
  /** The line being fed: its start, its match (-1: none yet), and how many bytes of it the automaton has. */
  let fed: FedLine | undefined;
  const text: MatchedText = { bytes: buffered, from: 0, to: 0 };
  let baseByte = fromByte;

  function visitLines(bytes: Buffer, from: number, to: number, base: number): boolean {
    const at = { bytes, baseByte: base };
    if (cleaner?.needs(bytes, from, to, base) === true) return visitCleaned(cleaner, at, from, to);
    text.bytes = bytes;
    let done = from;
    while (done < to) {
      const hit = finder.next(bytes, done, to);
      if (hit < 0) break;
      const { counted } = visitor;
      if (counted !== undefined) {
        counted(countFrom(bytes, hit, to));
        return false;
      }
      const start = lineStart(bytes, hit, done);
      if (start > done && visitor.unmatched(base + done, base + start, at)) return true;
      done = lineEnd(bytes, hit, to);
      text.from = start;
      text.to = done;
      if (visitor.matched(base + start, base + done, base + hit, at, text)) return true;
    }
    return done < to && visitor.unmatched(base + done, base + to, at);
  }

  /** Returns how many lines match from the one with `hit` on. */
  function countFrom(bytes: Buffer, hit: number, to: number): number {
    let lineCount = 0;
    while (hit >= 0) {
      lineCount++;
      const done = lineEnd(bytes, hit, to);
      hit = done < to ? finder.next(bytes, done, to) : -1;
    }
    return lineCount;
  }

  /** `visitLines` in clean view. Lines are in step: each has one LF there and as stored. */
  function visitCleaned(
    cleaner: LineCleaner,
    at: LinesAt & { bytes: Buffer },
    from: number,
    to: number,
  ): boolean {
    const { bytes, baseByte: base } = at;
    const clean = cleaner.clean(bytes, from, to);
    text.bytes = clean;
    let cleanDone = 0;
    let done = from;
    while (cleanDone < clean.length) {
      const hit = finder.next(clean, cleanDone, clean.length);
      if (hit < 0) break;
      text.from = lineStart(clean, hit, cleanDone);
      text.to = lineEnd(clean, hit, clean.length);
      const start = afterAsManyLines(bytes, done, to, clean, cleanDone, text.from);
      if (start > done && visitor.unmatched(base + done, base + start, at)) return true;
      cleanDone = text.to;
      done = lineEnd(bytes, start, to);
      if (visitor.matched(base + start, base + done, base + start + hit - text.from, at, text)) return true;
    }
    return done < to && visitor.unmatched(base + done, base + to, at);
  }

  function beginFed(lineFromByte: number): FedLine {
    finder.automaton().beginLine();
    const needsCleaner = cleaner?.needsLine(lineFromByte) === true;
    return { fromByte: lineFromByte, hitByte: -1, fedCount: 0, cleaner: needsCleaner ? cleaner : undefined };
  }

  function feed(line: FedLine, bytes: Buffer, from: number, to: number): void {
    if (line.hitByte >= 0) return;
    if (line.cleaner === undefined) return feedAutomaton(line, bytes, from, to);
    const clean = line.cleaner.feed(bytes, from, to);
    feedAutomaton(line, clean, 0, clean.length);
    // A match settles the line: what the cleaner holds of it is of no use.
    if (line.hitByte >= 0) line.cleaner.endLine();
  }

  function feedAutomaton(line: FedLine, bytes: Buffer, from: number, to: number): void {
    const hit = finder.automaton().feedLine(bytes, from, to);
    if (hit >= 0) line.hitByte = line.fromByte + line.fedCount + hit - from;
    line.fedCount += to - from;
  }

  function endFed(line: FedLine, toByte: number): boolean {
    const at = { bytes: undefined, baseByte: 0 };
    if (line.hitByte < 0 && line.cleaner !== undefined) {
      const clean = line.cleaner.endLine();
      feedAutomaton(line, clean, 0, clean.length);
    }
    if (line.hitByte < 0 && finder.automaton().endLine()) {
      line.hitByte = line.fromByte + Math.max(0, line.fedCount - 1);
    }
    if (line.hitByte < 0) return visitor.unmatched(line.fromByte, toByte, at);
    return visitor.matched(line.fromByte, toByte, line.hitByte, at, undefined);
  }

  for (const chunk of chunks) {
    if (chunk instanceof Promise) {
      yield chunk;
      continue;
    }
    if (typeof chunk === "number") {
      baseByte = chunk;
      yield baseByte;
      continue;
    }
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    if (bufferedCount > 0 || fed !== undefined) {
      const lineFeed = bytes.indexOf(LINE_FEED);
      const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
      if (fed === undefined && bufferedCount + end > MAX_BUFFERED_BYTES) {
        fed = beginFed(baseByte - bufferedCount);
        feed(fed, buffered, 0, bufferedCount);
        bufferedCount = 0;
      }
      if (fed !== undefined) {
        feed(fed, bytes, 0, lineFeed < 0 ? end : lineFeed);
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
        fed = beginFed(baseByte + wholeLines);
        feed(fed, bytes, wholeLines, bytes.length);
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
