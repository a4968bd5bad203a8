/** A unified diff as rows that the page shows side by side; bounded in lines, in chars of a line, and in all. */

import { Buffer } from "node:buffer";
import { prepareContent, type Store } from "../../fd/mod.ts";
import { cleanBytes } from "../../fd/system.ts";
import { compareFds } from "../reading/compare_fds.ts";
import { NOTHING_IGNORED } from "../findings/comparing/ignored_text.ts";
import { matchSequences } from "../findings/comparing/match_sequences.ts";
import { cutText, SHOWN_CHARS } from "./line_rows.ts";
import { pageText } from "./page_text.ts";

const CONTEXT_LINES = 3;
const MAX_ROWS = 20_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Bytes kept of a line: more than is shown of it, whatever its chars. */
const KEPT_BYTES = SHOWN_CHARS * 4;
const LINE_FEED = 0x0a;

/**
 * ` `, `-` or `+`, a line, and what differs in it from the other line of a pair; `@` and the numbers of the first lines of a
 * hunk. A pair is a `-` with the `+` that follows it.
 */
type DiffRow = readonly [" " | "-" | "+", string, Ranges?] | readonly ["@", number, number];

/** Takes a unified diff in pieces, and keeps its first rows. */
export function diffRows() {
  const rows: DiffRow[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let rowCount = 0;
  const kept = new Uint8Array(KEPT_BYTES);
  let keptBytes = 0;
  let allBytes = 0;
  let isCut = false;

  function endLine(): void {
    const line = kept.subarray(0, keptBytes);
    keptBytes = 0;
    if (isCut) return;
    const row = rowOf(line);
    // The names before the first hunk.
    if (row === undefined || rows.length === 0 && row[0] !== "@") return;
    if (rowCount++ === MAX_ROWS || allBytes > MAX_BYTES) isCut = true;
    else if (row[0] === "-") removed.push(row[1]);
    else if (row[0] === "+") added.push(row[1]);
    else {
      endChange();
      rows.push(row);
    }
  }

  function endChange(): void {
    for (const { old: before, new: after, marks } of pairLines(removed, added)) {
      if (before !== undefined) rows.push(marks === undefined ? ["-", before] : ["-", before, marks[0]]);
      if (after !== undefined) rows.push(marks === undefined ? ["+", after] : ["+", after, marks[1]]);
    }
    removed = [];
    added = [];
  }

  return {
    write(piece: Uint8Array): void {
      for (let at = 0; at < piece.length;) {
        const feed = piece.indexOf(LINE_FEED, at);
        const end = feed < 0 ? piece.length : feed;
        const part = piece.subarray(at, Math.min(end, at + KEPT_BYTES - keptBytes));
        kept.set(part, keptBytes);
        keptBytes += part.length;
        allBytes += part.length;
        if (feed >= 0) endLine();
        at = end + 1;
      }
    },
    end() {
      endChange();
      return { rows, cut: isCut };
    },
  };
}

/** The row of a line of a diff; undefined for another one. */
function rowOf(line: Uint8Array): DiffRow | undefined {
  const sign = String.fromCharCode(line[0] ?? 0);
  if (sign === "@") {
    const [, from = "1", to = "1"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(Buffer.from(line).toString()) ?? [];
    return ["@", Number(from), Number(to)];
  }
  if (sign !== " " && sign !== "-" && sign !== "+") return undefined;
  return [sign, cutText(Buffer.from(cleanBytes(line.subarray(1))).toString("utf8"))];
}

/** The differences between two fds; `isOver` cancels. */
export async function fdDiff(store: Store, query: URLSearchParams, isOver: () => boolean) {
  const before = await pageText(store, query, "old");
  const after = await pageText(store, query, "new");
  for (const entry of [before, after]) await prepareContent(store, entry);
  const ignore = (query.get("ignore") ?? "").split(",");
  const ignored = { ...NOTHING_IGNORED, times: ignore.includes("times"), space: ignore.includes("space") };
  const sink = diffRows();
  const comparison = { contextLines: CONTEXT_LINES, ignored, isExact: false };
  const found = await compareFds(store, before, after, comparison, sink.write, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    if (isOver()) throw new Error("The page no longer waits for this diff.");
  });
  const { addedCount: added, removedCount: removed, hunkCount: hunks } = found;
  return { added, removed, hunks, ...sink.end() };
}

/** A word, white space, or one other char. */
const TOKEN = /[\p{L}\p{N}_]+|\s+|./gsu;
const WORD = /[\p{L}\p{N}_]/u;
/** With more tokens, the lines of a change are paired in their order. */
const MAX_TOKENS = 50_000;
/** The least part of the shorter line, in chars of words, that two lines of a pair share. */
const MIN_SHARED = 0.3;

interface Token {
  text: string;
  line: number;
  from: number;
}

/** The ranges of a line that differ, in UTF-16 units. */
type Ranges = readonly (readonly [from: number, to: number])[];

/** A line and the one that it became; one side is undefined if the other has no counterpart. */
interface LinePair {
  old: string | undefined;
  new: string | undefined;
  /** The parts of each that differ; undefined if they have too little in common. */
  marks?: readonly [Ranges, Ranges];
}

/** Pairs the removed lines of a change with those that they became, in the order of both sides. */
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
    if (group.shared < shorter * MIN_SHARED) continue;
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
  const most = old.length + after.length;
  const { oldChanged, newChanged } = matchSequences(numbered(old), numbered(after), most);
  const kept = after.filter((_, index) => newChanged[index] === 0);
  return old.filter((_, index) => oldChanged[index] === 0).map((token, at) => [token, kept[at]!]);
}
