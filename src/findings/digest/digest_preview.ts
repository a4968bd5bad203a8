/**
 * The preview `digest`: the start and the end of some content, and between them the lines that matter (docs/first-answer.md
 * says how they are chosen). Content of a known kind is shown as an outline instead.
 */

import { cleanBytes, countChars, DEFAULT_PAGE_SIZE, utf8Bytes, utf8Text } from "../../../fd/system.ts";
import { outlineContent } from "../outline/content_outline.ts";
import {
  type BlockContent,
  bytesOf,
  type ContentOutline,
  latin1Of,
  MANY_LINES,
  utf8Of,
} from "../outline/outlined_content.ts";
import { chooseLines, HEAVY, heavyFindings, nextFinding } from "./choose_lines.ts";
import { chooseOfParts, contentParts } from "./content_parts.ts";
import { decisiveLine } from "./decisive_line.ts";
import { MAX_LINE_CHARS } from "./line_budget.ts";
import { leftOutChars, lineBytes, type Study, studyContent, textOf } from "./studied_lines.ts";
import type { ContentWatcher } from "./watch_content.ts";
import { type Weighed, weighFindings } from "./weigh_lines.ts";
import type { Preview, PreviewGap, PreviewPart } from "../../calls/terms/answers.ts";

/** The digest of some content. */
interface Digest extends Preview {
  /** A filter that shows an element of what is outlined, if lines are to be read next. */
  elementQuery?: string | undefined;
}

/** How a digest is made. */
interface DigestOptions {
  budgetChars: number;
  /** It has seen the content. */
  watcher?: ContentWatcher | undefined;
  /**
   * The lines to show between the ends, the heaviest first, instead of those that are found. With a function, content of many
   * lines is shown as lines, whatever its kind.
   */
  wanted?: Wanted | undefined;
  /** From 2: one of the digests that follow. */
  page?: number | undefined;
}

/**
 * Makes a digest of content that is open until then.
 *
 * @throws {FdError} `read_error` or `store_corrupt` if the content cannot be read.
 */
export function digestPreview(
  content: BlockContent,
  { budgetChars, watcher, wanted, page = 1 }: DigestOptions,
): Digest | Promise<Digest> {
  const areMany = content.lineCount >= MANY_LINES;
  const asked = typeof wanted === "function" && areMany ? wanted : undefined;
  const outlineChars = budgetChars *
    (asked !== undefined ? ASKED_OUTLINE_SHARE : areMany ? OUTLINE_SHARE : 1);
  const outlining = outlineContent(content, outlineChars);
  const study = () => studyContent(content, watcher);
  const plain = () => digestAt(page, firstDigest(study(), budgetChars, wanted));
  return outlining?.then((outline) =>
    outline === undefined ? plain() : outlinePreview(outline, budgetChars, study, asked, page)
  ) ?? plain();
}

/** Lines to show, weighed: as they are, or made from what was found. */
export type Wanted = readonly Weighed[] | ((study: Study) => readonly Weighed[]);

/** Smaller budgets have no room for lines between the ends. */
const MIN_CHARS = 600;

/** Lines with the surest signs of failure, at most one of a kind, ascending. */
interface FailingPlaces {
  /** The one to read first. */
  decisive: number | undefined;
  /** All such lines that were judged. */
  lines: number[];
  findings: { line: number; text: string }[];
}

/** The lines that most surely failed, at most `most`. */
export function failingPlaces(content: BlockContent, most = 3): FailingPlaces {
  const study = studyContent(content);
  return placesOf(study, weighFindings(study), most);
}

/** The same, the parts that have headings, and the gaps of a first answer of `budgetChars`. */
export function foldingPlaces(content: BlockContent, most: number, budgetChars: number) {
  const study = studyContent(content);
  const { lines, weighed } = chooseOfParts(study, budgetChars);
  const gaps = fitting(study, lines, budgetChars).parts.filter((part) => "omitted" in part);
  const parts = contentParts(study).map(({ first, last }) => ({
    first,
    last,
    heading: utf8Of(textOf(study, first) ?? ""),
  }));
  return { ...placesOf(study, weighed, most), gaps, parts };
}

