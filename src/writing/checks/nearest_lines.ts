/**
 * Explains why text was not found: the most similar lines, and what differs. Differences with a name (line ends,
 * white space, case) are tried first; otherwise the lines most similar to the first and longest sought lines are
 * shown. Everything runs in time linear in the two texts, however repetitive they are.
 */

import { placesOfSought, prepareSought } from "../../../fd/system.ts";
import type { EditedText } from "./edited_text.ts";
import type { NearLine } from "../../calls/terms/write_faults.ts";

/** The lines similar to a text that was not found. */
export interface NearMiss {
  nearest: readonly NearLine[];
  /** Whether the text would match with other line ends. */
  otherLineEnds: boolean;
}

/** Larger contents are searched only in part: a failure must be quick too. */
const SEARCHED_BYTES = 4 * 2 ** 20;
const MAX_SHOWN = 3;
const SHOWN_LENGTH = 200;
/** The most lines after a similar one that are compared. */
const MAX_FOLLOWING = 100;
/** Lines that share fewer letter pairs than this are unrelated. */
const MIN_LIKENESS = 0.5;

interface Loosening {
  differs: string[];
  loosen(line: string): string;
}

const SPACES = /[ \t\f\v\u00a0\u2000-\u200b\u3000]+/g;
const withoutSpace = (line: string) => line.replace(SPACES, "");
/** Longer lines are not normalised: a run of combining marks would take quadratic time. */
const LONGEST_NORMALISED = 1000;
const plainMarks = (line: string) => {
  const marked = plainQuotes(line);
  return marked.length > LONGEST_NORMALISED ? marked : marked.normalize("NFKC");
};
const plainQuotes = (line: string) =>
  line.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"').replace(/[\u2010-\u2015]/g, "-");

const LOOSENINGS: readonly Loosening[] = [
  { differs: ["white space"], loosen: withoutSpace },
  { differs: ["case"], loosen: (line) => line.toLowerCase() },
  { differs: ["quotes, dashes or accents"], loosen: plainMarks },
  { differs: ["white space", "case"], loosen: (line) => withoutSpace(line).toLowerCase() },
  { differs: ["white space", "quotes, dashes or accents"], loosen: (line) => withoutSpace(plainMarks(line)) },
];

/** The lines of `content` most similar to `sought`, which does not occur in it. */
export function nearestLines(content: Pick<EditedText, "byteCount" | "slice">, sought: Uint8Array): NearMiss {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(content.slice(0, Math.min(content.byteCount, SEARCHED_BYTES)));
  const wanted = decoder.decode(sought);
  const lines = text.split("\n");
  const [lineEnds] = wanted.includes("\n") ? linesFound(normalEnds(text), normalEnds(wanted), 1) : [];
  if (lineEnds !== undefined) {
    return { nearest: [shown(lines, lineEnds, ["line ends"])], otherLineEnds: true };
  }
  // They look alike but differ: U+FFFD replaces bytes that are not UTF-8.
  const [alike] = linesFound(text, wanted, 1);
  if (alike !== undefined) {
    return { nearest: [shown(lines, alike, ["ill-formed bytes"])], otherLineEnds: false };
  }
  const plain = lines.map((line) => line.replace(/\r$/, ""));
  const soughtLines = trimBlankLines(wanted.split("\n").map((line) => line.replace(/\r$/, "")));
  if (soughtLines.length === 0) return { nearest: [], otherLineEnds: false };
  for (const { differs, loosen } of LOOSENINGS) {
    const run = soughtLines.map(loosen).join("\n");
    // The first line may begin, and the last end, inside a line.
    const found = /^\n*$/.test(run) ? [] : linesFound(plain.map(loosen).join("\n"), run, MAX_SHOWN);
    if (found.length > 0) {
      return { nearest: found.map((line) => shown(lines, line, differs)), otherLineEnds: false };
    }
  }
  return { nearest: likest(lines, plain, soughtLines), otherLineEnds: false };
}

/** The first `most` lines (from 0) at which `sought` begins in `text`, in time linear in both. */
function linesFound(text: string, sought: string, most: number): number[] {
  const found: number[] = [];
  if (sought === "") return found;
  let at = 0;
  let line = 0;
  for (const place of placesOfSought(unitsOf(text), prepareSought(unitsOf(sought)))) {
    line += text.slice(at, place).split("\n").length - 1;
    at = place;
    if (found.at(-1) !== line) found.push(line);
    if (found.length === most) break;
  }
  return found;
}

function normalEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

function trimBlankLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  let last = lines.length - 1;
  while (lines[last]!.trim() === "") last--;
  return lines.slice(first, last + 1);
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** The lines most similar to the first sought line; in the best run of several lines, the line where it starts to differ. */
function likest(lines: readonly string[], plain: readonly string[], sought: readonly string[]): NearLine[] {
  const pairs = letterPairs(sought[0]!);
  const scored: { at: number; score: number }[] = [];
  for (const [at, line] of plain.entries()) {
    const score = likeness(pairs, letterPairs(line));
    // A place is more likely if the following lines match too.
    if (score >= MIN_LIKENESS) {
      scored.push({ at, score: score + matching(plain, at, sought, 1, MAX_FOLLOWING) });
    }
  }
  scored.sort((a, b) => b.score - a.score || a.at - b.at);
  return scored.slice(0, MAX_SHOWN).map(({ at }) => {
    const count = matching(plain, at, sought, 0, Infinity);
    return shown(lines, count === sought.length ? at : Math.min(at + count, plain.length - 1), ["text"]);
  });
}

/** How many lines match `sought` at `at`, white space around them ignored; the first `from` are not compared. */
function matching(
  lines: readonly string[],
  at: number,
  sought: readonly string[],
  from: number,
  most: number,
): number {
  let to = from;
  while (to < sought.length && to - from < most && lines[at + to]?.trim() === sought[to]!.trim()) to++;
  return to - from;
}

/** The letter pairs of a line's beginning, by which it is compared. */
function letterPairs(line: string): Map<string, number> {
  const text = withoutSpace(line).toLowerCase().slice(0, 4 * SHOWN_LENGTH);
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
