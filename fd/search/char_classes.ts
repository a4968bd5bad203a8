/**
 * Classes of chars that no set of a program distinguishes, numbered as they occur. Chars have classes from 1; 0 is the
 * class of a line's end.
 */

import { charSet, isInSet, WORD_CLASS } from "./pattern_syntax.ts";
import type { Program } from "./pattern_program.ts";

const LINE_FEED = 0x0a;
const CODE_POINTS = 0x110000;
/** The first code point of two UTF-16 units; most contents have none from here on. */
const ASTRAL = 0x10000;

/** Class of a line's end. */
export const END_CLASS = 0;

export class CharClasses {
  /** For each ASCII char but the line feed, its class. */
  readonly ascii = new Uint8Array(128);
  /** For each class: which sets of the program contain it. */
  readonly takenBy: boolean[][] = [[]];
  /** For each class: whether it is of word chars, if the program looks at words. */
  readonly isWord: boolean[] = [false];
  private ofCodePoint = new Uint16Array(128);
  private readonly numbers = new Map<string, number>();
  private readonly wordSet = charSet([WORD_CLASS], false, false);
  private readonly looksAtWords: boolean;

  constructor(private readonly program: Program, looksAtWords = false) {
    this.looksAtWords = looksAtWords ||
      program.steps.some((step) => step.kind === "assert" && !step.at.startsWith("line_"));
    for (let codePoint = 0; codePoint < 128; codePoint++) {
      if (codePoint !== LINE_FEED) this.ascii[codePoint] = this.classOf(codePoint);
    }
  }

  classOf(codePoint: number): number {
    const known = this.ofCodePoint[codePoint];
    if (known !== undefined && known > 0) return known;
    if (known === undefined) {
      const grown = new Uint16Array(codePoint < ASTRAL ? ASTRAL : CODE_POINTS);
      grown.set(this.ofCodePoint);
      this.ofCodePoint = grown;
    }
    const taken = this.program.sets.map((set) => isInSet(set, codePoint));
    const isWord = this.looksAtWords && isInSet(this.wordSet, codePoint);
    const key = `${taken.map(Number).join("")}${Number(isWord)}`;
    let found = this.numbers.get(key);
    if (found === undefined) {
      found = this.takenBy.length;
      this.numbers.set(key, found);
      this.takenBy.push(taken);
      this.isWord.push(isWord);
    }
    this.ofCodePoint[codePoint] = found;
    return found;
  }
}
