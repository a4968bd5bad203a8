/**
 * The clean view (contract): what a terminal of one row would have left standing of each line. Escape sequences are
 * gone, chars that were overwritten or erased as well; other control characters are shown (`\x07`), and of a run of NULs
 * its length. Every LF and TAB
 * stays, so lines keep their numbers. A sequence that does not end in its line, or in 64 KiB, is text.
 *
 * The result has no control characters, does not depend on how the content arrives in pieces, and cleaning it again
 * changes nothing. Ill-formed bytes pass as they are, except where the clean view could join them to a char: before
 * something left out, and in rows that were written over. There they are U+FFFD.
 */

import { joinBytes, withRoom } from "../bytes/utf8_bytes.ts";
import { charEnd, codePointAt, countChars, startOfUnfinished } from "../bytes/utf8_chars.ts";
import { type CleanKernel, cleanKernel } from "./clean_kernel.ts";
import {
  ATTENTION,
  cursorControl,
  isSecondOfControl,
  ROW_MOVES,
  sequenceEnd,
  UNFINISHED,
} from "./escape_sequences.ts";
import { needsCleaning } from "./needs_cleaning.ts";
import { encodeCodePoint, MAX_CELLS, RowCells } from "./row_cells.ts";

/**
 * Takes the row `bytes[from, to)`, which is about to be written over or erased, and how many lines the present call has ended
 * before it.
 */
export type SeeOverwritten = (bytes: Uint8Array, from: number, to: number, lineFeeds: number) => void;

/** A row that was not written over is remembered up to this many bytes; then its first half is final. */
const MAX_ROW_BYTES = MAX_CELLS;

/** As many NULs in a row are a gap. */
const MIN_NULS = 8;

/** Starting the kernel pays off for pieces of this size, and calling it for this many bytes. */
const KERNEL_FROM_BYTES = 16_384;
const MIN_KERNEL_BYTES = 128;
const PLAIN_RUNS = 16;

const BS = 0x08;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const C2 = 0xc2;
const NOTHING = new Uint8Array(0);

/**
 * Returns the clean view of a whole content; `bytes` itself if they are clean.
 *
 * ```ts
 * import { cleanBytes } from "./clean_text.ts";
 * const clean = (text: string) => new TextDecoder().decode(cleanBytes(new TextEncoder().encode(text)));
 * if (clean("\x1b[1;31merror\x1b[0m\r\n") !== "error\n") throw new Error();
 * if (clean(" 10%\r100%\x07") !== "100%\\x07") throw new Error();
 * ```
 */
export function cleanBytes(bytes: Uint8Array): Uint8Array {
  if (!needsCleaning(bytes)) return bytes;
  const cleaning = new Cleaning();
  const most = cleaning.clean(bytes).slice();
  const rest = cleaning.end();
  return rest.length === 0 ? most : joinBytes([most, rest]);
}

/** Yields the clean view of `chunks`, in pieces that are valid until the next one. `isCut` is as for `end`. */
export function* cleanChunks(
  chunks: Iterable<Uint8Array>,
  cleaning: Cleaning = new Cleaning(),
  isCut = false,
): Iterable<Uint8Array> {
  for (const chunk of chunks) {
    const cleaned = cleaning.clean(chunk);
    if (cleaned.length > 0) yield cleaned;
  }
  const rest = cleaning.end(isCut);
  if (rest.length > 0) yield rest;
}

/** Cleans a content, which arrives in pieces of any size. Needs a fixed amount of memory besides a piece's. */
export class Cleaning {
  /** Final text, followed by the open row, if that is in `out`. */
  private out = NOTHING;
  private outLength = 0;
  private rowStart = 0;
  /** Whether the open row is in `cells`. */
  private inCells = false;
  private cells: RowCells | undefined;
  private writtenCells = 0;
  /** Line feeds in `out`, up to where they are counted. */
  private lineFeeds = 0;
  private countedTo = 0;
  /** Whether the cursor is at column 0 of a row in `out`; else it is at its end. */
  private isReturned = false;
  private droppedChars = 0;
  /** NULs before what arrives next. */
  private nuls = 0;
  /** The undecided end of what arrived, and how far into it a sequence was seen. */
  private carry = NOTHING;
  private carryLength = 0;
  private scannedTo = 0;
  /** The part of the current piece that is in the kernel's memory. */
  private kernel: CleanKernel | undefined;
  private windowStart = 0;
  private windowEnd = 0;
  /** Runs to take without the kernel, because the last was short. */
  private plainRuns = 0;

