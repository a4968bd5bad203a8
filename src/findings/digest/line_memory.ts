/** A line kernel with its memory, in which what the kernel counts has names instead of addresses. */

import { startKernel } from "../../../fd/system.ts";
import { putLatin1 } from "../outline/outlined_content.ts";
import { LINE_KERNEL_BASE64 } from "./line_kernel_wasm.ts";
import { LAYOUT } from "./line_layout.ts";

/** Exports of the module, which `line_kernel.as.ts` documents. */
interface KernelExports {
  survey(start: number, from: number, to: number): number;
  walk(from: number, to: number, whole: number): number;
  peek(from: number, to: number): number;
  prefixOf(from: number, to: number): number;
  tally(from: number, to: number, which: number, least: number): void;
  countNexts(): void;
  countLeads(): void;
}

/** Lines of a range that are of one shape or kind: how many, and the first. */
export interface Alike {
  by: "shape" | "kind";
  count: number;
  line: number;
}

const LINE_FEED = 0x0a;
/** Line feeds follow on what is in the window: as many as the kernel may read behind it. */
const BEHIND_WINDOW = 128;
const MIN_INT32 = -0x80000000;

export class LineMemory {
  readonly bytes: Uint8Array;
  readonly numbers: Int32Array;
  private readonly shorts: Uint16Array;

  /** Undefined if the runtime has no WebAssembly with SIMD. Of a kind `mostOfKind` lines are reported, or all. */
  static start(mostOfKind: number, areAllReported: boolean): LineMemory | undefined {
    const started = startKernel<KernelExports>(LINE_KERNEL_BASE64, LAYOUT.MEMORY_BYTES);
    if (started === undefined) return undefined;
    const memory = new LineMemory(started.exports, started.buffer);
    memory.numbers[LAYOUT.MAX_OF_KIND / 4] = mostOfKind;
    if (areAllReported) memory.numbers[LAYOUT.REPORTED / 4] = MIN_INT32;
    memory.bytes[LAYOUT.WINDOW - 1] = LINE_FEED;
    return memory;
  }

  private constructor(private readonly kernel: KernelExports, buffer: ArrayBuffer) {
    this.bytes = new Uint8Array(buffer);
    this.numbers = new Int32Array(buffer);
    this.shorts = new Uint16Array(buffer);
  }

  /** The number of the last line that was walked. */
  get line(): number {
    return this.numbers[LAYOUT.LINE / 4]!;
  }

  get hasPasses(): boolean {
    return this.numbers[LAYOUT.PASSES / 4] !== 0;
  }

  get kindCount(): number {
    return this.numbers[LAYOUT.KIND_COUNT / 4]!;
  }

  /** Shapes that were counted; 0 if there were too many to tell which are rare. */
  private get knownShapes(): number {
    const count = this.numbers[LAYOUT.SHAPE_COUNT / 4]!;
    return count === LAYOUT.MAX_ENTRIES ? 0 : count;
  }

  /** Sets what most lines have before what they say, with a 0 for any digit, in latin1; before any line is walked. */
  setPrefix(prefix: string): void {
    this.numbers[LAYOUT.PREFIX_LENGTH / 4] = putLatin1(prefix, this.bytes, LAYOUT.PREFIX, LAYOUT.MAX_PREFIX);
  }

  /**
   * Finds line feeds in the first `filled` bytes of the window, of which `known` are surveyed; returns whether there is a
   * control character.
   */
  survey(known: number, filled: number): boolean {
    this.endWindow(filled);
    // A stem may have been cut.
    const from = Math.max(0, known - 64) & ~63;
    return this.kernel.survey(LAYOUT.WINDOW, LAYOUT.WINDOW + from, LAYOUT.WINDOW + filled) === 1;
  }

  /**
   * Walks lines of the first `filled` bytes of the window from `from` on. Returns where it stopped, and how many lines it
   * reported.
   */
  walk(from: number, filled: number, isWhole: boolean): { at: number; reported: number } {
    const at = this.kernel.walk(LAYOUT.WINDOW + from, LAYOUT.WINDOW + filled, isWhole ? 1 : 0) -
      LAYOUT.WINDOW;
    return { at, reported: this.numbers[LAYOUT.RECORD_COUNT / 4]! };
  }

