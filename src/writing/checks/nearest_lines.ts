/**
 * Explains why text was not found: the most similar lines, and what differs. Differences with a name (line ends,
 * white space, case) are tried first; otherwise the lines most similar to the first and longest sought lines are
 * shown. Everything runs in time linear in the two texts, however repetitive they are.
 */

import { indexOfSought, placesOfSought, prepareSought } from "../../../fd/system.ts";
import type { EditedText } from "./edited_text.ts";
import type { NearLine } from "../../terms/write_faults.ts";

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
  const lineEnds = findLineEndsApart(text, wanted);
  if (lineEnds !== undefined) {
    return { nearest: [shown(lines, lineEnds, ["line ends"])], otherLineEnds: true };
  }
  const same = wanted === "" ? -1 : indexOfText(text, wanted);
  if (same !== -1) {
    // They look alike but differ: U+FFFD replaces bytes that are not UTF-8.
    const at = countFeeds(text.slice(0, same));
    return { nearest: [shown(lines, at, ["ill-formed bytes"])], otherLineEnds: false };
  }
  const plain = lines.map((line) => line.replace(/\r$/, ""));
  const soughtLines = trimBlankLines(wanted.split("\n").map((line) => line.replace(/\r$/, "")));
  if (soughtLines.length === 0) return { nearest: [], otherLineEnds: false };
  for (const { differs, loosen } of LOOSENINGS) {
    const at = findRun(plain.map(loosen), soughtLines.map(loosen));
    if (at.length > 0) {
      const nearest = at.slice(0, MAX_SHOWN).map((line) => shown(lines, line, differs));
      return { nearest, otherLineEnds: false };
    }
  }
  return { nearest: likest(lines, plain, soughtLines), otherLineEnds: false };
}

/** The line (from 0) where the text matches with other line ends. */
function findLineEndsApart(text: string, wanted: string): number | undefined {
  if (!wanted.includes("\n")) return undefined;
  const normal = normalEnds(text);
  const at = indexOfText(normal, normalEnds(wanted));
  return at === -1 ? undefined : countFeeds(normal.slice(0, at));
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

/** The result of `indexOf`, in linear time. */
function indexOfText(text: string, sought: string): number {
  return sought === "" ? 0 : indexOfSought(unitsOf(text), prepareSought(unitsOf(sought)));
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at++) units[at] = text.charCodeAt(at);
  return units;
}

/** A number for each line: the same for equal lines only. */
function numbered(...texts: readonly (readonly string[])[]): Int32Array[] {
  const numbers = new Map<string, number>();
  return texts.map((lines) =>
    Int32Array.from(lines, (line) => {
      const known = numbers.get(line) ?? numbers.size;
      numbers.set(line, known);
      return known;
    })
  );
}

/** The position of the lines `sought` in a row; the first may begin, and the last end, inside a line. */
function findRun(lines: readonly string[], sought: readonly string[]): number[] {
  const found: number[] = [];
  const [first, ...others] = sought;
  if (first === undefined || sought.every((line) => line === "")) return found;
  const last = others.pop();
  if (last === undefined) {
    const prepared = prepareSought(unitsOf(first));
    for (let at = 0; at < lines.length && found.length < MAX_SHOWN; at++) {
      if (lines[at]!.length >= first.length && indexOfSought(unitsOf(lines[at]!), prepared) !== -1) {
        found.push(at);
      }
    }
    return found;
  }
  // The lines between the first and the last must match whole.
  const [text, between] = numbered(lines, others);
  const rows = others.length === 0 ? lines.keys() : placesOfSought(text!, prepareSought(between!));
  for (const row of rows) {
    const at = others.length === 0 ? row : row - 1;
    if (at < 0 || at + sought.length > lines.length) continue;
    if (!lines[at]!.endsWith(first) || !lines[at + sought.length - 1]!.startsWith(last)) continue;
    found.push(at);
    if (found.length === MAX_SHOWN) break;
  }
  return found;
}

/** The lines most similar to the first sought line; in the best run of several lines, the line where it starts to differ. */
function likest(lines: readonly string[], plain: readonly string[], sought: readonly string[]): NearLine[] {
  const pairs = comparedPairs(sought[0]!);
  const following = matchingRuns(plain, sought.slice(1));
  const scored: { at: number; score: number }[] = [];
  for (const [at, line] of plain.entries()) {
    const score = likeness(pairs, comparedPairs(line));
    // A place is more likely if the following lines match too.
    if (score >= MIN_LIKENESS) scored.push({ at, score: score + (following[at + 1] ?? 0) });
  }
  scored.sort((a, b) => b.score - a.score || a.at - b.at);
  return scored.slice(0, MAX_SHOWN).map(({ at }) => {
    const start = firstDifference(plain, at, sought);
    return shown(lines, start, ["text"]);
  });
}

/** For each line, the number of lines from there that match the first ones of `sought`, ignoring surrounding white space. */
function matchingRuns(lines: readonly string[], sought: readonly string[]): Int32Array {
  const trimmed = (line: string) => line.trim();
  const [wanted, text] = numbered(sought.map(trimmed), lines.map(trimmed));
  // Both joined by a line that is in neither: the answer is how far each suffix matches the whole.
  const joined = new Int32Array(wanted!.length + 1 + text!.length);
  joined.set(wanted!);
  joined[wanted!.length] = -1;
  joined.set(text!, wanted!.length + 1);
  return suffixesAlike(joined).subarray(wanted!.length + 1);
}

/** For each position, how far the text there matches the beginning (the Z function). */
function suffixesAlike(sequence: Int32Array): Int32Array {
  const alike = new Int32Array(sequence.length);
  // Invariant: `from` to before `to` matches the beginning, and no known match reaches further.
  for (let at = 1, from = 0, to = 0; at < sequence.length; at++) {
    let length = at < to ? Math.min(to - at, alike[at - from]!) : 0;
    while (at + length < sequence.length && sequence[length] === sequence[at + length]) length++;
    alike[at] = length;
    if (at + length > to) {
      from = at;
      to = at + length;
    }
  }
  return alike;
}

/** The first line of a run at `at` that differs from the sought line. */
function firstDifference(plain: readonly string[], at: number, sought: readonly string[]): number {
  for (const [index, line] of sought.entries()) {
    if (plain[at + index]?.trim() !== line.trim()) return Math.min(at + index, plain.length - 1);
  }
  return at;
}

/** The letter pairs of a line's beginning, by which it is compared. */
function comparedPairs(line: string): Map<string, number> {
  return letterPairs(withoutSpace(line).toLowerCase().slice(0, 4 * SHOWN_LENGTH));
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
