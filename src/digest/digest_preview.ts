/**
 * The preview `digest`: the start and the end of some content, and between them the lines that matter (docs/first-answer.md
 * says how they are chosen). Content of a known kind is shown as an outline instead.
 */

import { contentInMemory, type FdEntry, openContent, type Store } from "../../fd/mod.ts";
import { cleanBytes, DEFAULT_PAGE_SIZE, nodeBuffer, utf8Bytes, utf8Text } from "../../fd/system.ts";
import { outlineContent } from "../outline/content_outline.ts";
import type { ContentOutline } from "../outline/outlined_content.ts";
import type { Preview } from "../terms/preview.ts";
import { chooseFindings, chooseLines, isSure, MAX_LINE_CHARS, nextFinding } from "./choose_lines.ts";
import { chooseOfParts, contentParts } from "./content_parts.ts";
import { SIGN_HASHES } from "./failure_signs.ts";
import { newLineScan, scanLine } from "./scan_line.ts";
import type { ContentWatcher } from "./watch_content.ts";
import { studyContent } from "./study_content.ts";
import type { Weighed } from "./weigh_lines.ts";
import { leftOutChars, pieceOf, type Study, textOf } from "./studied_lines.ts";
import type { PreviewGap, PreviewPart } from "../terms/answers.ts";

/**
 * Makes the digest of `entry` in at most `budgetChars`. `bytes` is all of its content, if it is in memory. Between the ends it
 * shows `wanted`, the heaviest first, or else what it finds itself.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export function digestPreview(
  store: Store,
  entry: FdEntry,
  budgetChars: number,
  bytes?: Uint8Array,
  watcher?: ContentWatcher,
  wanted?: readonly Weighed[],
): Preview | Promise<Preview> {
  const notes = watcher?.end();
  // If the size limit dropped bytes, the stored content differs from what was watched.
  const seen = notes?.byteCount === entry.byteCount && entry.gap === undefined ? notes : undefined;
  const study = () => studyContent(store, entry, bytes, seen);
  const content = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  const outlining = outlineContent(content, budgetChars);
  if (outlining === undefined) {
    content.close();
    return digestOf(study(), budgetChars, wanted);
  }
  return outlining.finally(() => content.close()).then((outline) =>
    outline === undefined
      ? digestOf(study(), budgetChars, wanted)
      : outlinePreview(outline, budgetChars, study)
  );
}

/** Smaller budgets have no room for lines between the ends. */
const MIN_CHARS = 600;

/** Lines with the surest signs of failure, at most one of a kind, ascending; the number of the one that weighs most. */
export interface FailingPlaces {
  decisive: number | undefined;
  findings: { line: number; text: string }[];
}

/** The lines of `entry` that most surely failed, at most `most`. */
export function failingPlaces(store: Store, entry: FdEntry, most: number = MAX_FINDINGS): FailingPlaces {
  const study = studyContent(store, entry, undefined, undefined);
  const findings = chooseFindings(study, most, []).map((line) => ({ line, text: textOf(study, line) ?? "" }));
  return { decisive: chooseFindings(study, 1, [])[0], findings };
}