  constructor(private readonly seeOverwritten?: SeeOverwritten) {}

  /** Chars left out so far: of sequences, overwritten and erased ones. */
  get leftOutChars(): number {
    return Math.max(0, this.droppedChars + (this.cells?.lostChars ?? 0));
  }

  /**
   * Takes the next bytes; returns what is final, at least all whole lines. The result may be a part of `chunk`; it is
   * valid until the next call.
   */
  clean(chunk: Uint8Array): Uint8Array {
    this.forgetFinal();
    const passed = this.passClean(chunk);
    if (passed !== undefined) return passed;
    const bytes = this.joined(chunk);
    this.keepCarry(bytes, this.take(bytes, false));
    if (!this.inCells) this.letGoOfRow();
    return this.out.subarray(0, this.rowStart);
  }

  /**
   * Takes the text before the content in its first line: what it writes is not shown, but it may be inside a
   * sequence, and the content may write over it. Only before anything else.
   */
  startAfter(before: Uint8Array): void {
    this.keepCarry(before, this.take(before, false));
    if (this.inCells || this.outLength > this.rowStart) this.rowCells().disown();
    this.outLength = this.rowStart = this.nuls = 0;
    // Only what follows is counted of a sequence that is open.
    this.droppedChars = -countChars(this.carry, 0, this.carryLength);
  }

  /** Ends the content; returns the rest. With `isCut`, more follows in the line, and a sequence that is cut is left out. */
  end(isCut = false): Uint8Array {
    this.forgetFinal();
    if (isCut) {
      this.droppedChars += countChars(this.carry, 0, this.carryLength);
      this.carryLength = 0;
    }
    if (this.carryLength > 0) this.take(this.carry.slice(0, this.carryLength), true);
    this.carryLength = 0;
    this.showNuls();
    if (this.inCells) this.settleCells(this.cells!);
    this.isReturned = false;
    this.rowStart = this.outLength;
    return this.out.subarray(0, this.outLength);
  }

  private ensure(more: number): void {
    if (this.outLength + more <= this.out.length) return;
    this.out = withRoom(this.out, this.outLength, Math.max(this.outLength + more, 1024));
  }

  /** Moves the start of an over-long row in `out`. It depends on the row only, however often it is asked. */
  private letGoOfRow(): void {
    this.rowStart = rememberedFrom(this.out, this.rowStart, this.outLength);
  }

  private rowCells(): RowCells {
    if (this.inCells) return this.cells!;
    this.letGoOfRow();
    this.cells ??= new RowCells();
    this.cells.reset(this.out, this.rowStart, this.outLength);
    this.writtenCells = this.cells.length;
    if (this.isReturned) this.cells.column = 0;
    this.outLength = this.rowStart;
    this.isReturned = false;
    this.inCells = true;
    return this.cells;
  }

  /** Ends a row in cells: its text follows in `out`. */
  private settleCells(row: RowCells): void {
    row.trim();
    this.ensure(4 * row.length + 1);
    this.outLength = row.encode(this.out, this.outLength, row.length);
    this.inCells = false;
  }

  /** Notes how far the row in `cells` is written, before the cursor returns. */
  private returning(row: RowCells): void {
    if (row.column > 0) this.writtenCells = Math.min(row.column, row.length);
  }

  /** Reports what was written of the row that is lost next. */
  private lose(): void {
    if (this.seeOverwritten === undefined) return;
    const from = this.inCells ? this.outLength : this.rowStart;
    let end = this.outLength;
    if (this.inCells) {
      this.returning(this.cells!);
      this.ensure(4 * this.writtenCells);
      end = this.cells!.encode(this.out, this.outLength, this.writtenCells);
    }
    if (end === from) return;
    for (; this.countedTo < this.rowStart; this.countedTo++) {
      if (this.out[this.countedTo] === LF) this.lineFeeds++;
    }
    this.seeOverwritten(this.out, from, end, this.lineFeeds);
  }

