/**
 * The clean view (contract): what a terminal of one row would have left standing of each line. Escape sequences are
 * gone, chars that were overwritten or erased as well; other control characters are shown (`\x07`). Every LF and TAB
 * stays, so lines keep their numbers. A sequence that does not end in its line, or in 64 KiB, is text.
 *
 * The result has no control characters, does not depend on how the content arrives in pieces, and cleaning it again
 * changes nothing. Ill-formed bytes pass as they are, except where the clean view could join them to a char: before
 * something left out, and in rows that were written over. There they are U+FFFD.
 */

import { joinBytes, withRoom } from "../bytes/utf8_bytes.ts";
import { charEnd, codePointAt, countChars, startOfUnfinished } from "../bytes/utf8_chars.ts";
import { type CleanKernel, cleanKernel } from "./clean_kernel.ts";
import { ATTENTION, cursorControl, isSecondOfControl, sequenceEnd, UNFINISHED } from "./escape_sequences.ts";
import { needsCleaning } from "./needs_cleaning.ts";
import { encodeCodePoint, MAX_CELLS, type RowCells, startRow } from "./row_cells.ts";

/** Content being cleaned. */
export type Cleaning = ReturnType<typeof startCleaning>;

/**
 * Takes the row `bytes[from, to)`, which is about to be written over or erased, and how many lines the present call has ended
 * before it.
 */
export type SeeOverwritten = (bytes: Uint8Array, from: number, to: number, lineFeeds: number) => void;

/** A row that was not written over is remembered up to this many bytes; then its first half is final. */
const MAX_ROW_BYTES = MAX_CELLS;

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
  const cleaning = startCleaning();
  const most = cleaning.clean(bytes).slice();
  const rest = cleaning.end();
  return rest.length === 0 ? most : joinBytes([most, rest]);
}

/** Yields the clean view of `chunks`, in pieces that are valid until the next one. `isCut` is as for `end`. */
export function* cleanChunks(
  chunks: Iterable<Uint8Array>,
  cleaning: Cleaning = startCleaning(),
  isCut = false,
): Iterable<Uint8Array> {
  for (const chunk of chunks) {
    const cleaned = cleaning.clean(chunk);
    if (cleaned.length > 0) yield cleaned;
  }
  const rest = cleaning.end(isCut);
  if (rest.length > 0) yield rest;
}

