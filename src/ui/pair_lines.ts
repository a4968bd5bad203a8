/** Pairs the removed lines of a change with the added ones that they became, and finds the words that differ in them. */

import { matchSequences } from "../comparing/match_sequences.ts";

/** A word, white space, or one other char. */
const TOKEN = /[\p{L}\p{N}_]+|\s+|./gsu;
const WORD = /[\p{L}\p{N}_]/u;
/** With more tokens, the lines of a change are paired in their order. */
const MAX_TOKENS = 50_000;
/** The least part of the shorter line, in chars of words, that two lines of a pair share. */
const LEAST_SHARED = 0.3;

interface Token {
  text: string;
  line: number;
  from: number;
}

/** The ranges of a line that differ, in UTF-16 units. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** A line and the one that it became; one side is undefined if the other has no counterpart. */
interface LinePair {
  old: string | undefined;
  new: string | undefined;
  /** The parts of each that differ; undefined if they have too little in common. */
  marks?: readonly [Ranges, Ranges];
}

/** The pairs of a change, in the order of both sides. */
export function pairLines(removed: readonly string[], added: readonly string[]): LinePair[] {
  const [old, after] = [removed.map(tokensOf), added.map(tokensOf)];
  const common = commonTokens(old.flat(), after.flat());
  const similar = similarLines(common, old, after);
  const shared = new Set(common.filter(([one, other]) => similar.get(one.line) === other.line).flat());
  const pairs: LinePair[] = [];
  let [oldAt, newAt] = [0, 0];
  for (const [oldEnd, newEnd] of [...similar, [removed.length, added.length] as const]) {
    while (oldAt < oldEnd || newAt < newEnd) {
      pairs.push({
        old: oldAt < oldEnd ? removed[oldAt++] : undefined,
        new: newAt < newEnd ? added[newAt++] : undefined,
      });
    }
    if (oldEnd === removed.length && newEnd === added.length) break;
    const marks = [rangesWithout(shared, old[oldAt]!), rangesWithout(shared, after[newAt]!)] as const;
    pairs.push({ old: removed[oldAt++], new: added[newAt++], marks });
  }
  return pairs;
}

/** The lines that share many words, by old and new number, ascending on both sides. */
function similarLines(common: [Token, Token][], old: Token[][], after: Token[][]): Map<number, number> {
  const groups: { old: number; new: number; shared: number }[] = [];
  for (const [{ line, text }, other] of common) {
    const last = groups.at(-1);
    const shared = wordChars(text);
    if (last?.old === line && last.new === other.line) last.shared += shared;
    else if (shared > 0) groups.push({ old: line, new: other.line, shared });
  }
  const chosen: typeof groups = [];
  const charsOf = (tokens: Token[]) => tokens.reduce((sum, { text }) => sum + wordChars(text), 0);
  for (const group of groups) {
    const last = chosen.at(-1);
    const shorter = Math.min(charsOf(old[group.old]!), charsOf(after[group.new]!));
    if (group.shared < shorter * LEAST_SHARED) continue;
    if (last?.old !== group.old && last?.new !== group.new) chosen.push(group);
    else if (group.shared > last.shared) chosen[chosen.length - 1] = group;
  }
  return new Map(chosen.map((group) => [group.old, group.new]));
}

/** The ranges of a line outside the tokens that are shared; a gap without words does not divide them. */
function rangesWithout(shared: ReadonlySet<Token>, tokens: readonly Token[]): Ranges {
  const ranges: [number, number][] = [];
  let hasGap = true;
  for (const token of tokens) {
    const to = token.from + token.text.length;
    if (shared.has(token)) hasGap ||= wordChars(token.text) > 0;
    else if (hasGap) ranges.push([token.from, to]);
    else ranges.at(-1)![1] = to;
    hasGap &&= shared.has(token);
  }
  return ranges;
}

function tokensOf(text: string, line: number): Token[] {
  return Array.from(text.matchAll(TOKEN), ({ 0: token, index }) => ({ text: token, line, from: index }));
}

function wordChars(token: string): number {
  return WORD.test(token) ? token.length : 0;
}

/** The tokens that both have in the same order. */
function commonTokens(old: readonly Token[], after: readonly Token[]): [Token, Token][] {
  if (old.length + after.length > MAX_TOKENS) return [];
  const numbers = new Map<string, number>();
  const numbered = (tokens: readonly Token[]) =>
    Int32Array.from(tokens, ({ text }) => {
      if (!numbers.has(text)) numbers.set(text, numbers.size);
      return numbers.get(text)!;
    });
  const { oldChanged, newChanged } = matchSequences(
    numbered(old),
    numbered(after),
    old.length + after.length,
  );
  const kept = after.filter((_, index) => newChanged[index] === 0);
  return old.filter((_, index) => oldChanged[index] === 0).map((token, at) => [token, kept[at]!]);
}