  /** Reports part of a line as the first record; returns the number of its shape. */
  peekAt(row: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to; at++) this.bytes[LAYOUT.WINDOW + at - from] = row[at]!;
    this.endWindow(to - from);
    return this.kernel.peek(LAYOUT.WINDOW, LAYOUT.WINDOW + to - from);
  }

  /** The number of the shape of a text, of one char a byte; 0 if no line has it. */
  shapeOfText(text: string): number {
    return this.kernel.peek(LAYOUT.WINDOW, this.put(text));
  }

  /** The chars of the text of a line before what it says. */
  prefixOf(line: number, text: string): number {
    const known = line > LAYOUT.MAX_BODIES ? 0 : this.bytes[LAYOUT.BODIES + line]!;
    // Of more chars, 255 are noted.
    return known % 255 > 0 ? known - 1 : this.kernel.prefixOf(LAYOUT.WINDOW, this.put(text));
  }

  private put(text: string): number {
    const length = putLatin1(text, this.bytes, LAYOUT.WINDOW, LAYOUT.WINDOW_BYTES);
    this.endWindow(length);
    return LAYOUT.WINDOW + length;
  }

  private endWindow(filled: number): void {
    this.bytes.fill(LINE_FEED, LAYOUT.WINDOW + filled, LAYOUT.WINDOW + filled + BEHIND_WINDOW);
  }

  /** Counts what is known when all lines are walked. */
  end(): void {
    this.kernel.countNexts();
    this.kernel.countLeads();
  }

  /** The number of a line's shape, of those up to {@link LAYOUT.MAX_LINES}; 0 if it has none. */
  shapeOf(line: number): number {
    return this.shorts[LAYOUT.LINES / 2 + 2 * line]!;
  }

  kindOf(line: number): number {
    return this.shorts[LAYOUT.LINES / 2 + 2 * line + 1]! & LAYOUT.MAX_KINDS;
  }

  mayPass(line: number): boolean {
    return line > LAYOUT.MAX_LINES || this.shorts[LAYOUT.LINES / 2 + 2 * line + 1]! > LAYOUT.MAX_KINDS;
  }

  /** How many lines have a shape, or start like those. */
  likeShape(number: number, by: "shape" | "lead"): number {
    return this.numbers[LAYOUT.SHAPES / 4 + (number - 1) * LAYOUT.SHAPE_SIZE / 4 + (by === "lead" ? 1 : 2)]!;
  }

  /** The lines whose shape, or start, no other line has; none if there are too many shapes. */
  rareShapes(by: "shape" | "lead"): number[] {
    const rare: number[] = [];
    const end = LAYOUT.SHAPES / 4 + this.knownShapes * LAYOUT.SHAPE_SIZE / 4;
    for (let at = LAYOUT.SHAPES / 4; at < end; at += LAYOUT.SHAPE_SIZE / 4) {
      if (this.numbers[at + (by === "lead" ? 1 : 2)]! <= 1) rare.push(this.numbers[at + 3]!);
    }
    return rare;
  }

  /** How many lines the most frequent shape has, or the most frequent start. */
  mostOfOne(by: "shape" | "lead"): number {
    let most = 0;
    const end = LAYOUT.SHAPES / 4 + this.numbers[LAYOUT.SHAPE_COUNT / 4]! * LAYOUT.SHAPE_SIZE / 4;
    for (let at = LAYOUT.SHAPES / 4 + (by === "lead" ? 1 : 2); at < end; at += LAYOUT.SHAPE_SIZE / 4) {
      if (this.numbers[at]! > most) most = this.numbers[at]!;
    }
    return most;
  }

  kindHash(kind: number): number {
    return this.numbers[LAYOUT.KINDS / 4 + (kind - 1) * LAYOUT.KIND_SIZE / 4]!;
  }

  /** How many lines have signs of a kind. */
  countOfKind(kind: number): number {
    return this.numbers[LAYOUT.KINDS / 4 + (kind - 1) * LAYOUT.KIND_SIZE / 4 + 1]!;
  }

  /** Kinds of a higher rank are named first where lines are left out; those of rank 0 never. */
  rankKind(kind: number, rank: number): void {
    this.numbers[LAYOUT.KINDS / 4 + (kind - 1) * LAYOUT.KIND_SIZE / 4 + 3] = rank;
  }

  /** The two kinds of the highest rank, or most frequent shapes, of at least `least` lines. */
  tally(first: number, last: number, by: "shape" | "kind", least: number): Alike[] {
    this.kernel.tally(first, last + 1, by === "shape" ? 0 : 2, least);
    const found: Alike[] = [];
    for (let at = LAYOUT.TALLIED / 4; at < LAYOUT.TALLIED / 4 + 8 && this.numbers[at] !== 0; at += 4) {
      found.push({ by, count: this.numbers[at + 1]!, line: this.numbers[at + 2]! });
    }
    return found;
  }

  /** The first lines that may be headings or tags of answers, and their forms. */
  marked(): { line: number; form: number }[] {
    const marked: { line: number; form: number }[] = [];
    const end = LAYOUT.MARKED / 4 + 2 * this.numbers[LAYOUT.MARKED_COUNT / 4]!;
    for (let at = LAYOUT.MARKED / 4; at < end; at += 2) {
      marked.push({ line: this.numbers[at]!, form: this.numbers[at + 1]! });
    }
    return marked;
  }
}
