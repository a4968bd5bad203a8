/**
 * Counts lines by their shape: the line with numbers, hexadecimal words, quoted text and paths masked, and blanks
 * folded. Among thousands of matching lines of one shape, the odd one is seen.
 */

import { Buffer } from "node:buffer";
import { startKernel } from "../bytes/start_kernel.ts";
import { SHAPE_KERNEL_BASE64 } from "./shape_kernel_wasm.ts";

/** A selected line, by offsets in the content. */
export interface FoundLine {
  fromByte: number;
  /** End of the line, including its LF. */
  toByte: number;
  /**
   * Start of the match; the line's start if lines that do not match are selected. In a line that differs in clean view, the
   * line's start plus the place of the match in the clean line.
   */
  hitByte: number;
}

/** Lines of one shape. */
export interface LineShape {
  count: number;
  /** The first of them, at most {@link MAX_SHAPE_LINES}. */
  lines: FoundLine[];
  /** The beginning of that line. */
  example: string;
}

/** Counts the lines that are added; further ones, and those of further shapes, are not counted. */
export interface ShapeCounter {
  /** Adds the line `bytes[from, to)`, which is `line` of the content. */
  add(bytes: Buffer, from: number, to: number, line: FoundLine): void;
  lineCount(): number;
  /** Whether further lines are not counted. */
  isFull(): boolean;
  /** The shapes in the order of their first lines. */
  shapes(): LineShape[];
}

/** Maximum lines that are counted, and shapes. */
export const MAX_SHAPED_LINES = 10_000;
const MAX_SHAPES = 2000;
/** Of a shape with no more lines, all are known. */
const MAX_SHAPE_LINES = 3;
/** Maximum length of a shape, and of the part of a line that it is made of. */
const MAX_SHAPE_BYTES = 160;
const MAX_LINE_BYTES = 512;

const HASH = 0x23;
const STAR = 0x2a;
const SPACE = 0x20;

/** The class of a byte in a shape; 0 for all others. */
const BLANK = 1;
const QUOTE = 2;
/** In words: letters, digits, and what joins the parts of paths and numbers. */
const LETTER = 3;
const DIGIT = 4;
const HEX_LETTER = 5;
const SLASH = 6;
const JOINT = 7;

const KINDS = /* @__PURE__ */ kindTable();

function kindTable(): Uint8Array {
  const kinds = new Uint8Array(256);
  const set = (chars: string, kind: number) => {
    for (let at = 0; at < chars.length; at++) kinds[chars.charCodeAt(at)] = kind;
  };
  kinds.fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b).fill(DIGIT, 0x30, 0x3a);
  set("abcdefABCDEF", HEX_LETTER);
  set("_", LETTER);
  set(" \t\r", BLANK);
  set("\"'`", QUOTE);
  set("/\\", SLASH);
  set(".:-+@~%,", JOINT);
  return kinds;
}

/** Minimum length of a word of hexadecimal digits, one of them a decimal one, to be taken for a number. */
const MIN_HEX = 3;

/** Writes the shape of `bytes[from, to)` into `into`; returns its length. */
export function writeShape(bytes: Uint8Array, from: number, to: number, into: Uint8Array): number {
  const end = Math.min(to, from + MAX_LINE_BYTES);
  let length = 0;
  let at = from;
  while (at < end && length < MAX_SHAPE_BYTES) {
    const byte = bytes[at]!;
    const kind = KINDS[byte]!;
    if (kind === BLANK) {
      if (length > 0 && into[length - 1] !== SPACE) into[length++] = SPACE;
      at++;
    } else if (kind === QUOTE) {
      into[length++] = byte;
      at++;
      let close = at;
      while (close < end && bytes[close] !== byte) close++;
      if (close >= end) continue;
      into[length++] = STAR;
      into[length++] = byte;
      at = close + 1;
    } else if (kind >= LETTER) {
      const wordEnd = endOfWord(bytes, at, end);
      length = writeWord(bytes, at, wordEnd, into, length);
      at = wordEnd;
    } else {
      into[length++] = byte;
      at++;
    }
  }
  while (length > 0 && into[length - 1] === SPACE) length--;
  return Math.min(length, MAX_SHAPE_BYTES);
}

