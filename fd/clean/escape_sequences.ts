/**
 * Finds the ends of escape sequences (ECMA-48), which begin with ESC or with a C1 control in UTF-8.
 *
 *   CSI       ESC [, then 20..3F, then 40..7E
 *   strings   OSC, DCS, SOS, PM, APC: up to ST or, for OSC, BEL
 *   nF        ESC, 20..2F, then 30..7E
 *   others    ESC and 30..7E; a C1 control
 *
 * As in a terminal, ESC or a C1 control ends any open sequence and begins the next, and CAN and SUB end it. So nothing
 * is nested, and bytes that turn out not to be a sequence contain no other.
 */

/** More bytes than this are not a sequence but text. */
const MAX_SEQUENCE_BYTES = 65_536;

/** The bytes are not a sequence. */
const NO_SEQUENCE = -1;
/** The end of the sequence is not among the bytes. */
export const UNFINISHED = -2;

const LF = 0x0a;
const ESC = 0x1b;
const C2 = 0xc2;
const OSC = 0x5d;

/**
 * Returns the end of the sequence that begins at `start` with ESC or a C1 control, {@link NO_SEQUENCE} or, if the bytes up
 * to `end` do not decide it, {@link UNFINISHED}. Bytes before `scannedTo` were seen by an earlier call.
 */
export function sequenceEnd(bytes: Uint8Array, start: number, end: number, scannedTo: number): number {
  if (start + 1 >= end) return UNFINISHED;
  const second = bytes[start + 1]!;
  if (bytes[start] === C2) return bodyEnd(bytes, start, second - 0x40, end, scannedTo);
  if (second === ESC) return start + 1;
  if (second === C2) {
    if (start + 2 >= end) return UNFINISHED;
    return isSecondOfControl(bytes[start + 2]) ? start + 1 : NO_SEQUENCE;
  }
  if (second < 0x20 || second > 0x7e) return NO_SEQUENCE;
  return bodyEnd(bytes, start, second, end, scannedTo);
}

/** The end of the sequence; `opener`, the char after ESC, gives its kind. */
function bodyEnd(bytes: Uint8Array, start: number, opener: number, end: number, scannedTo: number): number {
  const from = Math.max(start + 2, scannedTo);
  const isC1 = bytes[start] === C2;
  switch (opener) {
    case 0x5b:
      return finalEnd(bytes, start, from, end, 0x3f);
    case OSC:
    case 0x50:
    case 0x58:
    case 0x5e:
    case 0x5f:
      return stringEnd(bytes, start, from, end, opener === OSC);
  }
  return !isC1 && opener < 0x30 ? finalEnd(bytes, start, from, end, 0x2f) : start + 2;
}

/** The end of bytes from 20 to `lastInner`, and the final one after them. */
function finalEnd(bytes: Uint8Array, start: number, from: number, end: number, lastInner: number): number {
  const limit = Math.min(end, start + MAX_SEQUENCE_BYTES);
  for (let at = from; at < limit; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x20 && byte <= lastInner) continue;
    if (byte > lastInner && byte <= 0x7e) return at + 1;
    return cancelledAt(bytes, at, end);
  }
  return limit === end && limit < start + MAX_SEQUENCE_BYTES ? UNFINISHED : NO_SEQUENCE;
}

function stringEnd(
  bytes: Uint8Array,
  start: number,
  from: number,
  end: number,
  endsWithBel: boolean,
): number {
  const limit = Math.min(end, start + MAX_SEQUENCE_BYTES);
  for (let at = from; at < limit; at++) {
    const byte = bytes[at]!;
    if (byte >= 0x20 && byte !== C2) continue;
    if (byte === 0x07 && endsWithBel) return at + 1;
    if (byte === LF) return NO_SEQUENCE;
    const cancelled = cancelledAt(bytes, at, end);
    if (cancelled !== NO_SEQUENCE) return cancelled;
  }
  return limit === end && limit < start + MAX_SEQUENCE_BYTES ? UNFINISHED : NO_SEQUENCE;
}

/** The end of an open sequence if the char at `at` ends any. */
function cancelledAt(bytes: Uint8Array, at: number, end: number): number {
  const byte = bytes[at];
  if (byte === ESC) return at;
  if (byte === 0x18 || byte === 0x1a) return at + 1;
  if (byte !== C2) return NO_SEQUENCE;
  if (at + 1 >= end) return UNFINISHED;
  return isSecondOfControl(bytes[at + 1]) ? at : NO_SEQUENCE;
}

/** A control sequence that moves or erases: its last byte and first number; `undefined` for all others. */
export interface CursorControl {
  action: string;
  /** 0 if none is given. */
  count: number;
}

/** The last bytes of moves to other rows: by rows, and to a place of the screen. */
export const ROW_MOVES = "ABEFHdef";
const ACTIONS = `CDGJKPX${ROW_MOVES}`;
/** The same without a count, as ESC and a char: index, next line and reverse index. */
const SHORT_MOVES: Readonly<Record<number, string>> = { 0x44: "B", 0x45: "E", 0x4d: "A" };
/** By columns, under another name. */
const SAME_AS: Readonly<Record<string, string>> = { a: "C", "`": "G" };
/** One object, since content may have a control every three bytes. */
const found: CursorControl = { action: "", count: 0 };

/** Returns what the sequence `bytes[start, end)` does in its row, until the next call, or undefined if nothing. */
export function cursorControl(bytes: Uint8Array, start: number, end: number): CursorControl | undefined {
  const opener = bytes[start + 1]!;
  const short = bytes[start] === C2 ? undefined : SHORT_MOVES[opener];
  if (short !== undefined) {
    found.action = short;
    found.count = 1;
    return found;
  }
  if (opener !== 0x5b && !(opener === 0x9b && bytes[start] === C2)) return undefined;
  const last = bytes[end - 1]!;
  // SGR, by far the most frequent, does not move the cursor.
  if (end < start + 3 || last === 0x6d) return undefined;
  const name = String.fromCharCode(last);
  const action = SAME_AS[name] ?? name;
  if (!ACTIONS.includes(action)) return undefined;
  let count = 0;
  let isFirst = true;
  for (let at = start + 2; at < end - 1; at++) {
    const byte = bytes[at]!;
    // Another byte, wherever it is, makes it another sequence.
    if (byte < 0x30 || byte > 0x3b || byte === 0x3a) return undefined;
    isFirst &&= byte !== 0x3b;
    if (isFirst) count = Math.min(count * 10 + byte - 0x30, MAX_SEQUENCE_BYTES);
  }
  found.action = action;
  found.count = count;
  return found;
}

/** 1 for each byte that is, or may begin, something to clean. */
export const ATTENTION: Uint8Array = new Uint8Array(256).fill(1, 0, 0x20);
ATTENTION[0x09] = ATTENTION[0x0a] = 0;
ATTENTION[0x7f] = ATTENTION[0xc2] = 1;

/** Whether the byte after C2 makes the two a control character. */
export function isSecondOfControl(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xe0) === 0x80;
}
