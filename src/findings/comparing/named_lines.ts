/**
 * Tells whether lines of two runs that differ in numbers only are about different things: `mod17.c` and `mod40.c` are, while
 * `task 17 lost on worker 3` and `task 17 lost on worker 7` may be the same.
 */

import { utf8Text } from "../../../fd/system.ts";

/** Digits, or a word of letters and digits that no word and a number make: `7d9f8c`. */
const NUMBERS =
  /(?<![\p{L}\p{N}])(?:(?=[\p{L}\p{N}]*\d\p{L})[\p{L}\p{N}]{5,}|(?=[\da-f]*\d)[\da-f]{7,})(?![\p{L}\p{N}])|\d+/gu;
/** The word before a number, and what is between; or the start of the line. */
const WORD_BEFORE = /(\p{L}+)([\s_./:#=[(-]{0,2})$|(?:^|\n)[^\p{L}\p{N}\n]*$/u;
/** The rest of the path behind a number in it. */
const PATH_BEHIND = /^[\w./-]*\.[a-z]\w{0,9}(?![\w/])/i;
/** The start of the path of a directory or file that may be made for one run. */
const TEMPORARY = /(?:^|[^\w.-])\/(?:tmp|var|proc|run|private)\/\S*$/;
const BELOW_PROJECT = /\/(?:tmp|private)(?:\/[^\s/]+){2,}\/[^\s/]*$/;

/** Is before a number in place of a word. */
const START = "^";

/** A number of a line. */
interface Numbered {
  value: string;
  /** The word before it, or {@link START}; empty if it has none. */
  word: string;
  /** Whether it is part of a word: `zone17`, `zone_17`, `rate[17]`. */
  isGlued: boolean;
  /** Whether it is in the path of a file. */
  isInPath: boolean;
}

/** The line with each number replaced, whatever it counts one or more of. */
export function shapeOf(line: string): string {
  return line.replace(NUMBERS, "0").replace(/(?:\(s\)|s)\b/g, "");
}

function numbersOf(line: string): Numbered[] {
  return [...line.matchAll(NUMBERS)].map(({ 0: value, index }) => {
    const before = line.slice(Math.max(0, index - 200), index);
    const [, word = START, between = " "] = WORD_BEFORE.exec(before) ?? [, ""];
    const behind = PATH_BEHIND.exec(line.slice(index + value.length, index + 200))?.[0];
    return {
      value,
      word: word.toLowerCase(),
      isGlued: ["", "_", "[", "("].includes(between),
      isInPath: behind !== undefined &&
        (!TEMPORARY.test(before) || !behind.includes("/") && BELOW_PROJECT.test(before)),
    };
  });
}

/** Longer contents tell nothing of names. */
const MAX_BYTES = 2 ** 20;
/** A name that more lines have is that of a worker or a version. */
const MAX_LINES = 16;
const MIN_LINES = 3;

/** The names in two contents, by which lines are told apart. */
export class NamedLines {
  /** How many lines have a number, by the word before it. */
  private readonly counts = new Map<string, Map<string, number>>();
  /** The values of each number of lines of one shape, before and now; undefined if a line has the same as another. */
  private readonly columns = new Map<string, { word: string; runs: [Set<string>, Set<string>] }[]>();

  constructor(contents: readonly [before: Uint8Array, now: Uint8Array]) {
    const shapes = new Map<string, [Numbered[][], Numbered[][]]>();
    for (const [run, content] of contents.entries()) {
      for (const line of utf8Text(content.subarray(0, MAX_BYTES)).split("\n")) {
        const numbers = numbersOf(line.slice(0, 500));
        for (const { word, value } of numbers) this.count(word, value);
        const shape = shapeOf(line.slice(0, 500));
        if (!shapes.has(shape)) shapes.set(shape, [[], []]);
        shapes.get(shape)![run]!.push(numbers);
      }
    }
    for (const [shape, runs] of shapes) {
      if (runs.some((lines) => lines.length < MIN_LINES)) continue;
      const columns = runs[0][0]!.flatMap(({ word }, at) => {
        const [before, now] = runs.map((lines) => new Set(lines.map((numbers) => numbers[at]!.value))) as [
          Set<string>,
          Set<string>,
        ];
        const isOfEach = before.size === runs[0].length && now.size === runs[1].length;
        const isStable = before.intersection(now).size * 2 > Math.max(before.size, now.size);
        return isOfEach && isStable ? [{ word, runs: [before, now] as [Set<string>, Set<string>] }] : [];
      });
      this.columns.set(shape, columns);
    }
  }

  private count(word: string, value: string): void {
    const values = this.counts.get(word) ?? new Map<string, number>();
    if (values.size === 0) this.counts.set(word, values);
    values.set(value, (values.get(value) ?? 0) + 1);
  }

  private isFrequent(word: string, value: string): boolean {
    return (this.counts.get(word)?.get(value) ?? 0) > MAX_LINES;
  }

  /** Whether ordinary lines of both runs have these numbers: each names what is there in both. */
  private areNames(word: string, before: Set<string>, now: Set<string>): boolean {
    return this.columns.values().some((columns) =>
      columns.some((column) =>
        word !== "" && column.word === word && before.isSubsetOf(column.runs[1]) &&
        now.isSubsetOf(column.runs[0])
      )
    );
  }

  /** Whether lines of one shape, each of one run only, are surely about different things. */
  areDistinct(before: readonly string[], now: readonly string[], isStable: boolean): boolean {
    const [from, to] = [before.map(numbersOf), now.map(numbersOf)];
    const numbers = from[0]!.map(({ word, isGlued, isInPath }, at) => {
      const [lost, added] = [from, to].map((all) => new Set(all.map((each) => each[at]!.value)));
      return { word, isGlued, isInPath, lost: lost!, added: added!, shared: lost!.intersection(added!) };
    });
    const differing = numbers.filter(({ shared }) => shared.size === 0);
    if (differing.some(({ isInPath }) => isInPath)) return true;
    const isOneOfMany = (word: string, value: string) =>
      word !== "" && (this.counts.get(word)?.size ?? 0) > 1 && !this.isFrequent(word, value);
    if (numbers.some(({ word, shared }) => [...shared].some((value) => isOneOfMany(word, value)))) {
      return false;
    }
    return isStable || differing.some(({ word, isGlued, lost, added }) =>
      this.areNames(word, lost, added) ||
      isGlued && ![...lost, ...added].some((value) => this.isFrequent(word, value))
    );
  }
}