/** A word may have an apostrophe inside. */
function endOfWord(bytes: Uint8Array, from: number, end: number): number {
  let at = from + 1;
  while (at < end) {
    const kind = KINDS[bytes[at]!]!;
    if (kind < LETTER && !(bytes[at] === 0x27 && KINDS[bytes[at - 1]!]! < SLASH)) break;
    at++;
  }
  return at;
}

function writeWord(bytes: Uint8Array, from: number, end: number, into: Uint8Array, start: number): number {
  const isPrefixed = bytes[from] === 0x30 && bytes[from + 1] === 0x78 && end - from > 2;
  let hasDigit = isPrefixed;
  let isHex = isPrefixed || end - from >= MIN_HEX;
  for (let at = isPrefixed ? from + 2 : from; at < end; at++) {
    const kind = KINDS[bytes[at]!]!;
    if (kind === SLASH && end - from > 1) {
      into[start] = STAR;
      into[start + 1] = 0x2f;
      into[start + 2] = STAR;
      return start + 3;
    }
    if (kind === DIGIT) hasDigit = true;
    else if (kind !== HEX_LETTER) isHex = false;
  }
  if (hasDigit && isHex) {
    into[start] = HASH;
    return start + 1;
  }
  let length = start;
  for (let at = from; at < end && length < MAX_SHAPE_BYTES; at++) {
    const byte = bytes[at]!;
    if (KINDS[byte] !== DIGIT) into[length++] = byte;
    // One number, whatever joins its parts.
    else if (length > start && into[length - 1] === HASH) continue;
    else if (length > start + 1 && into[length - 2] === HASH && KINDS[into[length - 1]!] === JOINT) length--;
    else into[length++] = HASH;
  }
  return length;
}

/** Shapes that are returned of many: the commonest, and the rarest. */
const MAX_COMMON = 4;
const MAX_RARE = 8;

/** Returns the commonest and the rarest of `shapes`, most lines first; of equals, the first one first. */
export function tellingShapes(shapes: readonly LineShape[]): LineShape[] {
  const isEarlier = (a: LineShape, b: LineShape) => a.lines[0]!.fromByte - b.lines[0]!.fromByte;
  const sorted = [...shapes].sort((a, b) => b.count - a.count || isEarlier(a, b));
  if (sorted.length <= MAX_COMMON + MAX_RARE) return sorted;
  const common = sorted.slice(0, MAX_COMMON);
  const rare = sorted.slice(MAX_COMMON).sort((a, b) => a.count - b.count || isEarlier(a, b));
  return [...common, ...rare.slice(0, MAX_RARE).sort((a, b) => b.count - a.count || isEarlier(a, b))];
}

/** Starts to count, with the kernel if the runtime has WebAssembly. */
export function shapeCounter(): ShapeCounter {
  return kernelCounter() ?? plainCounter();
}

export function plainCounter(): ShapeCounter {
  const shapes = new Map<string, LineShape>();
  const scratch = Buffer.alloc(MAX_SHAPE_BYTES + 8);
  let lineCount = 0;
  return {
    add(bytes, from, to, line) {
      if (lineCount >= MAX_SHAPED_LINES) return;
      lineCount++;
      const key = scratch.toString("latin1", 0, writeShape(bytes, from, to, scratch));
      const known = shapes.get(key);
      if (known !== undefined) {
        if (known.count++ < MAX_SHAPE_LINES) known.lines.push(line);
      } else if (shapes.size < MAX_SHAPES) {
        const example = bytes.toString("utf8", from, Math.min(to, from + MAX_SHAPE_BYTES));
        shapes.set(key, { count: 1, lines: [line], example });
      }
    },
    lineCount: () => lineCount,
    isFull: () => lineCount >= MAX_SHAPED_LINES,
    shapes: () => [...shapes.values()],
  };
}