function placesOf(study: Study, weighed: readonly Weighed[], most: number): FailingPlaces {
  const heavy = heavyFindings(weighed);
  const kinds = new Set<number>();
  const firsts = heavy.filter(({ kind }) => kinds.size < most && !kinds.has(kind) && kinds.add(kind));
  const findings = firsts.sort((one, other) => one.line - other.line)
    .map(({ line }) => ({
      line,
      text: utf8Of(lostOn(study.watched?.overwritten.get(line)) + (textOf(study, line) ?? "")),
    }));
  return { decisive: decisiveLine(study, heavy), lines: heavy.map(({ line }) => line), findings };
}

/** An outline, and below it lines that it does not cover. */
function outlinePreview(
  outline: ContentOutline,
  budgetChars: number,
  studied: () => Study,
  asked: Wanted | undefined,
  page: number,
): Digest {
  const { kind: outlined, lines, readOn = {}, query, exportTo, below, shownLines = [] } = outline;
  const body = cleanBytes(utf8Bytes(lines.join("\n")));
  const part = { lines: "0-0", body: { byteLength: body.length, chunks: () => [body], bytes: body } };
  const preview = { parts: [part], lines: "0-0", truncated: false, readOn, query, exportTo, outlined };
  if (below === undefined && asked === undefined || budgetChars <= MIN_CHARS) return preview;
  const study = studied();
  const areMany = study.totalLines >= MANY_LINES;
  const left = budgetChars - body.length;
  const most = outline.mostChars &&
    Math.min(LISTED_BELOW_CHARS, Math.max(MIN_BELOW_CHARS, outline.mostChars - body.length));
  const first = asked !== undefined
    ? firstDigest(study, Math.max(MIN_CHARS, left), asked, shownLines)
    : below === "digest"
    ? firstDigest(study, Math.max(MIN_CHARS, left))
    : below === "start"
    ? { study, budgetChars, weighed: [], isLast: true, ...fitting(study, shownLines, left, false) }
    : linesBelow(study, left, areMany ? shownLines : [], most);
  const digest = digestAt(page, { ...first, budgetChars, lead: readOn.mode === "line" ? readOn : undefined });
  if (page > 1) return digest;
  const parts = [part, ...digest.parts.filter((each) => below === "digest" || asked || !("omitted" in each))];
  if (!areMany) return { ...preview, ...digest, parts, readOn };
  return { ...digest, parts, outlined, elementQuery: query };
}

/** About the chars of a digest below an outline; and the most and the least below one of a listing. */
const BELOW_CHARS = 1200;
const LISTED_BELOW_CHARS = 800;
const MIN_BELOW_CHARS = 250;

/** The lines of what is odd in an outline, and a short digest, in at most `budgetChars` and `mostChars`. */
function linesBelow(
  study: Study,
  budgetChars: number,
  own: readonly number[],
  mostChars = budgetChars,
): FirstDigest {
  const { lines, weighed } = chooseLines(study, Math.min(BELOW_CHARS, mostChars));
  const heavy = weighed.filter(({ line, weight }) => weight >= HEAVY && lines.includes(line));
  const all = new Set([...heavy.map(({ line }) => line), ...own, ...lines]);
  const fit = fitting(study, [...all], Math.min(budgetChars, mostChars), false);
  return { study, budgetChars, weighed, ...fit };
}

/** The share of the chars that goes to the outline if the caller says what it looks for, and to the lines about that. */
const ASKED_OUTLINE_SHARE = 0.3;
/** The share for the outline of content of many lines, of which lines are shown below. */
const OUTLINE_SHARE = 0.7;
const ASKED_SHARE = 0.75;

/** A first digest, from which those that follow go on. */
interface FirstDigest extends Fitting {
  study: Study;
  /** Chars of each of those that follow. */
  budgetChars: number;
  weighed: readonly Weighed[];
  /** Lines that are shown before any other. */
  lead?: Preview["readOn"];
  /** Whether nothing but these lines was wanted, so no digest follows. */
  isLast?: boolean;
}

