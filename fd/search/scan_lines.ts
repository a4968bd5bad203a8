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

/** A walk over lines: the line that is not whole yet, and where the walk is. */
class LineWalk {
  private readonly buffered = Buffer.allocUnsafe(MAX_BUFFERED_BYTES);
  private bufferedCount = 0;
  /** The line being fed: its start, its match (-1: none yet), and how many bytes of it the automaton has. */
  private fed: FedLine | undefined;
  private readonly text: MatchedText = { bytes: this.buffered, from: 0, to: 0 };

  constructor(
    /** The place of the next bytes in the content. */
    public baseByte: number,
    private readonly finder: LineFinder,
    private readonly visitor: LineVisitor,
    private readonly cleaner: LineCleaner | undefined,
  ) {}

  /** Takes the next bytes. Returns true if the visitor ended the walk. */
  take(bytes: Buffer): boolean {
    let from = 0;
    if (this.bufferedCount > 0 || this.fed !== undefined) {
      const lineFeed = bytes.indexOf(LINE_FEED);
      from = lineFeed < 0 ? bytes.length : lineFeed + 1;
      if (this.continueLine(bytes, from, lineFeed >= 0)) return true;
    }
    if (from < bytes.length && this.takeWhole(bytes, from)) return true;
    this.baseByte += bytes.length;
    return false;
  }

  /** Ends the last line, which may have no LF. */
  end(): void {
    if (this.fed !== undefined) this.endFed(this.fed, this.baseByte);
    else if (this.bufferedCount > 0) this.visitBuffered(this.baseByte);
  }

  /** Adds the bytes before `end` to the line that began before them; `isEnded` if they end it. */
  private continueLine(bytes: Buffer, end: number, isEnded: boolean): boolean {
    if (this.fed === undefined && this.bufferedCount + end > MAX_BUFFERED_BYTES) {
      this.fed = this.beginFed(this.baseByte - this.bufferedCount);
      this.feed(this.fed, this.buffered, 0, this.bufferedCount);
      this.bufferedCount = 0;
    }
    if (this.fed === undefined) {
      bytes.copy(this.buffered, this.bufferedCount, 0, end);
      this.bufferedCount += end;
      return isEnded && this.visitBuffered(this.baseByte + end);
    }
    this.feed(this.fed, bytes, 0, isEnded ? end - 1 : end);
    if (!isEnded) return false;
    const { fed } = this;
    this.fed = undefined;
    return this.endFed(fed, this.baseByte + end);
  }

  /** Visits the lines from `from` on that are whole, and begins the one that is not. */
  private takeWhole(bytes: Buffer, from: number): boolean {
    const wholeLines = lineStart(bytes, bytes.length, from);
    if (wholeLines > from && this.visitLines(bytes, from, wholeLines, this.baseByte)) return true;
    if (bytes.length - wholeLines > MAX_BUFFERED_BYTES) {
      this.fed = this.beginFed(this.baseByte + wholeLines);
      this.feed(this.fed, bytes, wholeLines, bytes.length);
    } else this.bufferedCount = bytes.copy(this.buffered, 0, wholeLines);
    return false;
  }

  /** Visits the line that was joined, which ends at `toByte`. */
  private visitBuffered(toByte: number): boolean {
    const length = this.bufferedCount;
    this.bufferedCount = 0;
    return this.visitLines(this.buffered.subarray(0, length), 0, length, toByte - length);
  }

  private visitLines(bytes: Buffer, from: number, to: number, base: number): boolean {
    const at = { bytes, baseByte: base };
    if (this.cleaner?.needs(bytes, from, to, base) === true) {
      return this.visitCleaned(this.cleaner, at, from, to);
    }
    this.text.bytes = bytes;
    let done = from;
    while (done < to) {
      const hit = this.finder.next(bytes, done, to);
      if (hit < 0) break;
      const { counted } = this.visitor;
      if (counted !== undefined) {
        counted(this.countFrom(bytes, hit, to));
        return false;
      }
      const start = lineStart(bytes, hit, done);
      if (start > done && this.visitor.unmatched(base + done, base + start, at)) return true;
      done = lineEnd(bytes, hit, to);
      this.text.from = start;
      this.text.to = done;
      if (this.visitor.matched(base + start, base + done, base + hit, at, this.text)) return true;
    }
    return done < to && this.visitor.unmatched(base + done, base + to, at);
  }

