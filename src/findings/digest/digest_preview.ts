/**
 * The preview `digest`: the start and the end of some content, and between them the lines that matter (docs/first-answer.md
 * says how they are chosen). Content of a known kind is shown as an outline instead.
 */

import { contentInMemory, type FdEntry, openContent, type Store, usedContent } from "../../../fd/mod.ts";
import { cleanBytes, DEFAULT_PAGE_SIZE, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import { outlineContent } from "../outline/content_outline.ts";
import { bytesOf, type ContentOutline, latin1Of, MANY_LINES, utf8Of } from "../outline/outlined_content.ts";
import { chooseLines, HEAVY, heavyFindings, MAX_LINE_CHARS, nextFinding } from "./choose_lines.ts";
import { chooseOfParts } from "./content_parts.ts";
import { leftOutChars, lineBytes, type Study, studyContent, textOf } from "./studied_lines.ts";
import type { ContentWatcher } from "./watch_content.ts";
import type { Weighed } from "./weigh_lines.ts";
import type { Preview, PreviewGap, PreviewPart } from "../../calls/terms/answers.ts";

/**
 * Makes the digest of `entry` in at most `budgetChars`. `bytes` is all of its content, if it is in memory. Between the ends it
 * shows `wanted`, the heaviest first, or else what it finds itself. With a function for `wanted`, content of many lines is
 * shown as lines, whatever its kind. A `page` of 2 or more is one of those that follow.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the fd cannot be read.
 */
export function digestPreview(
  store: Store,
  entry: FdEntry,
  budgetChars: number,
  bytes?: Uint8Array,
  watcher?: ContentWatcher,
  wanted?: Wanted,
  page?: number,
): Preview | Promise<Preview> {
  const content = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  const areMany = entry.lineCount >= MANY_LINES;
  const asked = typeof wanted === "function" && areMany ? wanted : undefined;
  const outlineChars = budgetChars *
    (asked !== undefined ? ASKED_OUTLINE_SHARE : areMany ? OUTLINE_SHARE : 1);
  const outlining = page === undefined ? outlineContent(content, outlineChars) : undefined;
  if (outlining === undefined) {
    try {
      return digestOf(studyContent(content, watcher), budgetChars, wanted, page);
    } finally {
      content.close();
    }
  }
  return outlining.then((outline) =>
    outline === undefined
      ? digestOf(studyContent(content, watcher), budgetChars, wanted)
      : outlinePreview(outline, budgetChars, () => studyContent(content, watcher), asked)
  ).finally(() => content.close());
}

/** Lines to show, weighed: as they are, or made from what was found. */
export type Wanted = readonly Weighed[] | ((study: Study) => readonly Weighed[]);

/** Smaller budgets have no room for lines between the ends. */
const MIN_CHARS = 600;

/** Lines with the surest signs of failure, at most one of a kind, ascending. */
export interface FailingPlaces {
  /** The one that weighs most. */
  decisive: number | undefined;
  /** All such lines that were judged. */
  lines: number[];
  findings: { line: number; text: string }[];
}

/** The lines of `entry` that most surely failed, at most `most`. */
export function failingPlaces(store: Store, entry: FdEntry, most = 3): FailingPlaces {
  using content = usedContent(store, entry);
  const study = studyContent(content);
  const heavy = heavyFindings(study);
  const kinds = new Set<number>();
  const firsts = heavy.filter(({ kind }) => kinds.size < most && !kinds.has(kind) && kinds.add(kind));
  const findings = firsts.sort((one, other) => one.line - other.line)
    .map(({ line }) => ({
      line,
      text: utf8Of(lostOn(study.watched?.overwritten.get(line)) + (textOf(study, line) ?? "")),
    }));
  return { decisive: heavy[0]?.line, lines: heavy.map(({ line }) => line), findings };
}

/** An outline, and below it lines that it does not cover. */
function outlinePreview(
  outline: ContentOutline,
  budgetChars: number,
  studied: () => Study,
  asked: Wanted | undefined,
): Preview {
  const { kind: outlined, lines, readOn = {}, query, exportTo, below } = outline;
  const body = cleanBytes(utf8Bytes(lines.join("\n")));
  const part = { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
  const preview = { parts: [part], lines: "0-0", truncated: false, readOn, query, exportTo, outlined };
  if (below === undefined && asked === undefined || budgetChars <= MIN_CHARS) return preview;
  const study = studied();
  const digestChars = Math.max(MIN_CHARS, budgetChars - body.length);
  if (asked !== undefined) {
    const digest = digestOf(study, digestChars, asked, 1, outline.shownLines ?? []);
    return { ...digest, parts: [part, ...digest.parts], outlined };
  }
  if (below !== "digest") {
    const own = study.totalLines >= MANY_LINES ? outline.shownLines ?? [] : [];
    const chosen = chooseLines(study, BELOW_CHARS);
    const all = [...new Set([...own, ...chosen.lines])];
    const { lines: found, parts: fit, truncated } = fitting(study, all, budgetChars - body.length);
    const parts = fit.filter((each) => !("omitted" in each));
    if (parts.length === 0) return preview;
    const cleanedChars = leftOutChars(study, found);
    const shown = { ...preview, parts: [part, ...parts], lines: linesOf(parts), truncated, cleanedChars };
    if (outline.isBelow !== true || truncated || !own.every((line) => found.includes(line))) return shown;
    const isMore = nextFinding(study, chosen.weighed, new Set(found)) !== undefined;
    const next = isMore ? { digest: 2, max_chars: BELOW_CHARS } : readOnFrom(study, found, undefined);
    return { ...shown, query: undefined, readOn: next };
  }
  const digest = digestOf(study, digestChars);
  return { ...preview, ...digest, parts: [part, ...digest.parts], readOn };
}

/** About the chars of a digest below an outline. */
const BELOW_CHARS = 1200;

/** The share of the chars that goes to the outline if the caller says what it looks for, and to the lines about that. */
const ASKED_OUTLINE_SHARE = 0.3;
/** The share for the outline of content of many lines, of which lines are shown below. */
const OUTLINE_SHARE = 0.7;
const ASKED_SHARE = 0.75;

/**
 * The digest `page`, from 1: each shows what matters most among what those before it did not show. If it is about something,
 * it shows the `further` lines as well, by default those of a digest about nothing.
 */
function digestOf(
  study: Study,
  budgetChars: number,
  asked?: Wanted,
  page = 1,
  further?: readonly number[],
): Preview {
  const wanted = typeof asked === "function" ? asked(study) : asked;
  const isAbout = typeof asked === "function";
  let chosen = wanted === undefined
    ? chooseOfParts(study, budgetChars)
    : chooseLines(study, isAbout ? budgetChars * ASKED_SHARE : budgetChars, wanted);
  const all = isAbout
    ? [...new Set([...chosen.lines, ...further ?? chooseOfParts(study, budgetChars).lines])]
    : chosen.lines;
  let { lines, parts, truncated } = fitting(study, all, budgetChars);
  const shown = new Set(lines);
  for (let at = 1; at < page && lines.length > 0; at++) {
    chosen = chooseLines(study, budgetChars, chosen.weighed, shown);
    ({ lines, parts, truncated } = fitting(study, chosen.lines, budgetChars));
    for (const line of lines) shown.add(line);
  }
  const next = nextFinding(study, chosen.weighed, shown);
  const [heaviest] = chosen.weighed;
  const isHeavy = heaviest !== undefined && heaviest.weight >= HEAVY;
  return {
    parts,
    lines: linesOf(parts),
    truncated,
    cleanedChars: study.isPlain ? 0 : leftOutChars(study, lines),
    readOn: next !== undefined && wanted === undefined && lines.length > 0
      ? {
        digest: page + 1,
        max_chars: budgetChars === study.content.entry.pageSize ? undefined : budgetChars,
      }
      : readOnFrom(study, [...shown], next?.line ?? (isHeavy ? heaviest.line : undefined)),
  };
}

/** As many of the `wanted` lines, the most important ones first, as fit whatever the format. */
function fitting(study: Study, wanted: readonly number[], budgetChars: number) {
  // What is odd in an outline may be in a line too long to be shown.
  const chosen: number[] = [];
  for (const line of wanted) if (lineBytes(study, line) !== undefined) chosen.push(line);
  for (let count = chosen.length;;) {
    const lines = [...Float64Array.from(chosen.slice(0, count)).sort()];
    const { parts, truncated } = composeDigest(study, lines);
    /** The most chars of the parts as text, beyond the budget. */
    let over = -budgetChars;
    for (const part of parts) {
      if ("omitted" in part) {
        over += part.lines.length + 12;
        for (const { line } of part.like) over += JSON.stringify(line).length + 20;
      } else {
        const [first = "", last = ""] = part.lines.split("-");
        over += part.body.byteLength + (Number(last) - Number(first) + 1) * (last.length + 2);
      }
    }
    if (over <= 0 || count === 0) return { lines, parts, truncated };
    // The size of a line is only estimated when it is chosen.
    count -= Math.min(count, Math.ceil(over / MAX_LINE_CHARS));
  }
}

/** "1-5,512-530". */
function linesOf(parts: readonly (PreviewPart | PreviewGap)[]): string {
  let shown = "";
  for (const part of parts) if (!("omitted" in part)) shown += shown === "" ? part.lines : `,${part.lines}`;
  return shown || "0-0";
}

/** Lines that `next` reads, and how many of them come before the line that it leads to. */
const READ_LINES = 80;
const LINES_BEFORE = 12;

/**
 * The lines around `wanted`, or else those from the first one that is not shown; if all are shown, the beginning of one
 * that is cut. Undefined if nothing is left out.
 */
function readOnFrom(study: Study, shown: readonly number[], wanted: number | undefined): Preview["readOn"] {
  const { totalLines } = study;
  const unshown = firstUnshown(shown, 1);
  if (unshown > totalLines) {
    const cut = shown.filter((line) => lineBytes(study, line)!.length > MAX_LINE_CHARS);
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

/**
 * The parts of a digest, in order: runs of `lines`, which ascend, and gaps that say what they leave out; and whether a line is
 * too long to be shown whole.
 */
function composeDigest(study: Study, lines: readonly number[]) {
  const { watched, totalLines } = study;
  const parts: (PreviewPart | PreviewGap)[] = [];
  let truncated = false;
  let next = 1;
  for (let at = 0; at < lines.length;) {
    const first = lines[at]!;
    if (first > next) parts.push(gapOf(study, next, first - 1));
    const shown: string[] = [];
    for (next = first; lines[at] === next; at++, next++) {
      const line = lineBytes(study, next)!;
      const isLong = line.length > MAX_LINE_CHARS;
      const lost = watched?.overwritten.get(next);
      const text = isLong ? cutLine(line, watched?.strongestSign(line) ?? 0) : latin1Of(line);
      shown.push(lost === undefined ? text : lostOn(lost) + text);
      truncated ||= isLong;
    }
    // Each char is a byte.
    const bytes = bytesOf(shown.join("\n"));
    const body = { byteLength: bytes.length, chunks: () => [bytes], bytes };
    parts.push({ lines: `${first}-${next - 1}`, body, numbered: true });
  }
  if (next <= totalLines) parts.push(gapOf(study, next, totalLines));
  return { parts, truncated };
}

/** Overwritten texts that are shown with a line. */
const MAX_LOST = 3;

/** The texts with signs that were written over in a line, marked. */
function lostOn(texts: readonly string[] = []): string {
  let lost = "";
  for (const text of texts.slice(0, MAX_LOST)) lost += `[overwritten: ${text}] `;
  return lost;
}

/** A long line, cut around the place of its strongest sign, with the same marks as in `search`. */
function cutLine(line: Uint8Array, sign: number): string {
  const room = MAX_LINE_CHARS - 40;
  let from = sign < room - 80 ? 0 : sign - 80;
  let to = Math.min(line.length, from + room);
  while (from > 0 && isInsideChar(line, from)) from--;
  while (to < line.length && isInsideChar(line, to)) to--;
  const before = from === 0 ? "" : `[${from} bytes \xe2\x80\xa6] `;
  const after = to === line.length ? "" : ` [\xe2\x80\xa6 ${line.length - to} bytes]`;
  return `${before}${latin1Of(line.subarray(from, to))}${after}`;
}

function isInsideChar(bytes: Uint8Array, at: number): boolean {
  return (bytes[at]! & 0xc0) === 0x80;
}

/** A gap of more lines names the two heaviest kinds of findings that it has. */
const LONG_GAP = 100;
/** A shorter gap names the heaviest of which it has as many lines. */
const REPEATED = 10;

function gapOf(study: Study, first: number, last: number): PreviewGap {
  const { watched, gaps } = study;
  const lines = `${first}-${last}`;
  const known = gaps.get(lines);
  if (known !== undefined) return known;
  const omitted = last - first + 1;
  if (omitted <= 2 || watched === undefined) return { lines, omitted, like: [] };
  const isLong = omitted > LONG_GAP;
  const named = watched.alike(first, last, "kind", isLong ? 1 : REPEATED).slice(0, isLong ? 2 : 1);
  let share = 0.5;
  for (const alike of watched.alike(first, last, "shape", 3)) {
    if (alike.count < omitted * share) break;
    named.push(alike);
    share = 0.2;
  }
  const like: PreviewGap["like"][number][] = [];
  for (const { count, line } of named) {
    const whole = utf8Text(bytesOf((textOf(study, line) ?? "").trimEnd()));
    const text = whole.length <= MAX_EXAMPLE_CHARS
      ? whole
      : `${[...whole.slice(0, 2 * MAX_EXAMPLE_CHARS)].slice(0, MAX_EXAMPLE_CHARS).join("")}\u2026`;
    if (text !== "" && !like.some((each) => each.line === text)) like.push({ count, line: text });
  }
  gaps.set(lines, { lines, omitted, like });
  return { lines, omitted, like };
}