/** The first digest. If it is about something, it shows the `further` lines as well, by default those of a digest about nothing. */
function firstDigest(
  study: Study,
  budgetChars: number,
  asked?: Wanted,
  further?: readonly number[],
): FirstDigest {
  const isAbout = typeof asked === "function";
  const wanted = isAbout ? asked(study) : asked;
  const chosen = wanted === undefined
    ? chooseOfParts(study, budgetChars)
    : chooseLines(study, isAbout ? budgetChars * ASKED_SHARE : budgetChars, wanted);
  const all = isAbout
    ? [...new Set([...chosen.lines, ...further ?? chooseOfParts(study, budgetChars).lines])]
    : chosen.lines;
  const isLast = wanted !== undefined && !isAbout;
  return { study, budgetChars, weighed: chosen.weighed, isLast, ...fitting(study, all, budgetChars) };
}

/** The digest `page`, from 1: each shows what matters most among what those before it did not show. */
function digestAt(page: number, first: FirstDigest): Preview {
  const { study, budgetChars, isLast } = first;
  let { lines, parts, truncated }: Fitting = first;
  const shown = new Set(lines);
  for (let at = 1; at < page && lines.length > 0; at++) {
    ({ lines, parts, truncated } = fitting(study, furtherLines(first, shown), budgetChars));
    for (const line of lines) shown.add(line);
  }
  const isMore = isLast !== true && lines.length > 0 && hasFurther(first, shown);
  return {
    parts,
    lines: linesOf(parts),
    truncated,
    cleanedChars: study.isPlain ? 0 : leftOutChars(study, lines),
    readOn: isMore
      ? { digest: page + 1, max_chars: budgetChars }
      : readOnFrom(study, shown, isLast ? first.lead?.count : undefined),
  };
}

/** Lines that are read around the heaviest one, and how many of them come before it. */
const READ_LINES = 80;
const LINES_BEFORE = 12;

/** Whether a further digest has something to show before the content is read in its order. */
function hasFurther(first: FirstDigest, shown: ReadonlySet<number>): boolean {
  const { study, weighed } = first;
  return nextFinding(study, weighed, shown) !== undefined || leadLines(first, shown).length > 0 ||
    aroundHeaviest(first, shown).length > 0;
}

/** The lines of a further digest: those that lead, then those that matter, at last those around the heaviest. */
function furtherLines(first: FirstDigest, shown: ReadonlySet<number>): readonly number[] {
  const { study, budgetChars, weighed } = first;
  const lead = leadLines(first, shown);
  if (lead.length > 0) return lead;
  return nextFinding(study, weighed, shown) === undefined
    ? aroundHeaviest(first, shown)
    : chooseLines(study, budgetChars, weighed, shown).lines;
}

function leadLines({ study, lead }: FirstDigest, shown: ReadonlySet<number>): number[] {
  const { start = 1, count = 0 } = lead ?? {};
  return unshownOf(study, start, count, shown);
}

/** The lines around the heaviest finding, nearest first. */
function aroundHeaviest({ study, weighed: [heaviest] }: FirstDigest, shown: ReadonlySet<number>): number[] {
  if (heaviest === undefined || heaviest.weight < HEAVY) return [];
  const { line } = heaviest;
  const distance = (each: number) => Math.abs(each - line);
  return unshownOf(study, line - LINES_BEFORE, READ_LINES, shown)
    .sort((one, other) => distance(one) - distance(other));
}

/** Those of `count` lines that can be shown and are not shown yet. */
function unshownOf(study: Study, from: number, count: number, shown: ReadonlySet<number>): number[] {
  const lines: number[] = [];
  for (let line = from; line < from + count; line++) {
    if (!shown.has(line) && lineBytes(study, line) !== undefined) lines.push(line);
  }
  return lines;
}