  /** Returns how many lines match from the one with `hit` on. */
  private countFrom(bytes: Buffer, hit: number, to: number): number {
    let lineCount = 0;
    while (hit >= 0) {
      lineCount++;
      const done = lineEnd(bytes, hit, to);
      hit = done < to ? this.finder.next(bytes, done, to) : -1;
    }
    return lineCount;
  }

  /** `visitLines` in clean view. Lines are in step: each has one LF there and as stored. */
  private visitCleaned(
    cleaner: LineCleaner,
    at: LinesAt & { bytes: Buffer },
    from: number,
    to: number,
  ): boolean {
    const { bytes, baseByte: base } = at;
    const clean = cleaner.clean(bytes, from, to);
    this.text.bytes = clean;
    let cleanDone = 0;
    let done = from;
    while (cleanDone < clean.length) {
      const hit = this.finder.next(clean, cleanDone, clean.length);
      if (hit < 0) break;
      this.text.from = lineStart(clean, hit, cleanDone);
      this.text.to = lineEnd(clean, hit, clean.length);
      const start = afterAsManyLines(bytes, done, to, clean, cleanDone, this.text.from);
      if (start > done && this.visitor.unmatched(base + done, base + start, at)) return true;
      cleanDone = this.text.to;
      done = lineEnd(bytes, start, to);
      if (
        this.visitor.matched(base + start, base + done, base + start + hit - this.text.from, at, this.text)
      ) return true;
    }
    return done < to && this.visitor.unmatched(base + done, base + to, at);
  }

  private beginFed(lineFromByte: number): FedLine {
    this.finder.automaton().beginLine();
    const cleaner = this.cleaner?.needsLine(lineFromByte) === true ? this.cleaner : undefined;
    return { fromByte: lineFromByte, hitByte: -1, fedCount: 0, cleaner };
  }

  private feed(line: FedLine, bytes: Buffer, from: number, to: number): void {
    if (line.hitByte >= 0) return;
    if (line.cleaner === undefined) return this.feedAutomaton(line, bytes, from, to);
    const clean = line.cleaner.feed(bytes, from, to);
    this.feedAutomaton(line, clean, 0, clean.length);
    // A match settles the line: what the cleaner holds of it is of no use.
    if (line.hitByte >= 0) line.cleaner.endLine();
  }

  private feedAutomaton(line: FedLine, bytes: Buffer, from: number, to: number): void {
    const hit = this.finder.automaton().feedLine(bytes, from, to);
    if (hit >= 0) line.hitByte = line.fromByte + line.fedCount + hit - from;
    line.fedCount += to - from;
  }

  private endFed(line: FedLine, toByte: number): boolean {
    const at = { bytes: undefined, baseByte: 0 };
    if (line.hitByte < 0 && line.cleaner !== undefined) {
      const clean = line.cleaner.endLine();
      this.feedAutomaton(line, clean, 0, clean.length);
    }
    if (line.hitByte < 0 && this.finder.automaton().endLine()) {
      line.hitByte = line.fromByte + Math.max(0, line.fedCount - 1);
    }
    if (line.hitByte < 0) return this.visitor.unmatched(line.fromByte, toByte, at);
    return this.visitor.matched(line.fromByte, toByte, line.hitByte, at, undefined);
  }
}

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
  const walk = new LineWalk(fromByte, finder, visitor, cleaner);
  for (const chunk of chunks) {
    if (chunk instanceof Promise) {
      yield chunk;
      continue;
    }
    if (typeof chunk === "number") walk.baseByte = chunk;
    else if (walk.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))) return;
    yield walk.baseByte;
  }
  walk.end();
}