  private writeCell(row: RowCells, codePoint: number): void {
    if (row.column >= MAX_CELLS) {
      const half = MAX_CELLS / 2;
      this.ensure(4 * half);
      this.rowStart = this.outLength = row.encode(this.out, this.outLength, half);
      row.shift(half);
    }
    row.write(codePoint);
  }

  /** Takes chars without a control; returns where they end. */
  private takeText(bytes: Uint8Array, from: number, end: number, isLast: boolean): number {
    if (this.isReturned && !this.inCells && isText(bytes, from, end)) {
      if (this.outLength === this.rowStart) this.isReturned = false;
      else this.rowCells();
    }
    if (this.inCells) {
      return this.takeCells(this.cells!, bytes, from, isLast ? end : startOfUnfinished(bytes, end, from));
    }
    if (this.isReturned) return from;
    this.ensure(end - from);
    if (this.kernel !== undefined && this.plainRuns-- <= 0) {
      return this.takeByKernel(this.kernel, bytes, from, end);
    }
    const stop = copyText(bytes, from, end, this.out, this.outLength);
    const lastLf = lastLfIn(bytes, from, stop);
    if (lastLf >= 0) this.rowStart = this.outLength + lastLf + 1 - from;
    this.outLength += stop - from;
    return stop;
  }

  /** Takes text and the sequences that the kernel knows, window by window. */
  private takeByKernel(kernel: CleanKernel, bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    do {
      if (at < this.windowStart || at >= this.windowEnd) {
        this.windowStart = at;
        this.windowEnd = kernel.load(bytes, at, end);
      }
      at = this.windowStart +
        kernel.copy(at - this.windowStart, this.windowEnd - this.windowStart, this.out, this.outLength);
      const copiedTo = kernel.paste(this.out, this.outLength);
      const lastLf = lastLfIn(this.out, this.outLength, copiedTo);
      if (lastLf >= 0) this.rowStart = lastLf + 1;
      this.outLength = copiedTo;
      this.droppedChars += kernel.leftOutChars;
    } while (at === this.windowEnd && at < end);
    this.plainRuns = at - from < MIN_KERNEL_BYTES ? PLAIN_RUNS : 0;
    return at;
  }

  private takeCells(row: RowCells, bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    if (row.column === 0 && row.length > 0 && at < end && isText(bytes, at, end)) this.lose();
    while (at < end && isText(bytes, at, end)) {
      const byte = bytes[at]!;
      if (byte >= 0x20 && byte < 0x7f && row.column < MAX_CELLS) {
        at = row.writeAscii(bytes, at, Math.min(end, at + MAX_CELLS - row.column));
        continue;
      }
      const next = charEnd(bytes, at, end);
      this.writeCell(row, codePointAt(bytes, at, next));
      at = next;
    }
    return at;
  }

  /** Takes what `takeText` stopped at; returns its end, or {@link UNFINISHED}. */
  private takeControl(bytes: Uint8Array, at: number, end: number, isLast: boolean): number {
    const byte = bytes[at]!;
    if (byte === LF) return this.takeLineFeed(at);
    if (byte === ESC || byte === C2) return this.takeSequence(bytes, at, end, isLast);
    // A char that the end of the piece cuts.
    if (byte >= 0x80) return UNFINISHED;
    if (byte === CR || byte === BS) {
      this.leaveOut(1);
      if (byte === CR && this.inCells) {
        this.returning(this.cells!);
        this.cells!.column = 0;
      } else if (byte === CR) this.isReturned = true;
      else if (!this.isReturned && (this.inCells || this.outLength > this.rowStart)) this.rowCells().back();
      return at + 1;
    }
    let next = at;
    if (byte === 0) {
      while (next < end && bytes[next] === 0) next++;
      this.nuls += next - at;
      // More may follow in the next piece.
      if (next < end) this.showNuls();
      return next;
    }
    do this.showControl(bytes[next++]!); while (next < end && bytes[next] !== 0 && isShown(bytes[next]!));
    return next;
  }

