/**
 * A row of a terminal as its chars: those that are left after some were overwritten or erased. Each code point is one
 * cell.
 */

import { charEnd, codePointAt } from "../bytes/utf8_chars.ts";
import { type CursorControl, ROW_MOVES } from "./escape_sequences.ts";

/** A row is remembered up to this many cells; then its first half is final. */
export const MAX_CELLS = 65_536;

/** A cursor that is moved past the end of the row stops before this column, as at a terminal's edge. */
const COLUMNS = 256;

/** Cells from here on hold no stored char to show: one of the content before a slice, and a blank. */
const FOREIGN = 0x4000_0000;
const BLANK = 0x8000_0020;

/** A row and the cursor in it; empty at first. */
export class RowCells {
  private cells = new Uint32Array(256);
  length = 0;
  /** The column of the next char, from 0. */
  column = 0;
  /** Chars that were overwritten or erased since the start. */
  lostChars = 0;

  /** Restarts with the chars of `bytes[from, to)`, the cursor after them. */
  reset(bytes: Uint8Array, from: number, to: number): void {
    this.length = this.column = 0;
    for (let at = from; at < to;) {
      const next = charEnd(bytes, at, to);
      this.write(codePointAt(bytes, at, next));
      at = next;
    }
  }

  /** Writes printable ASCII from `from` on; returns where it ends, at most `to`. The row must have room for all. */
  writeAscii(bytes: Uint8Array, from: number, to: number): number {
    const end = printableEnd(bytes, from, to);
    this.grow(this.column + end - from);
    if (this.column > this.length) this.cells.fill(BLANK, this.length, this.column);
    this.lostChars += overwrite(this.cells, this.column, this.length, bytes, from, end);
    this.column += end - from;
    this.length = Math.max(this.length, this.column);
    return end;
  }

  back(): void {
    if (this.column > 0) this.column--;
  }

  act({ action, count }: CursorControl): void {
    const many = count || 1;
    if (action === "C") this.moveRight(many);
    else if (action === "D") this.column = Math.max(0, this.column - many);
    else if (action === "G") this.column = Math.min(many - 1, Math.max(this.length, COLUMNS - 1));
    else if (action === "K") this.erase(count);
    else if (action === "P") this.deleteCells(many);
    else if (ROW_MOVES.includes(action)) this.moveOn();
    else if (action === "X") {
      this.blank(Math.min(this.column, this.length), Math.min(this.column + many, this.length));
    } else if (count === 0) this.erase(0);
  }

  /** Encodes the first `count` cells into `into` at `start`, which has room for 4 bytes a cell; returns their end. */
  encode(into: Uint8Array, start: number, count: number): number {
    let at = start;
    for (let cell = 0; cell < count; cell++) {
      if (this.cells[cell] !== FOREIGN) at = encodeCodePoint(this.cells[cell]! & 0x1f_ffff, into, at);
    }
    return at;
  }

  /** Drops the first `count` cells, which are before the cursor. */
  shift(count: number): void {
    this.cells.copyWithin(0, count, this.length);
    this.length -= count;
    this.column -= count;
  }

  /** Drops blanks at the end that no stored char put there. */
  trim(): void {
    while (this.length > 0 && this.cells[this.length - 1]! >= FOREIGN) this.length--;
  }

  /** Hides the present chars of the row, and forgets what was lost. */
  disown(): void {
    this.cells.fill(FOREIGN, 0, this.length);
    this.lostChars = 0;
  }

  private grow(wanted: number): void {
    if (wanted <= this.cells.length) return;
    const larger = new Uint32Array(Math.max(wanted, 2 * this.cells.length));
    larger.set(this.cells.subarray(0, this.length));
    this.cells = larger;
  }

  /** Counts the stored chars in cells `[from, to)` as lost. */
  private lose(from: number, to: number): void {
    for (let at = from; at < to; at++) if (this.cells[at]! < FOREIGN) this.lostChars++;
  }

  private blank(from: number, to: number): void {
    this.lose(from, to);
    this.cells.fill(BLANK, from, to);
  }

  private erase(part: number): void {
    if (part === 1) return this.blank(0, Math.min(this.column + 1, this.length));
    const from = part === 0 ? Math.min(this.column, this.length) : 0;
    if (part > 2) return;
    this.lose(from, this.length);
    this.length = from;
  }

  /** Writes a code point at the cursor. The row must have fewer than {@link MAX_CELLS} cells. */
  write(codePoint: number): void {
    if (this.column >= this.length) {
      this.grow(this.column + 1);
      this.cells.fill(BLANK, this.length, this.column);
      this.length = this.column + 1;
    } else if (this.cells[this.column]! < FOREIGN) this.lostChars++;
    this.cells[this.column++] = codePoint;
  }

  /** Moves behind the row, with a blank in between: words on different rows are different words. */
  private moveOn(): void {
    const last = this.cells[this.length - 1];
    this.column = this.length + (this.length > 0 && last !== 0x20 && last !== BLANK ? 1 : 0);
  }

  private moveRight(count: number): void {
    this.column = Math.min(this.column + count, Math.max(this.column, this.length, COLUMNS - 1));
  }

  private deleteCells(count: number): void {
    const to = Math.min(this.column + count, this.length);
    if (to <= this.column) return;
    this.lose(this.column, to);
    this.cells.copyWithin(this.column, to, this.length);
    this.length -= to - this.column;
  }
}

/** Returns where printable ASCII from `from` on ends, at most `to`. */
function printableEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at]! >= 0x20 && bytes[at]! < 0x7f) at++;
  return at;
}

/** Writes `bytes[from, to)` to `cells` from `column` on, which has `length` cells; returns how many stored chars it lost. */
function overwrite(
  cells: Uint32Array,
  column: number,
  length: number,
  bytes: Uint8Array,
  from: number,
  to: number,
): number {
  let lost = 0;
  const shift = column - from;
  const known = Math.min(to, length - shift);
  let at = from;
  for (; at < known; at++) {
    if (cells[shift + at]! < FOREIGN) lost++;
    cells[shift + at] = bytes[at]!;
  }
  for (; at < to; at++) cells[shift + at] = bytes[at]!;
  return lost;
}

/** Writes a code point as UTF-8 into `into` at `start`; returns its end. */
export function encodeCodePoint(codePoint: number, into: Uint8Array, start: number): number {
  let at = start;
  if (codePoint < 0x80) into[at++] = codePoint;
  else {
    if (codePoint < 0x800) into[at++] = 0xc0 | codePoint >> 6;
    else {
      if (codePoint < 0x1_0000) into[at++] = 0xe0 | codePoint >> 12;
      else {
        into[at++] = 0xf0 | codePoint >> 18;
        into[at++] = 0x80 | codePoint >> 12 & 0x3f;
      }
      into[at++] = 0x80 | codePoint >> 6 & 0x3f;
    }
    into[at++] = 0x80 | codePoint & 0x3f;
  }
  return at;
}
