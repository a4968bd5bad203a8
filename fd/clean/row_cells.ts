/**
 * A row of a terminal as its chars: those that are left after some were overwritten or erased. Each code point is one
 * cell.
 */

import { charEnd, codePointAt } from "../bytes/utf8_chars.ts";
import type { CursorControl } from "./escape_sequences.ts";

/** A row is remembered up to this many cells; then its first half is final. */
export const MAX_CELLS = 65_536;

/** A cursor that is moved past the end of the row stops before this column, as at a terminal's edge. */
const COLUMNS = 256;

/** Cells from here on hold no stored char to show: one of the content before a slice, and a blank. */
const FOREIGN = 0x4000_0000;
const BLANK = 0x8000_0020;

/** A row and the cursor in it. */
export type RowCells = ReturnType<typeof startRow>;

/** An empty row. */
export function startRow() {
  let cells = new Uint32Array(256);
  let length = 0;
  /** The column of the next char, from 0. */
  let column = 0;
  /** Chars that were overwritten or erased since the start. */
  let lostChars = 0;

  function grow(wanted: number): void {
    if (wanted <= cells.length) return;
    const larger = new Uint32Array(Math.max(wanted, 2 * cells.length));
    larger.set(cells.subarray(0, length));
    cells = larger;
  }

  /** Counts the stored chars in cells `[from, to)` as lost. */
  function lose(from: number, to: number): void {
    for (let at = from; at < to; at++) if (cells[at]! < FOREIGN) lostChars++;
  }

  function blank(from: number, to: number): void {
    lose(from, to);
    cells.fill(BLANK, from, to);
  }

  function erase(part: number): void {
    if (part === 1) return blank(0, Math.min(column + 1, length));
    const from = part === 0 ? Math.min(column, length) : 0;
    if (part > 2) return;
    lose(from, length);
    length = from;
  }

  /** Writes a code point at the cursor. The row must have fewer than {@link MAX_CELLS} cells. */
  function write(codePoint: number): void {
    if (column >= length) {
      grow(column + 1);
      cells.fill(BLANK, length, column);
      length = column + 1;
    } else if (cells[column]! < FOREIGN) lostChars++;
    cells[column++] = codePoint;
  }

  function moveRight(count: number): void {
    column = Math.min(column + count, Math.max(column, length, COLUMNS - 1));
  }

  function deleteCells(count: number): void {
    const to = Math.min(column + count, length);
    if (to <= column) return;
    lose(column, to);
    cells.copyWithin(column, to, length);
    length -= to - column;
  }

  return {
    get length() {
      return length;
    },
    get column() {
      return column;
    },
    get lostChars() {
      return lostChars;
    },
    /** Restarts with the chars of `bytes[from, to)`, the cursor at `atColumn` or after them. */
    reset(bytes: Uint8Array, from: number, to: number, atColumn?: number): void {
      length = column = 0;
      for (let at = from; at < to;) {
        const next = charEnd(bytes, at, to);
        write(codePointAt(bytes, at, next));
        at = next;
      }
      if (atColumn !== undefined) column = atColumn;
    },
    write,
    /** Writes printable ASCII from `from` on; returns where it ends, at most `to`. The row must have room for all. */
    writeAscii(bytes: Uint8Array, from: number, to: number): number {
      const end = printableEnd(bytes, from, to);
      grow(column + end - from);
      if (column > length) cells.fill(BLANK, length, column);
      lostChars += overwrite(cells, column, length, bytes, from, end);
      column += end - from;
      length = Math.max(length, column);
      return end;
    },
    moveTo(wanted: number): void {
      column = Math.min(wanted, Math.max(length, COLUMNS - 1));
    },
    back(): void {
      if (column > 0) column--;
    },
    act({ action, count }: CursorControl): void {
      const many = count || 1;
      if (action === "C") moveRight(many);
      else if (action === "D") column = Math.max(0, column - many);
      else if (action === "G") column = Math.min(many - 1, Math.max(length, COLUMNS - 1));
      else if (action === "K") erase(count);
      else if (action === "P") deleteCells(many);
      else if (action === "X") blank(Math.min(column, length), Math.min(column + many, length));
      else if (count === 0) erase(0);
    },
    /** Encodes the first `count` cells into `into` at `start`, which has room for 4 bytes a cell; returns their end. */
    encode(into: Uint8Array, start: number, count: number): number {
      let at = start;
      for (let cell = 0; cell < count; cell++) {
        if (cells[cell] !== FOREIGN) at = encodeCodePoint(cells[cell]! & 0x1f_ffff, into, at);
      }
      return at;
    },
    /** Drops the first `count` cells, which are before the cursor. */
    shift(count: number): void {
      cells.copyWithin(0, count, length);
      length -= count;
      column -= count;
    },
    /** Drops blanks at the end that no stored char put there. */
    trim(): void {
      while (length > 0 && cells[length - 1]! >= FOREIGN) length--;
    },
    /** Hides the present chars of the row, and forgets what was lost. */
    disown(): void {
      cells.fill(FOREIGN, 0, length);
      lostChars = 0;
    },
  };
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
