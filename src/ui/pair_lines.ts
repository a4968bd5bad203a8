/** Pairs the removed lines of a change with the added ones that they became, and finds the words that differ in them. */

import { matchSequences } from "../comparing/match_sequences.ts";

/** A word, white space, or one other char. */
const TOKEN = /[\p{L}\p{N}_]+|\s+|./gsu;
const WORD = /[\p{L}\p{N}]/u;
/** With more tokens, the lines of a change are paired in their order. */
const MAX_TOKENS = 50_000;
/** The least part of the shorter line, in chars of words, that two lines of a pair share. */
const LEAST_SHARED = 0.3;

/** The ranges of a line that differ, in UTF-16 units. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** A line and the one that it became; one side is undefined if the other has no counterpart. */
export interface LinePair {
  old: string | undefined;
  new: string | undefined;
  /** The parts of each that differ; undefined if they have too little in common. */
  marks?: readonly [Ranges, Ranges];
}

/** The pairs of a change, in the order of both sides. */
export function pairLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  const pairs: LinePair[] = [];
  let [oldAt, newAt] = [0, 0];
  const takeUntil = (oldEnd: number, newEnd: number) => {
    while (oldAt < oldEnd || newAt < newEnd) {
      pairs.push({
        old: oldAt < oldEnd ? removed[oldAt++] : undefined,
        new: newAt < newEnd ? added[newAt++] : undefined,
      });
    }
  };
  for (const [oldLine, newLine] of similarLines(removed, added)) {
    takeUntil(oldLine, newLine);
    const [before, after] = [removed[oldAt++]!, added[newAt++]!];
    pairs.push({ old: before, new: after, marks: differences(before, after) });
  }
  takeUntil(removed.length, added.length);
  return pairs;
}

/** Indices of lines that share most of their words, ascending on both sides. */
function similarLines(removed: readonly string[], added: readonly string[]): [number, number][] {
  const [old, new_] = [removed.map(tokensOf), added.map(tokensOf)];
  if (old.flat().length + new_.flat().length > MAX_TOKENS) return [];
  const places = (lines: string[][]) => lines.flatMap((tokens, line) => tokens.map(() => line));
  const [oldLines, newLines] = [places(old), places(new_)];
  const similar: { at: [number, number]; shared: number }[] = [];
  for (const [oldIndex, newIndex, token] of commonTokens(old.flat(), new_.flat())) {
    if (!WORD.test(token)) continue;
    const at: [number, number] = [oldLines[oldIndex]!, newLines[newIndex]!];
    const last = similar.at(-1);
    if (last?.at.join() === at.join()) last.shared += token.length;
    else similar.push({ at, shared: token.length });
  }
  const chosen: typeof similar = [];
  for (const each of similar) {
    const [oldLine, newLine] = each.at;
    const words = (tokens: string[]) => tokens.filter((token) => WORD.test(token)).join("").length;
    const shorter = Math.min(words(old[oldLine]!), words(new_[newLine]!));
    if (each.shared < shorter * LEAST_SHARED) continue;
    const last = chosen.at(-1);
    const isTaken = last !== undefined && (last.at[0] === oldLine || last.at[1] === newLine);
    if (!isTaken) chosen.push(each);
    else if (each.shared > last.shared) chosen[chosen.length - 1] = each;
  }
  return chosen.map(({ at }) => at);
}

function differences(before: string, after: string): [Ranges, Ranges] {
  const [old, new_] = [tokensOf(before), tokensOf(after)];
  const common = commonTokens(old, new_);
  return [
    rangesWithout(old, new Set(common.map(([index]) => index))),
    rangesWithout(new_, new Set(common.map(([, index]) => index))),
  ];
}

/** The ranges of tokens outside `common`; a gap without words does not divide them. */
function rangesWithout(tokens: readonly string[], common: ReadonlySet<number>): Ranges {
  const ranges: [number, number][] = [];
  let [at, gap] = [0, WORD.source];
  for (const [index, token] of tokens.entries()) {
    const to = at + token.length;
    if (common.has(index)) gap += token;
    else {
      const last = ranges.at(-1);
      if (last !== undefined && !WORD.test(gap)) last[1] = to;
      else ranges.push([at, to]);
      gap = "";
    }
    at = to;
  }
  return ranges;
}

function tokensOf(line: string): string[] {
  return line.match(TOKEN) ?? [];
}

/** The common tokens of two lists in order: their indices and the token. */
function commonTokens(old: readonly string[], new_: readonly string[]): [number, number, string][] {
  const numbers = new Map<string, number>();
  const numbered = (tokens: readonly string[]) =>
    Int32Array.from(tokens, (token) => {
      const number = numbers.get(token) ?? numbers.size;
      numbers.set(token, number);
      return number;
    });
  const [before, after] = [numbered(old), numbered(new_)];
  const { oldChanged, newChanged } = matchSequences(before, after, numbers.size);
  const common: [number, number, string][] = [];
  for (let oldIndex = 0, newIndex = 0; oldIndex < old.length; oldIndex++) {
    if (oldChanged[oldIndex] === 1) continue;
    while (newChanged[newIndex] === 1) newIndex++;
    common.push([oldIndex, newIndex++, old[oldIndex]!]);
  }
  return common;
}