  private takeLineFeed(at: number): number {
    if (this.inCells) {
      this.settleCells(this.cells!);
      this.out[this.outLength++] = LF;
      this.rowStart = this.outLength;
      return at + 1;
    }
    // The row is final, and its LF is text.
    this.isReturned = false;
    return at;
  }

  private takeSequence(bytes: Uint8Array, at: number, end: number, isLast: boolean): number {
    const isEscape = bytes[at] === ESC;
    let next = sequenceEnd(bytes, at, end, this.scannedTo);
    this.scannedTo = 0;
    if (next === UNFINISHED && !isLast) {
      // The last byte may be half a control.
      this.scannedTo = end - at - 1;
      return UNFINISHED;
    }
    if (!isEscape && !isSecondOfControl(bytes[at + 1])) next = at;
    if (next === at) return this.takeStray(at);
    if (next < 0) {
      this.showControl(isEscape ? ESC : bytes[at + 1]!);
      return at + (isEscape ? 1 : 2);
    }
    this.leaveOut(countChars(bytes, at, next));
    this.act(bytes, at, next);
    return next;
  }

  /** Takes a C2 at the end of the content, which is ill-formed. */
  private takeStray(at: number): number {
    if (this.isReturned || this.inCells) this.writeCell(this.rowCells(), 0xfffd);
    else {
      this.ensure(1);
      this.out[this.outLength++] = C2;
    }
    return at + 1;
  }

  private act(bytes: Uint8Array, start: number, end: number): void {
    const control = cursorControl(bytes, start, end);
    if (control === undefined) return;
    const { action, count } = control;
    // A program that returns and moves by rows draws a row again.
    const isReturned = this.inCells ? this.cells!.column === 0 : this.isReturned;
    if (isReturned && "ABEeF".includes(action)) return;
    if (!this.inCells) {
      if (this.outLength === this.rowStart && !this.isReturned && ROW_MOVES.includes(action)) return;
      // What most programs write needs no cells: erasing after the end, or all of a row, and going to its start.
      if (action === "G" && count <= 1) {
        this.isReturned = true;
        return;
      }
      if ((action === "K" || action === "J") && count === 0) {
        if (this.isReturned) this.eraseRow();
        return;
      }
    }
    const row = this.rowCells();
    if (action === "G") this.returning(row);
    if ((action === "K" || action === "J") && (count === 2 || count === 0 && row.column === 0)) this.lose();
    row.act(control);
  }

  private eraseRow(): void {
    this.letGoOfRow();
    this.lose();
    this.droppedChars += countChars(this.out, this.rowStart, this.outLength);
    this.outLength = this.rowStart;
    this.isReturned = false;
  }

  private leaveOut(chars: number): void {
    this.droppedChars += chars;
    if (this.inCells || this.outLength === this.rowStart || this.out[this.outLength - 1]! < 0x80) return;
    const unfinished = startOfUnfinished(this.out, this.outLength, this.rowStart);
    if (unfinished === this.outLength) return;
    this.outLength = unfinished;
    this.show(0xfffd);
  }

  private showNuls(): void {
    const count = this.nuls;
    this.nuls = 0;
    if (count < MIN_NULS) { for (let each = 0; each < count; each++) this.showControl(0); }
    else {
      this.leaveOut(count);
      const text = `[${String(count).replace(/\B(?=(?:\d{3})+$)/g, ",")} NUL bytes]`;
      for (let at = 0; at < text.length; at++) this.show(text.charCodeAt(at));
    }
  }

  private showControl(code: number): void {
    this.show(0x5c);
    this.show(0x78);
    this.show(hexDigit(code >> 4));
    this.show(hexDigit(code & 15));
  }

  private show(codePoint: number): void {
    if (this.isReturned && this.outLength === this.rowStart) this.isReturned = false;
    if (this.inCells || this.isReturned) return this.writeCell(this.rowCells(), codePoint);
    this.ensure(4);
    this.outLength = encodeCodePoint(codePoint, this.out, this.outLength);
  }