/**
 * Lines that the kernel counts at once, and its memory: the kinds of bytes, the lines, where they end, the numbers of
 * their shapes, and the shapes.
 */
const BATCH_LINES = 256;
const LINES_ADDRESS = 256;
const ENDS_ADDRESS = LINES_ADDRESS + BATCH_LINES * MAX_LINE_BYTES;
const NUMBERS_ADDRESS = ENDS_ADDRESS + 4 * BATCH_LINES;
const TABLE_ADDRESS = NUMBERS_ADDRESS + 4 * BATCH_LINES;
/** A power of two, so that more than half of the slots stay empty. */
const TABLE_SLOTS = 4096;
const SHAPES_ADDRESS = TABLE_ADDRESS + 4 * TABLE_SLOTS;
/** A shape of the kernel: three numbers, its bytes, and those that are cut. */
const SHAPE_SIZE = 12 + MAX_SHAPE_BYTES + 8;

/** Exports of the module, which `shape_kernel.as.ts` documents. */
interface KernelExports {
  add(
    from: number,
    ends: number,
    numbers: number,
    lineCount: number,
    table: number,
    slots: number,
    shapes: number,
    size: number,
    shapeCount: number,
    most: number,
  ): number;
}

/** The counter by the kernel; undefined if the runtime cannot run it. */
export function kernelCounter(): ShapeCounter | undefined {
  const started = startKernel<KernelExports>(
    SHAPE_KERNEL_BASE64,
    SHAPES_ADDRESS + SHAPE_SIZE * (MAX_SHAPES + 1),
  );
  if (started === undefined) return undefined;
  const { exports, buffer } = started;
  const memory = Buffer.from(buffer);
  memory.set(KINDS);
  const ends = new Int32Array(buffer, ENDS_ADDRESS, BATCH_LINES);
  const numbers = new Int32Array(buffer);
  const lines: FoundLine[] = [];
  const shapes: LineShape[] = [];
  let lineCount = 0;
  let batchCount = 0;
  let end = LINES_ADDRESS;

  function countBatch(): void {
    const shapeCount = exports.add(
      LINES_ADDRESS,
      ENDS_ADDRESS,
      NUMBERS_ADDRESS,
      batchCount,
      TABLE_ADDRESS,
      TABLE_SLOTS,
      SHAPES_ADDRESS,
      SHAPE_SIZE,
      shapes.length,
      MAX_SHAPES,
    );
    while (shapes.length < shapeCount) {
      const first = numbers[(SHAPES_ADDRESS + SHAPE_SIZE * shapes.length) / 4 + 1]!;
      const start = first === 0 ? LINES_ADDRESS : ends[first - 1]!;
      const example = memory.toString("utf8", start, Math.min(ends[first]!, start + MAX_SHAPE_BYTES));
      shapes.push({ count: 0, lines: [], example });
    }
    for (let at = 0; at < batchCount; at++) {
      const ofShape = shapes[numbers[NUMBERS_ADDRESS / 4 + at]! - 1]?.lines;
      if (ofShape !== undefined && ofShape.length < MAX_SHAPE_LINES) ofShape.push(lines[at]!);
    }
    batchCount = 0;
    end = LINES_ADDRESS;
  }

  return {
    add(bytes, from, to, line) {
      if (lineCount >= MAX_SHAPED_LINES) return;
      lineCount++;
      end += bytes.copy(memory, end, from, Math.min(to, from + MAX_LINE_BYTES));
      lines[batchCount] = line;
      ends[batchCount++] = end;
      if (batchCount === BATCH_LINES) countBatch();
    },
    lineCount: () => lineCount,
    isFull: () => lineCount >= MAX_SHAPED_LINES,
    shapes() {
      countBatch();
      for (const [at, shape] of shapes.entries()) {
        shape.count = numbers[(SHAPES_ADDRESS + SHAPE_SIZE * at) / 4]!;
      }
      return shapes;
    },
  };
}
