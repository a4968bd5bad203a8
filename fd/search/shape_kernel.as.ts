// @ts-nocheck: AssemblyScript has types that TypeScript does not know.

/**
 * The kernel of the shapes of lines (line_shapes.ts): counts lines by shape. The first 256 bytes of the memory are the kinds
 * of bytes that line_shapes.ts defines.
 */

const BLANK: u8 = 1;
const QUOTE: u8 = 2;
const LETTER: u8 = 3;
const DIGIT: u8 = 4;
const HEX_LETTER: u8 = 5;
const SLASH: u8 = 6;
const JOINT: u8 = 7;

const SPACE: u8 = 0x20;
const HASH: u8 = 0x23;
const APOSTROPHE: u8 = 0x27;
const STAR: u8 = 0x2a;

/** Minimum length of a word of hexadecimal digits, one of them a decimal one, to be taken for a number. */
const MIN_HEX: i32 = 3;

function kindAt(at: i32): u8 {
  return load<u8>(<i32> load<u8>(at));
}

/** Returns the end of the word that starts at `from`, which may have an apostrophe inside. */
function endOfWord(from: i32, end: i32): i32 {
  let at = from + 1;
  while (at < end) {
    if (kindAt(at) < LETTER && !(load<u8>(at) == APOSTROPHE && kindAt(at - 1) < SLASH)) break;
    at++;
  }
  return at;
}

/** Writes the word from `from` to `end` at `out`, up to `outEnd`; returns where it ends. */
function writeWord(from: i32, end: i32, start: i32, outEnd: i32): i32 {
  const isPrefixed = end - from > 2 && load<u8>(from) == 0x30 && load<u8>(from + 1) == 0x78;
  let hasDigit = isPrefixed;
  let isHex = isPrefixed || end - from >= MIN_HEX;
  for (let at = isPrefixed ? from + 2 : from; at < end; at++) {
    const kind = kindAt(at);
    if (kind == SLASH && end - from > 1) {
      store<u8>(start, STAR);
      store<u8>(start + 1, 0x2f);
      store<u8>(start + 2, STAR);
      return start + 3;
    }
    if (kind == DIGIT) hasDigit = true;
    else if (kind != HEX_LETTER) isHex = false;
  }
  if (hasDigit && isHex) {
    store<u8>(start, HASH);
    return start + 1;
  }
  let out = start;
  for (let at = from; at < end && out < outEnd; at++) {
    const byte = load<u8>(at);
    if (load<u8>(<i32> byte) != DIGIT) store<u8>(out++, byte);
    // One number, whatever joins its parts.
    else if (out > start && load<u8>(out - 1) == HASH) continue;
    else if (out > start + 1 && load<u8>(out - 2) == HASH && kindAt(out - 1) == JOINT) out--;
    else store<u8>(out++, HASH);
  }
  return out;
}

/** Writes the shape of the bytes from `from` to `end` at `start`, at most `most` bytes and a little more; returns its length. */
function shape(from: i32, end: i32, start: i32, most: i32): i32 {
  const outEnd = start + most;
  let out = start;
  let at = from;
  while (at < end && out < outEnd) {
    const byte = load<u8>(at);
    const kind = load<u8>(<i32> byte);
    if (kind == BLANK) {
      if (out > start && load<u8>(out - 1) != SPACE) store<u8>(out++, SPACE);
      at++;
    } else if (kind == QUOTE) {
      store<u8>(out++, byte);
      at++;
      let close = at;
      while (close < end && load<u8>(close) != byte) close++;
      if (close >= end) continue;
      store<u8>(out++, STAR);
      store<u8>(out++, byte);
      at = close + 1;
    } else if (kind >= LETTER) {
      const wordEnd = endOfWord(at, end);
      out = writeWord(at, wordEnd, out, outEnd);
      at = wordEnd;
    } else {
      store<u8>(out++, byte);
      at++;
    }
  }
  while (out > start && load<u8>(out - 1) == SPACE) out--;
  return min(out - start, most);
}

/** The fields of a shape, before its bytes: its count, the index of its first line, its length. */
const COUNT: i32 = 0;
const FIRST: i32 = 4;
const LENGTH: i32 = 8;
const BYTES: i32 = 12;

function isEqual(one: i32, other: i32, length: i32): bool {
  for (let at = 0; at < length; at++) if (load<u8>(one + at) != load<u8>(other + at)) return false;
  return true;
}

/** Limits and addresses, as in line_shapes.ts. */
const MAX_SHAPES: i32 = 2000;
const MAX_SHAPE_BYTES: i32 = 160;
const LINES: i32 = 256;
const ENDS: i32 = LINES + 256 * 512;
const NUMBERS: i32 = ENDS + 4 * 256;
const TABLE: i32 = NUMBERS + 4 * 256;
const SLOTS: i32 = 4096;
const SHAPES: i32 = TABLE + 4 * SLOTS;
const SHAPE_SIZE: i32 = BYTES + MAX_SHAPE_BYTES + 8;

/**
 * Counts the lines that follow each other and end at the addresses in `ENDS`. The table has numbers of shapes, 0 for none,
 * by hash, and `NUMBERS` gets that of each line; the next shape is made behind the others. Of a shape beyond
 * `MAX_SHAPES` no line is counted. Returns how many shapes there are.
 */
export function add(lineCount: i32, shapeCount: i32): i32 {
  let from = LINES;
  for (let line = 0; line < lineCount; line++) {
    const end = load<i32>(ENDS + 4 * line);
    const made = SHAPES + SHAPE_SIZE * shapeCount;
    const length = shape(from, end, made + BYTES, MAX_SHAPE_BYTES);
    from = end;
    let hash: u32 = 0x811c9dc5;
    for (let at = 0; at < length; at++) hash = (hash ^ load<u8>(made + BYTES + at)) * 0x01000193;
    let slot = <i32> (hash ^ (hash >> 15)) & (SLOTS - 1);
    while (true) {
      const number = load<i32>(TABLE + 4 * slot);
      store<i32>(NUMBERS + 4 * line, number);
      if (number == 0) {
        if (shapeCount == MAX_SHAPES) break;
        store<i32>(TABLE + 4 * slot, ++shapeCount);
        store<i32>(NUMBERS + 4 * line, shapeCount);
        store<i32>(made + COUNT, 1);
        store<i32>(made + FIRST, line);
        store<i32>(made + LENGTH, length);
        break;
      }
      const known = SHAPES + SHAPE_SIZE * (number - 1);
      if (load<i32>(known + LENGTH) == length && isEqual(known + BYTES, made + BYTES, length)) {
        store<i32>(known + COUNT, load<i32>(known + COUNT) + 1);
        break;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
  }
  return shapeCount;
}
