/**
 * Finds the odd line among many that are built alike: a word in a place where all others have one of a few words (one
 * `degraded` among thousands of `ok`), or a number far above all others in its place (the one slow request).
 */

import type { StudiedLines } from "./studied_lines.ts";

/** Minimum number of similar lines for one to be odd. */
const MIN_ALIKE = 80;
/** Shapes that are compared, the most frequent ones. */
const MAX_SHAPES = 4;
/** Fields of a line that are compared. */
const MAX_FIELDS = 24;
/** With more different words in one place, they are names. */
const MAX_WORDS = 12;
/** Lines that may have the odd word or number. */
const MAX_ODD = 2;
/** An odd number is this many powers of two above all others. */
const MIN_ABOVE = 2;
const SIZES = 64;

/** One place in the lines of a shape. */
interface Field {
  /** By the hash of a word: how many lines have it, and the last one. Undefined once there are too many words. */
  words: Map<number, { count: number; line: number }> | undefined;
  /** By the size of a number, as a power of two: how many lines, and the last one. */
  sizeCounts: Int32Array;
  sizeLines: Int32Array;
}

/** The numbers of the odd lines, ascending. */
export function oddFieldLines(piece: StudiedLines, shapes: ReadonlyMap<number, number>): number[] {
  const own = new Map<number, number>();
  for (const shape of piece.shapes) own.set(shape, (own.get(shape) ?? 0) + 1);
  const alike = [...own].filter(([shape, count]) => count >= MIN_ALIKE && shapes.has(shape))
    .sort((one, other) => other[1] - one[1]).slice(0, MAX_SHAPES);
  const odd = new Set<number>();
  for (const [shape] of alike) {
    const fields: Field[] = [];
    for (let at = 0; at < piece.shapes.length; at++) {
      if (piece.shapes[at] === shape) {
        takeFields(fields, piece.bytes, piece.starts[at]!, piece.starts[at + 1]! - 1, piece.firstLine + at);
      }
    }
    for (const field of fields) for (const line of oddLinesOf(field)) odd.add(line);
  }
  return [...odd].sort((one, other) => one - other);
}

function takeFields(fields: Field[], bytes: Uint8Array, from: number, to: number, line: number): void {
  let at = from;
  for (let count = 0; count < MAX_FIELDS; count++) {
    while (at < to && IS_OF_FIELD[bytes[at]!] === 0) at++;
    if (at >= to) return;
    const start = at;
    while (at < to && IS_OF_FIELD[bytes[at]!] === 1) at++;
    const field = fields[count] ??= {
      words: new Map(),
      sizeCounts: new Int32Array(SIZES),
      sizeLines: new Int32Array(SIZES),
    };
    if (isDigit(bytes[start]!)) countSize(field, bytes, start, at, line);
    if (field.words !== undefined) countWord(field, maskedHash(bytes, start, at), line);
  }
}

/** Chars of words, numbers, and paths. */
const IS_OF_FIELD = new Uint8Array(256);
for (let code = 0; code < 256; code++) {
  const small = code | 0x20;
  if (small >= 0x61 && small <= 0x7a || code >= 0x2d && code <= 0x39 || code === 0x5f) IS_OF_FIELD[code] = 1;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** A hash of a word in which all numbers are alike. */
function maskedHash(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0;
  let wasDigit = false;
  for (let at = from; at < to; at++) {
    const code = bytes[at]!;
    const digit = isDigit(code);
    if (!digit || !wasDigit) hash = Math.imul(hash ^ (digit ? 0x30 : code), 0x01000193) + 1;
    wasDigit = digit;
  }
  return hash;
}

/** Counts a number, after which its unit may follow, by its size in thousandths. Anything else that starts with digits is not counted. */
function countSize(field: Field, bytes: Uint8Array, from: number, to: number, line: number): void {
  let thousandths = 0;
  let decimals = -1;
  for (let at = from; at < to; at++) {
    const code = bytes[at]!;
    if (isDigit(code)) {
      if (decimals < 3) thousandths = thousandths * 10 + code - 0x30;
      if (decimals >= 0 && decimals < 3) decimals++;
    } else if (code === 0x2e && decimals < 0) decimals = 0;
    else if (to - at > 2) return;
    else break;
  }
  for (decimals = Math.max(0, decimals); decimals < 3; decimals++) thousandths *= 10;
  const size = thousandths < 2 ** 31
    ? 32 - Math.clz32(thousandths)
    : Math.min(SIZES - 1, Math.floor(Math.log2(thousandths)) + 1);
  field.sizeCounts[size]!++;
  field.sizeLines[size] = line;
}

function countWord(field: Field, hash: number, line: number): void {
  const words = field.words!;
  const known = words.get(hash);
  if (known === undefined) words.set(hash, { count: 1, line });
  else {
    known.count++;
    known.line = line;
  }
  if (words.size > MAX_WORDS) field.words = undefined;
}

function oddLinesOf({ words, sizeCounts, sizeLines }: Field): number[] {
  const odd: number[] = [];
  if (words !== undefined && words.size > 1) {
    for (const { count, line } of words.values()) if (count <= MAX_ODD) odd.push(line);
  }
  let top = SIZES - 1;
  while (top > 0 && sizeCounts[top] === 0) top--;
  let below = top - 1;
  while (below > 0 && sizeCounts[below] === 0) below--;
  if (sizeCounts[top]! <= MAX_ODD && below > 0 && top - below >= MIN_ABOVE) odd.push(sizeLines[top]!);
  return odd.length > 2 * MAX_ODD ? [] : odd;
}
