/** Finds the lines that belong to a line: what is below and above it, the heads of its block, the name of its record, its file. */

import { bodyOf, likeCount, type Study } from "./studied_lines.ts";
import type { Weighed } from "./weigh_lines.ts";

/** Lines of a frequent shape: more than this have it. */
export const FREQUENT = 12;
/** A line does not belong to a finding if more lines than this start like it. */
const FREQUENT_LEAD = 20;
/** The most lines of a record, which is what is between two empty lines or rules. */
const RECORD_LINES = 10;
/** The heaviest findings that bring their records, and the file that they are about; and those that are only odd. */
export const WITH_RECORD = 3;
export const ODD_WITH_RECORD = 4;

/** The number of lines below and above a line that may belong to it, by the rank of the line. */
const REACH_DOWN = [24, 14, 10, 8, 6, 4, 3];
const REACH_UP = [8, 6, 4, 3, 2, 2, 1];
/** The number of the lines below that may have a frequent shape. */
const FREQUENT_BELOW = [4, 2, 2, 1, 1, 1, 1];
/** A line that is only odd has at most the reach of this rank. */
const RANK_OF_ODD = 4;

/**
 * The lines that belong to `line`: those below and above it up to an empty line, as long as their shape is not frequent.
 * One empty line is passed over if what follows is indented or marked.
 */
export function blockOf(
  study: Study,
  { line, strength }: Pick<Weighed, "line" | "strength">,
  rank: number,
): number[] {
  const at = Math.min(strength === 0 ? Math.max(rank, RANK_OF_ODD) : rank, REACH_DOWN.length - 1);
  const below = follow(study, line, 1, REACH_DOWN[at]!, FREQUENT_BELOW[at]!);
  const above = follow(study, line, -1, REACH_UP[at]!, at < 2 ? 1 : 0);
  const block = [...above.slice(0, 1), ...below, ...above.slice(1)];
  const before = rank === 0 && strength > 0 && above.length === 0 ? lastBefore(study, line) : undefined;
  if (before !== undefined) block.splice(Math.min(block.length, 2), 0, before);
  const heads = headsOf(study, line);
  if (strength === 0) heads.push(...titleOf(study, line));
  if (strength === 0 && rank < ODD_WITH_RECORD) heads.push(...distinctOf(study, line));
  if (rank === 0) heads.push(...fileOf(study, [line, ...block, ...heads]));
  for (const head of heads) if (!block.includes(head)) block.splice(Math.min(block.length, 2), 0, head);
  return block;
}

/** The last line before the trace or the paragraph of `line`: what was done when it failed. */
function lastBefore(study: Study, line: number): number | undefined {
  let boundaries = 0;
  for (let above = line - 1; above >= Math.max(1, line - HEAD_REACH); above--) {
    const text = bodyOf(study, above);
    if (text === undefined || isBoundary(text) && ++boundaries > 1) return undefined;
    if (indentOf(text) === 0 && /[^\s:]\s*$/.test(text)) return above;
  }
  return undefined;
}

/** The key of a line with its indentation: what is before a colon or equals sign, or else the first word. */
const KEY = /^\s*(?:[^:=]{1,40}[:=]|\W{0,9}[\w.-]+\W?)/;
/** The most lines of a record that has a name. */
const MAX_RECORD = 100;
const WORD_END = /[^\w.-]+/;
/** A word that names something: no number in hexadecimal digits. */
const NAME = /^(?![\da-f]*$)[^\W\d]*[a-z]{3}[\w.-]*$/i;

/**
 * The nearest line above a line of repeated records in which its record has another name than the one before. A record
 * reaches back to the last line with the same key.
 */
function distinctOf(study: Study, line: number): number[] {
  const keyOf = (each: number) => KEY.exec(bodyOf(study, each) ?? "")?.[0].replace(/\d+/g, "0");
  const before = (each: number, least: number) => {
    const key = keyOf(each);
    let above = each - 1;
    while (above >= least && (key === undefined || keyOf(above) !== key)) above--;
    return above;
  };
  const least = Math.max(1, line - MAX_RECORD);
  // A key that no other record has leaves the line above to tell where they repeat.
  const from = [line, line - 1].find((each) => before(each, least) >= least);
  if (from === undefined) return [];
  const last = before(from, least);
  for (let each = line - 1; each > last; each--) {
    const other = before(each, 2 * last - line);
    const words = new Set(bodyOf(study, other)?.split(WORD_END));
    const own = bodyOf(study, each)?.split(WORD_END) ?? [];
    if (words.size > 1 && own.some((word) => NAME.test(word) && !words.has(word))) return [each];
  }
  return [];
}

