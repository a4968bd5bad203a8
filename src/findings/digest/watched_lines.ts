/** Answers to what is asked of lines when all of them were watched. */

import { LAYOUT } from "./line_layout.ts";
import type { Alike, LineMemory } from "./line_memory.ts";
import { type Judged, judgeRecords } from "./judge_records.ts";
import { oddLines } from "./odd_fields.ts";

/** Results of a watcher besides the counts of its kernel. */
interface Found {
  byteCount: number;
  isPlain: boolean;
  findings: Judged[];
  overwritten: ReadonlyMap<number, readonly string[]>;
  /** Whether a gap may name a kind of findings. */
  hasNamed: boolean;
}

/** The chars of a long line that are judged at once, those around them that count, and how far signs are looked for. */
const PIECE_CHARS = 160;
const PIECE_CONTEXT = 48;
const MAX_PIECED = 262_144;
/** The share of the lines that start alike where one that does not is odd. */
const NEARLY_ALL = 0.9;

export class WatchedLines {
  readonly byteCount: number;
  /** Whether there is nothing to clean; false, too, if the ends of overlong lines were not looked at. */
  readonly isPlain: boolean;
  /** In the order of their lines. */
  readonly findings: readonly Judged[];
  /** Texts with signs that were written over in their line, of kinds that no whole line is of; in latin1. */
  readonly overwritten: ReadonlyMap<number, readonly string[]>;
  /** Whether any line may say that something passed. */
  readonly hasPasses: boolean;
  /** The first lines that may be headings or tags of answers, and their forms, as the kernel makes them. */
  readonly marked: readonly { line: number; form: number }[];
  /** The lines that are odd by a word or number, ascending. */
  readonly odd: readonly number[];
  private readonly hasNamed: boolean;
  /** The lines of the most frequent shape, once it was asked. */
  private mostAlike = 0;

  constructor(private readonly memory: LineMemory, found: Found) {
    this.byteCount = found.byteCount;
    this.isPlain = found.isPlain;
    this.findings = found.findings;
    this.overwritten = found.overwritten;
    this.hasNamed = found.hasNamed;
    this.hasPasses = memory.hasPasses;
    this.marked = memory.marked();
    this.odd = oddLines(memory.numbers);
  }

  /**
   * How many lines have the shape of a line, or start like it; 0 if it cannot be read. `textOf` reads a line, one char a byte.
   */
  likeCount(line: number, by: "shape" | "lead", textOf: (line: number) => string | undefined): number {
    const text = line > LAYOUT.MAX_LINES ? textOf(line) : "";
    if (text === undefined) return 0;
    const number = line > LAYOUT.MAX_LINES ? this.memory.shapeOfText(text) : this.memory.shapeOf(line);
    // Some lines have none.
    return number === 0 ? 1 : this.memory.likeShape(number, by);
  }

  /** The chars of a line, of one char a byte, before what it says: what a log puts before each line, such as a time. */
  bodyStart(line: number, text: string): number {
    return this.memory.prefixOf(line, text);
  }

  /** The strongest sign in a line: where it starts; 0 without one. */
  strongestSign(line: Uint8Array): number {
    const { numbers } = this.memory;
    let strongest = 0;
    let place = 0;
    for (let at = 0; at < Math.min(line.length, MAX_PIECED); at += PIECE_CHARS) {
      const start = Math.max(0, at - PIECE_CONTEXT);
      this.memory.peekAt(line, start, Math.min(at + PIECE_CHARS + PIECE_CONTEXT, line.length));
      const isPlace = LAYOUT.RECORDS / 4 + 4;
      const count = isPlace + 1;
      const first = isPlace + 3;
      // What is said before a sign counts, so signs of the context were judged with the piece before.
      while (numbers[count]! > 0 && numbers[first]! - LAYOUT.WINDOW < at - start) {
        numbers.copyWithin(first, first + 3, first + 3 * numbers[count]!--);
      }
      if (numbers[count] === 0 && (numbers[isPlace]! & 1) === 0) continue;
      const [found] = judgeRecords(this.memory, 1);
      if (found === undefined || found.strength <= strongest) continue;
      strongest = found.strength;
      place = start + found.signFrom;
    }
    return place;
  }

  /**
   * The lines from `first` to `last` whose shapes no other line has, or those that start as no other does while nearly all
   * start alike. None if there are too many shapes.
   */
  rareLines(by: "shape" | "lead", first: number, last: number): number[] {
    const { memory } = this;
    if (by === "lead" && memory.mostOfOne("lead") < memory.line * NEARLY_ALL) return [];
    // In the order in which they came.
    return memory.rareShapes(by).filter((line) => line >= first && line <= last);
  }

  /** The first `most` lines with signs that are of the kind of `line`. */
  linesOfKind(line: number, most: number): number[] {
    const { memory } = this;
    const lines: number[] = [];
    const last = Math.min(memory.line, LAYOUT.MAX_LINES);
    const kind = line > last ? 0 : memory.kindOf(line);
    for (let each = 1; each <= last && kind > 0 && lines.length < most; each++) {
      if (memory.kindOf(each) === kind) lines.push(each);
    }
    return lines;
  }

  /** Whether a line may say that something passed. */
  mayPass(line: number): boolean {
    return this.memory.mayPass(line);
  }

  /**
   * The two kinds with the strongest findings of at least `least` lines from `first` to `last`, or the two most frequent shapes if
   * one may have half of the lines; none beyond {@link LAYOUT.MAX_LINES}.
   */
  alike(first: number, last: number, by: "shape" | "kind", least: number): Alike[] {
    if (last > LAYOUT.MAX_LINES || by === "kind" && !this.hasNamed) return [];
    if (by === "shape") {
      this.mostAlike ||= this.memory.mostOfOne("shape");
      if (this.mostAlike * 2 < last - first + 1) return [];
    }
    return this.memory.tally(first, last, by, least);
  }

  /** How many lines from `first` to `last` are like none of these. */
  countOthers(first: number, last: number, alike: readonly Alike[]): number {
    let others = last - first + 1;
    for (const { count } of alike) others -= count;
    // Lines of one kind may be of one of the shapes; those of two shapes, or of two kinds, differ.
    if (alike.every(({ by }) => by === alike[0]!.by)) return others;
    const { memory } = this;
    const ofBy = (by: Alike["by"]) => alike.filter((each) => each.by === by).map(({ line }) => line);
    const shapes = ofBy("shape").map((line) => memory.shapeOf(line));
    const kinds = ofBy("kind").map((line) => memory.kindOf(line));
    others = 0;
    for (let line = first; line <= last; line++) {
      if (!shapes.includes(memory.shapeOf(line)) && !kinds.includes(memory.kindOf(line))) others++;
    }
    return others;
  }
}