  private take(bytes: Uint8Array, isLast: boolean): number {
    const end = bytes.length;
    // Another cleaner may have used the kernel meanwhile.
    this.windowStart = this.windowEnd = 0;
    if (end >= KERNEL_FROM_BYTES) this.kernel = cleanKernel();
    let at = 0;
    if (this.nuls > 0 && end > 0 && bytes[0] !== 0) this.showNuls();
    while (at < end) {
      at = this.takeText(bytes, at, end, isLast);
      if (at >= end) break;
      const next = this.takeControl(bytes, at, end, isLast);
      if (next === UNFINISHED) break;
      at = next;
    }
    return at;
  }

  /** Drops the final text that the last call returned. */
  private forgetFinal(): void {
    this.out.copyWithin(0, this.rowStart, this.outLength);
    this.outLength -= this.rowStart;
    this.rowStart = this.lineFeeds = this.countedTo = 0;
  }

  /** Keeps the undecided end of `bytes`, which {@link joined} gave. */
  private keepCarry(bytes: Uint8Array, from: number): void {
    const rest = bytes.length - from;
    const isInPlace = this.carryLength > 0 && from === 0;
    this.carryLength = rest;
    if (isInPlace) return;
    this.carry = withRoom(this.carry, 0, rest);
    this.carry.set(bytes.subarray(from));
  }

  /** Takes a chunk without a control at the start of a line; returns undefined for any other. */
  private passClean(chunk: Uint8Array): Uint8Array | undefined {
    if (this.carryLength > 0 || this.outLength > 0 || this.nuls > 0 || this.inCells || this.isReturned) {
      return undefined;
    }
    if (chunk[chunk.length - 1] === C2 || needsCleaning(chunk)) return undefined;
    const rowFrom = rememberedFrom(chunk, chunk.lastIndexOf(LF) + 1, chunk.length);
    this.ensure(chunk.length - rowFrom);
    this.out.set(chunk.subarray(rowFrom));
    this.outLength = chunk.length - rowFrom;
    return chunk.subarray(0, rowFrom);
  }

  private joined(chunk: Uint8Array): Uint8Array {
    if (this.carryLength === 0) return chunk;
    const wanted = this.carryLength + chunk.length;
    this.carry = withRoom(this.carry, this.carryLength, wanted);
    this.carry.set(chunk, this.carryLength);
    return this.carry.subarray(0, wanted);
  }
}

/** Returns where the remembered part of the row `bytes[start, end)` begins, at a char. */
function rememberedFrom(bytes: Uint8Array, start: number, end: number): number {
  let from = start;
  while (end - from > MAX_ROW_BYTES) {
    from += MAX_ROW_BYTES / 2;
    for (let back = 0; back < 3 && (bytes[from]! & 0xc0) === 0x80; back++) from--;
  }
  return from;
}

/** Whether the char at `at` is neither a control nor an LF, and not a C2 that may begin one. */
function isText(bytes: Uint8Array, at: number, end: number): boolean {
  const byte = bytes[at]!;
  if (byte === C2) return at + 1 < end && !isSecondOfControl(bytes[at + 1]);
  return byte !== LF && ATTENTION[byte] === 0;
}

/** Returns the offset of the last LF of `bytes[from, to)`, or -1. Looks at no other byte: there may be many such ranges. */
function lastLfIn(bytes: Uint8Array, from: number, to: number): number {
  let at = to - 1;
  while (at >= from && bytes[at] !== LF) at--;
  return at < from ? -1 : at;
}

/** Whether a control of one byte neither moves the cursor nor begins a sequence. */
function isShown(byte: number): boolean {
  return byte < 0x80 && ATTENTION[byte] !== 0 && byte !== LF && byte !== ESC && byte !== CR && byte !== BS;
}

/** The char of a hexadecimal digit. */
function hexDigit(digit: number): number {
  return digit < 10 ? 0x30 + digit : 0x57 + digit;
}

/** Copies bytes up to the first control character, LFs included; returns where it stopped. */
function copyText(bytes: Uint8Array, from: number, end: number, into: Uint8Array, intoAt: number): number {
  const shift = intoAt - from;
  let at = from;
  for (; at < end; at++) {
    const byte = bytes[at]!;
    if (ATTENTION[byte] !== 0 && (byte !== C2 || at + 1 >= end || isSecondOfControl(bytes[at + 1]))) break;
    into[shift + at] = byte;
  }
  return at;
}
