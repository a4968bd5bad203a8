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

/** Maximum lines that are counted, and shapes. */
export const MAX_SHAPED_LINES = 10_000;
const MAX_SHAPES = 2000;
/** Of a shape with no more lines, all are known. */
const MAX_SHAPE_LINES = 3;
/** Maximum length of a shape, and of the part of a line that it is made of. */
const MAX_SHAPE_BYTES = 160;
const MAX_LINE_BYTES = 512;

/** Chars by their kind in a shape, from 1 on, as the kernel numbers them; a char of several has the last one. */
const KINDS = [
  " \t\r",
  "\"'`",
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_",
  "0123456789",
  "ABCDEFabcdef",
  "/\\",
  ".:-+@~%,",
];

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

/**
 * Lines that the kernel counts at once, and its memory, by addresses that the kernel has, too: the kinds of bytes, the lines,
 * where they end, the numbers of their shapes, and the shapes.
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
  add(lineCount: number, shapeCount: number): number;
}

/**
 * Starts to count lines, with a kernel; undefined if the runtime cannot run it: then a search has no shapes. Further lines, and
 * those of further shapes, are not counted.
 */
export function shapeCounter() {
  const started = startKernel<KernelExports>(
    SHAPE_KERNEL_BASE64,
    SHAPES_ADDRESS + SHAPE_SIZE * (MAX_SHAPES + 1),
  );
  if (started === undefined) return undefined;
  const { exports, buffer } = started;
  const memory = Buffer.from(buffer);
  for (const [at, chars] of KINDS.entries()) {
    for (const char of chars) memory[char.charCodeAt(0)] = at + 1;
  }
  const ends = new Int32Array(buffer, ENDS_ADDRESS, BATCH_LINES);
  const numbers = new Int32Array(buffer);
  const lines: FoundLine[] = [];
  const shapes: LineShape[] = [];
  let lineCount = 0;
  let batchCount = 0;
  let end = LINES_ADDRESS;

  function countBatch(): void {
    const shapeCount = exports.add(batchCount, shapes.length);
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
    /** Adds the line `bytes[from, to)`, which is `line` of the content. */
    add(bytes: Buffer, from: number, to: number, line: FoundLine): void {
      if (lineCount >= MAX_SHAPED_LINES) return;
      lineCount++;
      end += bytes.copy(memory, end, from, Math.min(to, from + MAX_LINE_BYTES));
      lines[batchCount] = line;
      ends[batchCount++] = end;
      if (batchCount === BATCH_LINES) countBatch();
    },
    lineCount: () => lineCount,
    /** Whether further lines are not counted. */
    isFull: () => lineCount >= MAX_SHAPED_LINES,
    /** The shapes in the order of their first lines. */
    shapes(): LineShape[] {
      countBatch();
      for (const [at, shape] of shapes.entries()) {
        shape.count = numbers[(SHAPES_ADDRESS + SHAPE_SIZE * at) / 4]!;
      }
      return shapes;
    },
  };
}