/** Starts to clean a content, which arrives in pieces of any size. Needs a fixed amount of memory besides a piece's. */
export function startCleaning(seeOverwritten?: SeeOverwritten) {
  /** Final text, followed by the open row, if that is in `out`. */
  let out = NOTHING;
  let outLength = 0;
  let rowStart = 0;
  /** Whether the open row is in `cells`. */
  let inCells = false;
  let cells: RowCells | undefined;
  let writtenCells = 0;
  /** Line feeds in `out`, up to where they are counted. */
  let lineFeeds = 0;
  let countedTo = 0;
  /** Whether the cursor is at column 0 of a row in `out`; else it is at its end. */
  let isReturned = false;
  let leftOutChars = 0;
  /** The undecided end of what arrived, and how far into it a sequence was seen. */
  let carry = NOTHING;
  let carryLength = 0;
  let scannedTo = 0;
  /** The part of the current piece that is in the kernel's memory. */
  let kernel: CleanKernel | undefined;
  let windowStart = 0;
  let windowEnd = 0;
  /** Runs to take without the kernel, because the last was short. */
  let plainRuns = 0;

  function ensure(more: number): void {
    if (outLength + more <= out.length) return;
    out = withRoom(out, outLength, Math.max(outLength + more, 1024));
  }

  /** Moves the start of an over-long row in `out`. It depends on the row only, however often it is asked. */
  function letGoOfRow(): void {
    rowStart = rememberedFrom(out, rowStart, outLength);
  }

  function rowCells(): RowCells {
    if (inCells) return cells!;
    letGoOfRow();
    cells ??= startRow();
    cells.reset(out, rowStart, outLength);
    writtenCells = cells.length;
    if (isReturned) cells.moveTo(0);
    outLength = rowStart;
    isReturned = false;
    inCells = true;
    return cells;
  }

  /** Ends a row in cells: its text follows in `out`. */
  function settleCells(row: RowCells): void {
    row.trim();
    ensure(4 * row.length + 1);
    outLength = row.encode(out, outLength, row.length);
    inCells = false;
  }

  /** Notes how far the row in `cells` is written, before the cursor returns. */
  function returning(row: RowCells): void {
    if (row.column > 0) writtenCells = Math.min(row.column, row.length);
  }

  /** Reports what was written of the row that is lost next. */
  function lose(): void {
    if (seeOverwritten === undefined) return;
    const from = inCells ? outLength : rowStart;
    let end = outLength;
    if (inCells) {
      returning(cells!);
      ensure(4 * writtenCells);
      end = cells!.encode(out, outLength, writtenCells);
    }
    if (end === from) return;
    for (; countedTo < rowStart; countedTo++) if (out[countedTo] === LF) lineFeeds++;
    seeOverwritten(out, from, end, lineFeeds);
  }

  function writeCell(row: RowCells, codePoint: number): void {
    if (row.column >= MAX_CELLS) {
      const half = MAX_CELLS / 2;
      ensure(4 * half);
      rowStart = outLength = row.encode(out, outLength, half);
      row.shift(half);
    }
    row.write(codePoint);
  }

  /** Takes chars without a control; returns where they end. */
  function takeText(bytes: Uint8Array, from: number, end: number, isLast: boolean): number {
    if (isReturned && !inCells && isText(bytes, from, end)) {
      if (outLength === rowStart) isReturned = false;
      else rowCells();
    }
    if (inCells) return takeCells(cells!, bytes, from, isLast ? end : startOfUnfinished(bytes, end, from));
    if (isReturned) return from;
    ensure(end - from);
    if (kernel !== undefined && plainRuns-- <= 0) return takeByKernel(kernel, bytes, from, end);
    const stop = copyText(bytes, from, end, out, outLength);
    const lastLf = lastLfIn(bytes, from, stop);
    if (lastLf >= 0) rowStart = outLength + lastLf + 1 - from;
    outLength += stop - from;
    return stop;
  }

  /** Takes text and the sequences that the kernel knows, window by window. */
  function takeByKernel(kernel: CleanKernel, bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    do {
      if (at < windowStart || at >= windowEnd) {
        windowStart = at;
        windowEnd = kernel.load(bytes, at, end);
      }
      at = windowStart + kernel.copy(at - windowStart, windowEnd - windowStart, out, outLength);
      const copiedTo = kernel.paste(out, outLength);
      const lastLf = lastLfIn(out, outLength, copiedTo);
      if (lastLf >= 0) rowStart = lastLf + 1;
      outLength = copiedTo;
      leftOutChars += kernel.leftOutChars;
    } while (at === windowEnd && at < end);
    plainRuns = at - from < MIN_KERNEL_BYTES ? PLAIN_RUNS : 0;
    return at;
  }

  function takeCells(row: RowCells, bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    if (row.column === 0 && row.length > 0 && at < end && isText(bytes, at, end)) lose();
    while (at < end && isText(bytes, at, end)) {
      const byte = bytes[at]!;
      if (byte >= 0x20 && byte < 0x7f && row.column < MAX_CELLS) {
        at = row.writeAscii(bytes, at, Math.min(end, at + MAX_CELLS - row.column));
        continue;
      }
      const next = charEnd(bytes, at, end);
      writeCell(row, codePointAt(bytes, at, next));
      at = next;
    }
    return at;
  }

  /** Takes what `takeText` stopped at; returns its end, or {@link UNFINISHED}. */
  function takeControl(bytes: Uint8Array, at: number, end: number, isLast: boolean): number {
    const byte = bytes[at]!;
    if (byte === LF) return takeLineFeed(at);
    if (byte === ESC || byte === C2) return takeSequence(bytes, at, end, isLast);
    // A char that the end of the piece cuts.
    if (byte >= 0x80) return UNFINISHED;
    if (byte === CR || byte === BS) {
      leaveOut(1);
      if (byte === CR && inCells) {
        returning(cells!);
        cells!.moveTo(0);
      } else if (byte === CR) isReturned = true;
      else if (!isReturned && (inCells || outLength > rowStart)) rowCells().back();
      return at + 1;
    }
    let next = at;
    do showControl(bytes[next++]!); while (next < end && isShown(bytes[next]!));
    return next;
  }

  function takeLineFeed(at: number): number {
    if (inCells) {
      settleCells(cells!);
      out[outLength++] = LF;
      rowStart = outLength;
      return at + 1;
    }
    // The row is final, and its LF is text.
    isReturned = false;
    return at;
  }

  function takeSequence(bytes: Uint8Array, at: number, end: number, isLast: boolean): number {
    const isEscape = bytes[at] === ESC;
    let next = sequenceEnd(bytes, at, end, scannedTo);
    scannedTo = 0;
    if (next === UNFINISHED && !isLast) {
      // The last byte may be half a control.
      scannedTo = end - at - 1;
      return UNFINISHED;
    }
    if (!isEscape && !isSecondOfControl(bytes[at + 1])) next = at;
    if (next === at) return takeStray(at);
    if (next < 0) {
      showControl(isEscape ? ESC : bytes[at + 1]!);
      return at + (isEscape ? 1 : 2);
    }
    leaveOut(countChars(bytes, at, next));
    act(bytes, at, next);
    return next;
  }

  /** Takes a C2 at the end of the content, which is ill-formed. */
  function takeStray(at: number): number {
    if (isReturned || inCells) writeCell(rowCells(), 0xfffd);
    else {
      ensure(1);
      out[outLength++] = C2;
    }
    return at + 1;
  }

  function act(bytes: Uint8Array, start: number, end: number): void {
    const control = cursorControl(bytes, start, end);
    if (control === undefined) return;
    const { action, count } = control;
    if (!inCells) {
      // What most programs write needs no cells: erasing after the end, or all of a row, and going to its start.
      if (action === "G" && count <= 1) {
        isReturned = true;
        return;
      }
      if ((action === "K" || action === "J") && count === 0) {
        if (isReturned) eraseRow();
        return;
      }
    }
    const row = rowCells();
    if (action === "G") returning(row);
    if ((action === "K" || action === "J") && (count === 2 || count === 0 && row.column === 0)) lose();
    row.act(control);
  }

  function eraseRow(): void {
    letGoOfRow();
    lose();
    leftOutChars += countChars(out, rowStart, outLength);
    outLength = rowStart;
    isReturned = false;
  }

  function leaveOut(chars: number): void {
    leftOutChars += chars;
    if (inCells || outLength === rowStart || out[outLength - 1]! < 0x80) return;
    const unfinished = startOfUnfinished(out, outLength, rowStart);
    if (unfinished === outLength) return;
    outLength = unfinished;
    show(0xfffd);
  }

  function showControl(code: number): void {
    show(0x5c);
    show(0x78);
    show(hexDigit(code >> 4));
    show(hexDigit(code & 15));
  }

  function show(codePoint: number): void {
    if (isReturned && outLength === rowStart) isReturned = false;
    if (inCells || isReturned) return writeCell(rowCells(), codePoint);
    ensure(4);
    outLength = encodeCodePoint(codePoint, out, outLength);
  }

  function take(bytes: Uint8Array, isLast: boolean): number {
    const end = bytes.length;
    // Another cleaner may have used the kernel meanwhile.
    windowStart = windowEnd = 0;
    if (end >= KERNEL_FROM_BYTES) kernel = cleanKernel();
    let at = 0;
    while (at < end) {
      at = takeText(bytes, at, end, isLast);
      if (at >= end) break;
      const next = takeControl(bytes, at, end, isLast);
      if (next === UNFINISHED) break;
      at = next;
    }
    return at;
  }

  /** Drops the final text that the last call returned. */
  function forgetFinal(): void {
    out.copyWithin(0, rowStart, outLength);
    outLength -= rowStart;
    rowStart = lineFeeds = countedTo = 0;
  }

  /** Keeps the undecided end of `bytes`, which {@link joined} gave. */
  function keepCarry(bytes: Uint8Array, from: number): void {
    const rest = bytes.length - from;
    const isInPlace = carryLength > 0 && from === 0;
    carryLength = rest;
    if (isInPlace) return;
    carry = withRoom(carry, 0, rest);
    carry.set(bytes.subarray(from));
  }

  /** Takes a chunk without a control at the start of a line; returns undefined for any other. */
  function passClean(chunk: Uint8Array): Uint8Array | undefined {
    if (carryLength > 0 || outLength > 0 || inCells || isReturned) return undefined;
    if (chunk[chunk.length - 1] === C2 || needsCleaning(chunk)) return undefined;
    const rowFrom = rememberedFrom(chunk, chunk.lastIndexOf(LF) + 1, chunk.length);
    ensure(chunk.length - rowFrom);
    out.set(chunk.subarray(rowFrom));
    outLength = chunk.length - rowFrom;
    return chunk.subarray(0, rowFrom);
  }

  function joined(chunk: Uint8Array): Uint8Array {
    if (carryLength === 0) return chunk;
    const wanted = carryLength + chunk.length;
    carry = withRoom(carry, carryLength, wanted);
    carry.set(chunk, carryLength);
    return carry.subarray(0, wanted);
  }

  return {
    /** Chars left out so far: of sequences, overwritten and erased ones. */
    get leftOutChars(): number {
      return Math.max(0, leftOutChars + (cells?.lostChars ?? 0));
    },
    /**
     * Takes the next bytes; returns what is final, at least all whole lines. The result may be a part of `chunk`; it is
     * valid until the next call.
     */
    clean(chunk: Uint8Array): Uint8Array {
      forgetFinal();
      const passed = passClean(chunk);
      if (passed !== undefined) return passed;
      const bytes = joined(chunk);
      keepCarry(bytes, take(bytes, false));
      if (!inCells) letGoOfRow();
      return out.subarray(0, rowStart);
    },
    /**
     * Takes the text before the content in its first line: what it writes is not shown, but it may be inside a
     * sequence, and the content may write over it. Only before anything else.
     */
    startAfter(before: Uint8Array): void {
      keepCarry(before, take(before, false));
      if (inCells || outLength > rowStart) rowCells().disown();
      outLength = rowStart = 0;
      // Only what follows is counted of a sequence that is open.
      leftOutChars = -countChars(carry, 0, carryLength);
    },
    /** Ends the content; returns the rest. With `isCut`, more follows in the line, and a sequence that is cut is left out. */
    end(isCut = false): Uint8Array {
      forgetFinal();
      if (isCut) {
        leftOutChars += countChars(carry, 0, carryLength);
        carryLength = 0;
      }
      if (carryLength > 0) take(carry.slice(0, carryLength), true);
      carryLength = 0;
      if (inCells) settleCells(cells!);
      isReturned = false;
      rowStart = outLength;
      return out.subarray(0, outLength);
    },
  };
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
