/**
 * After a miss: the lines that come nearest to what was looked for, and what differs. First the near misses that have a
 * name (line ends, white space, case) are tried; where none of them explains it, the lines that share the most with the
 * first and longest lines sought are shown.
 *
 * @module
 */

import type { NearLine } from "./write_failure.ts";

/** What a miss came near to. */
export interface NearMiss {
  nearest: readonly NearLine[];
  /** Whether the text is there but for its line ends. */
  otherLineEnds: boolean;
}

/** Larger contents are searched in their first part only: a miss must be quick to tell, too. */
const SEARCHED_BYTES = 4 * 2 ** 20;
const MOST_SHOWN = 3;
const SHOWN_LENGTH = 200;
/** Below this share of common letter pairs two lines have nothing to do with each other. */
const LEAST_LIKENESS = 0.5;

interface Loosening {
  differs: string[];
  loosen(line: string): string;
}

const SPACES = /[ \t\f\v\u00a0\u2000-\u200b\u3000]+/g;
const withoutSpace = (line: string) => line.replace(SPACES, "");
const plainMarks = (line: string) =>
  line.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(/[\u2010-\u2015]/g, "-")
    .normalize("NFKC");

const LOOSENINGS: readonly Loosening[] = [
  { differs: ["white space"], loosen: withoutSpace },
  { differs: ["case"], loosen: (line) => line.toLowerCase() },
  { differs: ["quotes, dashes or accents"], loosen: plainMarks },
  { differs: ["white space", "case"], loosen: (line) => withoutSpace(line).toLowerCase() },
  { differs: ["white space", "quotes, dashes or accents"], loosen: (line) => withoutSpace(plainMarks(line)) },
];

/** The lines of `content` nearest to `sought`, which does not stand in it. */
export function nearestLines(content: Uint8Array, sought: Uint8Array): NearMiss {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(content.subarray(0, SEARCHED_BYTES));
  const wanted = decoder.decode(sought);
  const lines = text.split("\n");
  const lineEnds = findLineEndsApart(text, wanted);
  if (lineEnds !== undefined) {
    return { nearest: [shown(lines, lineEnds, ["line ends"])], otherLineEnds: true };
  }
  const same = wanted === "" ? -1 : text.indexOf(wanted);
  if (same !== -1) {
    // What is shown alike and is not the same: U+FFFD stands for bytes that are no UTF-8.
    const at = countFeeds(text.slice(0, same));
    return { nearest: [shown(lines, at, ["ill-formed bytes"])], otherLineEnds: false };
  }
  const plain = lines.map((line) => line.replace(/\r$/, ""));
  const soughtLines = trimBlankLines(wanted.split("\n").map((line) => line.replace(/\r$/, "")));
  if (soughtLines.length === 0) return { nearest: [], otherLineEnds: false };
  for (const { differs, loosen } of LOOSENINGS) {
    const at = findRun(plain.map(loosen), soughtLines.map(loosen));
    if (at.length > 0) {
      const nearest = at.slice(0, MOST_SHOWN).map((line) => shown(lines, line, differs));
      return { nearest, otherLineEnds: false };
    }
  }
  return { nearest: likest(lines, plain, soughtLines), otherLineEnds: false };
}

/** The line (from 0) where the text stands but for its line ends. */
function findLineEndsApart(text: string, wanted: string): number | undefined {
  if (!wanted.includes("\n")) return undefined;
  const at = normalEnds(text).indexOf(normalEnds(wanted));
  return at === -1 ? undefined : countFeeds(normalEnds(text).slice(0, at));
}

function normalEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function countFeeds(text: string): number {
  return text.split("\n").length - 1;
}

function trimBlankLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  let last = lines.length - 1;
  while (lines[last]!.trim() === "") last--;
  return lines.slice(first, last + 1);
}

/** Where the lines `sought` stand in a row; the first may begin, and the last end, inside a line. */
function findRun(lines: readonly string[], sought: readonly string[]): number[] {
  const found: number[] = [];
  const [first, ...others] = sought;
  if (first === undefined || sought.every((line) => line === "")) return found;
  const last = others.pop();
  for (let at = 0; at + sought.length <= lines.length && found.length < MOST_SHOWN; at++) {
    const begins = last === undefined ? lines[at]!.includes(first) : lines[at]!.endsWith(first);
    if (!begins || !others.every((line, index) => lines[at + 1 + index] === line)) continue;
    if (last === undefined || lines[at + sought.length - 1]!.startsWith(last)) found.push(at);
  }
  return found;
}

/** The lines most like the first line sought; where a run of several lines fits best, the line where it starts to differ. */
function likest(lines: readonly string[], plain: readonly string[], sought: readonly string[]): NearLine[] {
  const key = withoutSpace(sought[0]!).toLowerCase();
  const pairs = letterPairs(key);
  const scored: { at: number; score: number }[] = [];
  for (const [at, line] of plain.entries()) {
    const score = likeness(pairs, letterPairs(withoutSpace(line).toLowerCase().slice(0, 4 * SHOWN_LENGTH)));
    if (score < LEAST_LIKENESS) continue;
    // Lines that follow as they should make a place more likely.
    let following = 0;
    while (
      following + 1 < sought.length && plain[at + following + 1]?.trim() === sought[following + 1]!.trim()
    ) {
      following++;
    }
    scored.push({ at, score: score + following });
  }
  scored.sort((a, b) => b.score - a.score || a.at - b.at);
  return scored.slice(0, MOST_SHOWN).map(({ at }) => {
    const start = firstDifference(plain, at, sought);
    return shown(lines, start, ["text"]);
  });
}

/** The first line of a run at `at` that is not as sought. */
function firstDifference(plain: readonly string[], at: number, sought: readonly string[]): number {
  for (const [index, line] of sought.entries()) {
    if (plain[at + index]?.trim() !== line.trim()) return Math.min(at + index, plain.length - 1);
  }
  return at;
}

function letterPairs(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The share of letter pairs that two texts have in common, 0 to 1. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let common = 0;
  let total = 0;
  for (const [pair, count] of one) {
    common += Math.min(count, other.get(pair) ?? 0);
    total += count;
  }
  for (const count of other.values()) total += count;
  return total === 0 ? 0 : 2 * common / total;
}

function shown(lines: readonly string[], at: number, differs: readonly string[]): NearLine {
  const line = (lines[at] ?? "").replace(/\r$/, "");
  const text = line.length <= SHOWN_LENGTH ? line : `${line.slice(0, SHOWN_LENGTH)}…`;
  return { lineNumber: at + 1, text, differs };
}