/** An outline, and below it lines that it does not cover. */
function outlinePreview(outline: ContentOutline, budgetChars: number, studied: () => Study): Preview {
  const { kind: outlined, lines, readOn = {}, query, exportTo, below } = outline;
  const body = cleanBytes(utf8Bytes(lines.join("\n")));
  const part = { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
  const preview = { parts: [part], lines: "0-0", truncated: false, readOn, query, exportTo, outlined };
  if (below === undefined || budgetChars <= MIN_CHARS) return preview;
  const study = studied();
  const isSureOfLines = study.totalLines >= MANY_LINES && isSure(study);
  if (below === "findings" && !isSureOfLines) {
    const found = chooseFindings(study, MAX_FINDINGS, outline.shownLines ?? []);
    const parts = composeDigest(study, found).filter((each) => !("omitted" in each));
    if (parts.length === 0) return preview;
    const cleanedChars = leftOutChars(study, found);
    const truncated = found.some((line) => isCut(study, line));
    return { ...preview, parts: [part, ...parts], lines: linesOf(parts), truncated, cleanedChars };
  }
  const digest = digestOf(study, Math.max(MIN_CHARS, budgetChars - body.length));
  return { ...preview, ...digest, parts: [part, ...digest.parts], readOn };
}

/** From this many lines on, lines are searched for failures whatever the kind of content. */
const MANY_LINES = 20;

/** Lines with signs of failure that are shown below an outline. */
const MAX_FINDINGS = 3;

function digestOf(study: Study, budgetChars: number, wanted?: readonly Weighed[]): Preview {
  const divided = wanted === undefined ? contentParts(study) : [];
  const { lines: chosen, weighed } = divided.length === 0
    ? chooseLines(study, budgetChars, wanted)
    : chooseOfParts(study, budgetChars, divided);
  let lines: number[];
  let parts: (PreviewPart | PreviewGap)[];
  for (;;) {
    lines = [...chosen].sort((one, other) => one - other);
    parts = composeDigest(study, lines);
    const over = charsOf(parts) - budgetChars;
    if (over <= 0 || chosen.length === 0) break;
    // The size of a line is only estimated when it is chosen.
    chosen.length -= Math.min(chosen.length, Math.ceil(over / MAX_LINE_CHARS));
  }
  return {
    parts,
    lines: linesOf(parts),
    truncated: lines.some((line) => isCut(study, line)),
    cleanedChars: leftOutChars(study, lines),
    readOn: readOnFrom(study, lines, nextFinding(weighed, new Set(lines))?.line),
  };
}

/** Maximum number of chars of the parts as text. */
function charsOf(parts: readonly (PreviewPart | PreviewGap)[]): number {
  let chars = 0;
  for (const part of parts) {
    if ("omitted" in part) {
      chars += part.lines.length + 12;
      for (const { line } of part.like) chars += JSON.stringify(line).length + 20;
    } else {
      const [first = "", last = ""] = part.lines.split("-");
      chars += part.body.byteLength + (Number(last) - Number(first) + 1) * (last.length + 2);
    }
  }
  return chars;
}

/** "1-5,512-530". */
function linesOf(parts: readonly (PreviewPart | PreviewGap)[]): string {
  const shown: string[] = [];
  for (const part of parts) if (!("omitted" in part)) shown.push(part.lines);
  return shown.length === 0 ? "0-0" : shown.join(",");
}

/** Lines that `next` reads, and how many of them come before the line that it leads to. */
const READ_LINES = 40;
const LINES_BEFORE = 12;

/**
 * The lines around `wanted`, or else those from the first one that is not shown; if all are shown, the beginning of one
 * that is cut. Undefined if nothing is left out.
 */
function readOnFrom(study: Study, shown: readonly number[], wanted: number | undefined): Preview["readOn"] {
  const { totalLines } = study;
  const unshown = firstUnshown(shown, 1);
  if (unshown > totalLines) {
    const cut = shown.filter((line) => isCut(study, line));
    const start = cut.find((line) => line === wanted) ?? cut[0];
    return start === undefined ? undefined : { mode: "line", start, max_chars: DEFAULT_PAGE_SIZE };
  }
  const around = Math.max(1, (wanted ?? unshown + LINES_BEFORE) - LINES_BEFORE);
  const isNew = firstUnshown(shown, around) <= Math.min(totalLines, around + READ_LINES - 1);
  const start = isNew ? around : unshown;
  return { mode: "line", start, count: Math.min(READ_LINES, totalLines - start + 1) };
}

/** The first line from `line` on that is not among `shown`. */
function firstUnshown(shown: readonly number[], line: number): number {
  let unshown = line;
  while (shown.includes(unshown)) unshown++;
  return unshown;
}

/** Chars of a line that is an example of others. */
const MAX_EXAMPLE_CHARS = 60;

/** The parts of a digest, in order: runs of `lines`, which ascend, and gaps that say what they leave out. */
function composeDigest(study: Study, lines: readonly number[]): (PreviewPart | PreviewGap)[] {
  const parts: (PreviewPart | PreviewGap)[] = [];
  const strengths = new Map(study.findings.map(({ kind, strength }) => [kind, strength]));
  let next = 1;
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    let last = first;
    while (lines[at + 1] === last + 1) {
      at++;
      last++;
    }
    at++;
    if (first > next) parts.push(gap(study, strengths, next, first - 1));
    parts.push(run(study, first, last));
    next = last + 1;
  }
  if (next <= study.totalLines) parts.push(gap(study, strengths, next, study.totalLines));
  return parts;
}