/** Lines of a digest, as parts. */
interface Fitting {
  /** Ascending. */
  lines: readonly number[];
  parts: (PreviewPart | PreviewGap)[];
  /** Whether a line is too long to be shown whole. */
  truncated: boolean;
}

/** As many of the `wanted` lines, the most important ones first, as fit whatever the format. */
function fitting(study: Study, wanted: readonly number[], budgetChars: number, hasGaps = true): Fitting {
  // What is odd in an outline may be in a line too long to be shown.
  const chosen: number[] = [];
  for (const line of wanted) if (lineBytes(study, line) !== undefined) chosen.push(line);
  for (let count = chosen.length;;) {
    const lines = chosen.slice(0, count).sort((one, other) => one - other);
    const { parts, truncated } = composeDigest(study, lines);
    /** The most chars of the parts as text, beyond the budget. */
    let over = -budgetChars;
    for (const part of parts) {
      if ("omitted" in part) {
        if (!hasGaps) continue;
        over += part.lines.length + 12 + (part.others === undefined ? 0 : 16);
        for (const { line } of part.like) over += JSON.stringify(line).length + 20;
      } else {
        const [first = "", last = ""] = part.lines.split("-");
        over += (Number(last) - Number(first) + 1) * (last.length + 2);
        for (const bytes of part.body.chunks()) over += countChars(bytes);
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

/** The lines from the first one that is not shown whole; undefined without one. */
function readOnFrom(study: Study, shown: ReadonlySet<number>, most = READ_LINES): Preview["readOn"] {
  const isCut = (line: number) => (lineBytes(study, line)?.length ?? Infinity) > MAX_LINE_CHARS;
  let start = 1;
  while (shown.has(start) && !isCut(start)) start++;
  const count = Math.min(most, study.totalLines - start + 1);
  if (count === 0) return undefined;
  let hasCut = false;
  for (let line = start; line < start + count; line++) hasCut ||= isCut(line);
  return { mode: "line", start, count, max_chars: hasCut ? DEFAULT_PAGE_SIZE : undefined };
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

/** The reason at the end of a message: `: File name too long`. */
const REASON = /: [A-Za-z][^:]{3,60}$/;

/** A long line, cut around the place of its strongest sign, with the same marks as in `search`, and the reason at its end. */
function cutLine(line: Uint8Array, sign: number): string {
  const end = REASON.exec(latin1Of(line.subarray(-64)))?.[0] ?? "";
  const room = MAX_LINE_CHARS - 40 - end.length;
  let from = sign < room - 80 ? 0 : sign - 80;
  const isEndShown = from + room + end.length >= line.length;
  const reason = isEndShown ? "" : end;
  let to = isEndShown ? line.length : from + room;
  while (from > 0 && isInsideChar(line, from)) from--;
  while (to < line.length && isInsideChar(line, to)) to--;
  const before = from === 0 ? "" : `[${from} bytes \xe2\x80\xa6] `;
  const after = to === line.length ? "" : ` [\xe2\x80\xa6 ${line.length - to - reason.length} bytes]`;
  return `${before}${latin1Of(line.subarray(from, to))}${after}${reason}`;
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
  const counted: typeof named = [];
  let others = omitted;
  for (const alike of named) {
    const whole = utf8Text(bytesOf((textOf(study, alike.line) ?? "").trimEnd()));
    const text = whole.length <= MAX_EXAMPLE_CHARS
      ? whole
      : `${[...whole.slice(0, 2 * MAX_EXAMPLE_CHARS)].slice(0, MAX_EXAMPLE_CHARS).join("")}\u2026`;
    if (text === "" || like.some((each) => each.line === text)) continue;
    counted.push(alike);
    // Lines of a kind that was named may be of a shape, too.
    const left = watched.countOthers(first, last, counted);
    if (left < others) like.push({ count: others - left, line: text });
    others = left;
  }
  if (like.length === 0) others = 0;
  const gap = { lines, omitted, like, ...others > 0 && { others } };
  gaps.set(lines, gap);
  return gap;
}