/** A file by its extension. */
const FILE = /(?<![^\s'"`(=[])[\w@./-]*[\w-]{2}\.[a-z][a-z\d]{0,5}(?![\w(])/i;

/** The nearest line above `lines`, the first of which is a finding, that names a file, if they name none. */
function fileOf(study: Study, lines: readonly number[]): number[] {
  const namesFile = (line: number) => {
    const text = bodyOf(study, line) ?? "";
    return text.includes(".") && FILE.test(text);
  };
  if (lines.some(namesFile)) return [];
  for (let above = lines[0]! - 1; above >= Math.max(1, lines[0]! - HEAD_REACH); above--) {
    if (namesFile(above)) return [above];
  }
  return [];
}

/** The lines of the record that has `line`, nearest first; none if it is long. */
export function recordOf(study: Study, line: number): number[] {
  const lines: number[] = [];
  for (const step of [1, -1]) {
    let each = line + step;
    while (!isBoundary(bodyOf(study, each))) {
      lines.push(each);
      if (lines.length >= RECORD_LINES) return [];
      each += step;
    }
  }
  return lines;
}

/** Whether a line separates records: it is empty, a rule, or beyond the content. */
function isBoundary(text: string | undefined): boolean {
  return text === undefined || /^\W*$/.test(text) && !/[|^~]/.test(text);
}

/** The line that opens the short paragraph of an odd line: it may name what is odd. */
function titleOf(study: Study, line: number): number[] {
  let first = line;
  while (line - first < RECORD_LINES && (bodyOf(study, first - 1) ?? "").trim() !== "") first--;
  return first < line && line - first < RECORD_LINES && !isBoundary(bodyOf(study, first)) ? [first] : [];
}

/** How many lines up the heads of a block are searched for. */
const HEAD_REACH = 40;

/** The nearest lines above that are indented less, each less than the one before: the heads of the blocks around `line`. */
function headsOf(study: Study, line: number): number[] {
  const heads: number[] = [];
  let indent = indentOf(bodyOf(study, line) ?? "");
  for (let above = line - 1; indent > 0 && above >= Math.max(1, line - HEAD_REACH); above--) {
    const text = bodyOf(study, above);
    if (text === undefined) break;
    if (text.trim() === "" || indentOf(text) >= indent) continue;
    indent = indentOf(text);
    heads.push(above);
  }
  return heads;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function follow(study: Study, line: number, step: number, reach: number, mostFrequent: number): number[] {
  const lines: number[] = [];
  let frequent = 0;
  let frames = 0;
  const mostFrames = mostFrequent === FREQUENT_BELOW[0] ? MAX_FRAMES : MAX_FURTHER_FRAMES;
  for (let each = line + step, taken = 0, skipped = 0; taken < reach; each += step, taken++) {
    const text = bodyOf(study, each);
    if (text === undefined) break;
    if (step > 0 && FRAME.test(text) && ++frames > mostFrames && ++skipped < MAX_SKIPPED_FRAMES) {
      taken--;
      continue;
    }
    if (text.trim() === "") {
      // Indented lines after an empty line still belong to the block: expected and actual, a snippet.
      const beyond = bodyOf(study, each + step);
      if (
        beyond === undefined || step < 0 ||
        !BELONGS.test(beyond) && !(indentOf(beyond) === 0 && MARKED.test(beyond))
      ) {
        break;
      }
      lines.push(each);
      continue;
    }
    if (!MARKED.test(text)) {
      const isFrequent = likeCount(study, each, "lead") > FREQUENT_LEAD ||
        likeCount(study, each, "shape") > FREQUENT;
      if (isFrequent && ++frequent > mostFrequent) break;
    }
    lines.push(each);
  }
  return lines;
}

/**
 * A frame of a trace, how many are shown of that of the heaviest line and of others, and behind how many more its
 * cause is looked for.
 */
const FRAME = /^\s+(?:at\s|\d+:\s+0x|#\d+\s|from\s\S+:\d)/;
const MAX_FRAMES = 10;
const MAX_FURTHER_FRAMES = 4;
const MAX_SKIPPED_FRAMES = 200;

/** Lines of snippets, traces and comparisons, which belong to the lines above. */
const MARKED =
  /^\s*(?:[>|+^~]|E(?:\s|xpected)|\d+\s*\||a(?:t\s|ctual)|caused by|re(?:ceived|ason:)|(?:got|want|left|right)\b|-->|(?:note|h(?:elp|int)):)/i;
/** How others begin that belong there, if they are not marked from their first char on. */
const BELONGS = /^(?:\s{2}|[\t=-])/;
