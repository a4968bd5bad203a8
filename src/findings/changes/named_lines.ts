/**
 * Tells whether lines of two runs that differ in numbers only are about different things: `mod17.c` and `mod40.c` are, while
 * `task 17 lost on worker 3` and `task 17 lost on worker 7` may be the same.
 */

import { utf8Text } from "../../../fd/system.ts";
import { LEFT_OUT } from "../comparing/ignored_text.ts";

/** The char for a measure, digits, a word of letters and digits that no word and a number make (`7d9f8c`), or five chars that Kubernetes chose. */
const NUMBERS =
  /(?<=[\p{L}\p{N}]-)[bcdfghj-np-tv-xz2456789]{5}(?!\w)|(?<![\p{L}\p{N}])(?:(?=[\p{L}\p{N}]*\d\p{L})[\p{L}\p{N}]{5,}|(?=[\da-f]*\d)[\da-f]{7,})(?![\p{L}\p{N}])|\d+|\ud800/gu;
/** The word before a number, and what is between; or the start of the line. */
const WORD_BEFORE = /(\p{L}+)([\s_./:#=[(-]{0,2})$|(?:^|\n)[^\p{L}\p{N}\n]*$/u;
/** The rest of the path behind a number in it. */
const PATH_BEHIND = /^[\w./-]*\.[a-z]\w{0,9}(?![\w/])/i;
/** The start of the path of a directory or file that may be made for one run. */
const TEMPORARY = /(?:^|[^\w.-])\/(?:tmp|var|proc|run|private)\/\S*$/;
const BELOW_PROJECT = /\/(?:tmp|private)(?:\/[^\s/]+){2,}\/[^\s/]*$/;

/** A path may have the hash of a content. */
const MIN_HASH_CHARS = 20;

/** Is before a number in place of a word. */
const START = "^";

/** A number of a line. */
interface Numbered {
  value: string;
  from: number;
  /** The word before it, or {@link START}; empty if it has none. */
  word: string;
  /** Whether it is part of a word: `zone17`, `zone_17`, `rate[17]`. */
  isGlued: boolean;
  /** Whether it is in the path of a file. */
  isInPath: boolean;
}

/** The line with each number replaced, whatever it counts one or more of. */
export function shapeOf(line: string): string {
  return line.replace(NUMBERS, "0").replace(/(?:\(s\)|s)\b/g, "").replace(/\s+/g, " ");
}

const ABSOLUTE = /(?<![\w.-])\/(?!(?:usr|lib|opt|etc|dev|proc|nix|rustc)\/)(?:[\w.@+-]+\/)+/g;

/** The directory that all absolute paths in the lines are in, those of the system aside; `/` without one. */
function rootOf(lines: readonly string[]): string {
  const directories = new Set(lines.flatMap((line) => line.slice(0, MAX_CHARS).match(ABSOLUTE) ?? []));
  const [first = "/", ...others] = directories;
  let root = first;
  for (const other of others) {
    while (!other.startsWith(root)) root = root.slice(0, root.lastIndexOf("/", root.length - 2) + 1);
  }
  return root;
}

function numbersOf(line: string): Numbered[] {
  return [...line.matchAll(NUMBERS)].map(({ 0: value, index }) => {
    const before = line.slice(Math.max(0, index - 200), index);
    const [, word = START, between = " "] = WORD_BEFORE.exec(before) ?? [, ""];
    const behind = PATH_BEHIND.exec(line.slice(index + value.length, index + 200))?.[0];
    return {
      value,
      from: index,
      word: value === LEFT_OUT ? "" : word.toLowerCase(),
      isGlued: ["", "_", "[", "("].includes(between),
      isInPath: behind !== undefined && value.length < MIN_HASH_CHARS &&
        (!TEMPORARY.test(before) || !behind.includes("/") && BELOW_PROJECT.test(before)),
    };
  });
}

/** Longer contents tell nothing of names. */
const MAX_BYTES = 2 ** 20;
const MAX_CHARS = 500;
/** A name that more lines have is that of a worker or a version. */
const MAX_LINES = 16;
const MIN_LINES = 3;

/** How many blocks there are for each that has a finding, at the most: tests that pass may have the same steps. */
const MAX_BLOCKS = 4;

/** The numbers in one text: another in each line, and many of them in both runs. */
interface Column {
  word: string;
  before: Set<string>;
  now: Set<string>;
}

/** The names in two contents, which tell lines apart. */
export class NamedLines {
  /** How many lines have a number, by the word before it. */
  private readonly counts = new Map<string, Map<string, number>>();
  private readonly columns: Column[];
  private readonly lines: readonly string[][];
  /** The lines of the first run, by shape; made when asked for. */
  private shapes: Map<string, string[]> | undefined;
  /** The directory that all absolute paths of each run are in; made when asked for. */
  private roots: string[] | undefined;

  constructor(contents: readonly [before: Uint8Array, now: Uint8Array]) {
    this.lines = contents.map((content) => utf8Text(content.subarray(0, MAX_BYTES)).split("\n"));
    const all = new Map<string, { word: string; runs: [string[], string[]] }>();
    for (const [run, lines] of this.lines.entries()) {
      for (const text of lines) {
        const line = text.slice(0, MAX_CHARS);
        for (const { word, value, from } of numbersOf(line)) {
          const values = this.counts.get(word) ?? new Map<string, number>();
          this.counts.set(word, values.set(value, (values.get(value) ?? 0) + 1));
          if (word === "") continue;
          // Up to the next number, which may be a measure.
          const around = `${shapeOf(line.slice(0, from))}0${
            shapeOf(line.slice(from).replace(value, "").replace(/\d.*/, ""))
          }`;
          if (!all.has(around)) all.set(around, { word, runs: [[], []] });
          all.get(around)!.runs[run]!.push(value);
        }
      }
    }
    this.columns = [...all.values()].flatMap(({ word, runs }) => {
      const [before, now] = runs.map((values) => new Set(values)) as [Set<string>, Set<string>];
      const isOfEach = before.size === runs[0].length && now.size === runs[1].length;
      const least = Math.max(MIN_LINES, Math.max(before.size, now.size) / 2);
      return isOfEach && before.intersection(now).size >= least ? [{ word, before, now }] : [];
    });
  }

  private isFrequent(word: string, value: string): boolean {
    return (this.counts.get(word)?.get(value) ?? 0) > MAX_LINES;
  }

  /**
   * The names of lines of two runs: the numbers behind a word, another in each line, that other lines have in the run
   * where they are in none of these, and only there. Undefined if nothing is such a name.
   */
  nameIn(before: readonly string[], now: readonly string[]): ((line: string) => string) | undefined {
    const nameBehind = (wanted: string) => (line: string) =>
      numbersOf(line).find(({ word }) => word === wanted)?.value ?? "";
    const words = new Set(numbersOf(before[0]!).map(({ word }) => word).filter((word) => word !== ""));
    // A number at the start may be that of a row.
    const isAtStart = (word: string) => Number(word === START);
    const found = [...words].sort((one, other) => isAtStart(one) - isAtStart(other)).find((word) => {
      const [lost, added] = [before, now].map((lines) => new Set(lines.map(nameBehind(word)))) as [
        Set<string>,
        Set<string>,
      ];
      return !lost.has("") && !added.has("") && lost.size === before.length && added.size === now.length &&
        this.columns.some((column) =>
          column.word === word && column.before.isDisjointFrom(lost) && column.now.isDisjointFrom(added) &&
          lost.difference(added).isSubsetOf(column.now) && added.difference(lost).isSubsetOf(column.before)
        );
    });
    const glued = (line: string) =>
      numbersOf(line).filter(({ isGlued }) => isGlued).map(({ value }) => value);
    return found === undefined ? undefined : (line) => [nameBehind(found)(line), ...glued(line)].join(" ");
  }

  /**
   * Whether a line of each run is below a line of one shape, as that of a block: with other values, it may be about the same
   * thing. A line of a series is below others that are more.
   */
  isInPlace(before: readonly number[], now: readonly number[]): boolean {
    const own = shapeOf(this.lines[0]![before[0]! - 1]!.slice(0, MAX_CHARS));
    const [lost, added] = [before, now].map((lines, run) =>
      new Set(lines.map((line) => this.above(run, line)))
    );
    this.shapes ??= Map.groupBy(this.lines[0]!, (line) => shapeOf(line.slice(0, MAX_CHARS)));
    const count = (shape: string) => this.shapes!.get(shape)?.length ?? 0;
    return lost!.intersection(added!).values().some((above) =>
      above !== "" && above !== own && count(above) <= MAX_BLOCKS * count(own)
    );
  }

  /** The shape of the line above that has text. */
  private above(run: number, line: number): string {
    const lines = this.lines[run]!;
    let at = line - 2;
    while (at > 0 && !/\S/.test(lines[at]!)) at--;
    return shapeOf((lines[at] ?? "").slice(0, MAX_CHARS));
  }

  /** Whether lines of one shape, each of one run only, are surely about different things. */
  areDistinct(before: readonly string[], now: readonly string[], isStable: () => boolean): boolean {
    this.roots ??= this.lines.map(rootOf);
    const [lost, added] = this.roots as [string, string];
    // In a workspace of its own, each run has other numbers before all its paths.
    const inRun = (text: string, root: string) => lost === added ? text : text.replace(root, "/");
    const [from, to] = [
      before.map((text) => numbersOf(inRun(text, lost))),
      now.map((text) => numbersOf(inRun(text, added))),
    ];
    if ([...from, ...to].some(({ length }) => length !== from[0]!.length)) return false;
    const numbers = from[0]!.map(({ word, isGlued, isInPath }, at) => {
      const [lost, added] = [from, to].map((all) => new Set(all.map((each) => each[at]!.value)));
      return { word, isGlued, isInPath, lost: lost!, added: added!, shared: lost!.intersection(added!) };
    });
    const differing = numbers.filter(({ shared }) => shared.size === 0);
    if (differing.length === 0 && lost !== added) return false;
    // A measure, which was left out in one of them.
    if (differing.some(({ lost, added }) => lost.has(LEFT_OUT) || added.has(LEFT_OUT))) return false;
    if (differing.some(({ isInPath }) => isInPath)) return true;
    const isOneOfMany = (word: string, value: string) =>
      word !== "" && (this.counts.get(word)?.size ?? 0) > 1 &&
      !this.isFrequent(word, value);
    if (numbers.some(({ word, shared }) => [...shared].some((value) => isOneOfMany(word, value)))) {
      return false;
    }
    return isStable() ||
      differing.some(({ word, isGlued, lost, added }) =>
        this.columns.some((column) =>
          column.word === word && lost.isSubsetOf(column.now) && added.isSubsetOf(column.before)
        ) ||
        isGlued && ![...lost, ...added].some((value) => this.isFrequent(word, value))
      );
  }
}