function run(study: Study, first: number, last: number): PreviewPart {
  const shown: string[] = [];
  for (let line = first; line <= last; line++) shown.push(shownLine(textOf(study, line)!));
  // Each char is a byte.
  const bytes = nodeBuffer().Buffer.from(shown.join("\n"), "latin1");
  return {
    lines: `${first}-${last}`,
    body: { byteLength: bytes.length, chunks: () => [bytes], bytes },
    numbered: true,
  };
}

const SCAN = newLineScan();

/** Whether a line of the content is too long to be shown whole. */
function isCut(study: Study, line: number): boolean {
  return withoutReturn(textOf(study, line)!).length > MAX_LINE_CHARS;
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** A line; a long one is cut around its first sign, with the same marks as in `search`. */
function shownLine(text: string): string {
  const line = withoutReturn(text);
  if (line.length <= MAX_LINE_CHARS) return line;
  scanLine(nodeBuffer().Buffer.from(line, "latin1"), 0, line.length, SIGN_HASHES, SCAN);
  const sign = SCAN.signCount > 0 ? SCAN.signFrom[0]! : 0;
  const room = MAX_LINE_CHARS - 40;
  let from = sign < room - 80 ? 0 : sign - 80;
  let to = Math.min(line.length, from + room);
  while (from > 0 && isInsideChar(line, from)) from--;
  while (to < line.length && isInsideChar(line, to)) to--;
  const before = from === 0 ? "" : `[${from} bytes \xe2\x80\xa6] `;
  const after = to === line.length ? "" : ` [\xe2\x80\xa6 ${line.length - to} bytes]`;
  return `${before}${line.slice(from, to)}${after}`;
}

function isInsideChar(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xc0) === 0x80;
}

/** Lines of a gap that are compared to find what they have in common. */
const MAX_COMPARED = 200_000;
/** A gap of more lines names the heaviest kinds of findings that it has. */
const LONG_GAP = 100;
const MIN_NAMED_STRENGTH = 35;
const MAX_NAMED = 2;

/** Lines that are alike: how many, and where the first is. */
interface Alike {
  count: number;
  at: number;
}

/** Counts the numbers from `from` up to `to` that are equal; the most frequent first, then the earliest. */
function countAlike(numbers: readonly number[], from: number, to: number): (Alike & { number: number })[] {
  const counts = new Map<number, Alike & { number: number }>();
  for (let at = from; at < to; at++) {
    const number = numbers[at]!;
    const known = counts.get(number);
    if (known === undefined) counts.set(number, { count: 1, at, number });
    else known.count++;
  }
  return [...counts.values()].sort((one, other) => other.count - one.count || one.at - other.at);
}

/** Makes a gap; `strengths` are those of the findings, by kind. */
function gap(
  study: Study,
  strengths: ReadonlyMap<number, number>,
  first: number,
  last: number,
): PreviewGap {
  const omitted = last - first + 1;
  const piece = pieceOf(study, first);
  if (omitted <= 2 || omitted > MAX_COMPARED || piece === undefined || pieceOf(study, last) !== piece) {
    return { lines: `${first}-${last}`, omitted, like: [] };
  }
  const from = first - piece.firstLine;
  const named: Alike[] = [];
  if (omitted > LONG_GAP) {
    const strengthOf = ({ number }: { number: number }) => strengths.get(number) ?? 0;
    named.push(
      ...countAlike(piece.kinds, from, from + omitted)
        .filter((each) => strengthOf(each) >= MIN_NAMED_STRENGTH)
        .sort((one, other) => strengthOf(other) - strengthOf(one) || one.at - other.at)
        .slice(0, MAX_NAMED),
    );
  }
  for (const [rank, alike] of countAlike(piece.shapes, from, from + omitted).slice(0, 2).entries()) {
    if (alike.count < Math.max(3, omitted * (rank === 0 ? 0.5 : 0.2))) break;
    named.push(alike);
  }
  const like = named.map(({ count, at }) => ({ count, line: example(textOf(study, piece.firstLine + at)!) }))
    .filter(({ line }, at, all) => line !== "" && all.findIndex((each) => each.line === line) === at);
  return { lines: `${first}-${last}`, omitted, like };
}

function example(text: string): string {
  const line = utf8Text(nodeBuffer().Buffer.from(text.trimEnd(), "latin1"));
  if (line.length <= MAX_EXAMPLE_CHARS) return line;
  return `${Array.from(line).slice(0, MAX_EXAMPLE_CHARS).join("")}\u2026`;
}
