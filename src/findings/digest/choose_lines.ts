/**
 * Chooses the lines that a digest shows within its budget: the start, the end, and the lines that matter, each with the
 * lines that belong to it.
 */

import { bodyOf, likeCount, type Study } from "./studied_lines.ts";
import { FAINT, type Weighed, weighFindings } from "./weigh_lines.ts";

/** Chars that are shown of one line. */
export const MAX_LINE_CHARS = 320;
/** About the chars that the line for a gap takes. */
const GAP_CHARS = 110;

/** Chars of the start and of the end if there are no findings. */
const HEAD_CHARS = 160;
const HEAD_LINES = 2;
const TAIL_CHARS = 800;
const TAIL_LINES = 14;
/** If more lines than this have a shape, the ends show only one of them. */
const FREQUENT = 12;
const FREQUENT_LINES = 1;
/** Lines of one form that the ends show in a row. */
const MAX_ALIKE = 2;
/** A line does not belong to a finding if more lines than this start like it. */
const FREQUENT_LEAD = 20;
const STRONG = 45;
/** Strong lines are a list of findings if more lines than this start like them. */
const MAX_RELATED = 3;
/** The most lines of a record, which is what is between two empty lines or rules. */
const RECORD_LINES = 10;
/** The heaviest findings that bring their records, and the file that they are about; and those that are only odd. */
const WITH_RECORD = 3;
const ODD_WITH_RECORD = 4;

/** A lighter line is shown without its block, and all lighter lines share a small budget. */
export const HEAVY = 22;
const LIGHT_CHARS = 600;
/** The same beside a heavy finding with a sign. */
const LIGHT_CHARS_OF_FAILURE = 900;

/** Lines of one kind that are shown as findings. */
const MAX_OF_KIND = 2;
/** If more lines of a list than this are heavy, all but the first few are shown without their blocks. */
const MANY_HEAVY = 10;

/** After this many heavy lines for which there was no room, no shorter one is looked for. */
const MAX_MISFITS = 20;

/** The chosen lines. */
export interface Chosen {
  /** The numbers of the lines to show, the most important ones first. */
  lines: number[];
  /** All findings, heaviest first. */
  weighed: readonly Weighed[];
}

/** The heaviest finding of a kind that is not among the `shown` lines, and is not written like one that is. */
export function nextFinding(
  study: Study,
  weighed: readonly Weighed[],
  shown: ReadonlySet<number>,
): Weighed | undefined {
  const kinds = new Set<number>();
  const reported: Passages = new Map();
  for (const { line, kind } of weighed) {
    if (!shown.has(line)) continue;
    kinds.add(kind);
    report(study, reported, line);
  }
  for (const each of weighed) {
    if (!kinds.has(each.kind) && !isReported(study, reported, each.line)) return each;
  }
  return undefined;
}

/**
 * Chooses lines of `study` that take at most about `budgetChars`: those that are `weighed`, the heaviest first. After `before`,
 * the lines that answers before this one showed, it chooses others.
 */
export function chooseLines(
  study: Study,
  budgetChars: number,
  weighed: readonly Weighed[] = weighFindings(study),
  before: ReadonlySet<number> = new Set(),
): Chosen {
  const shown = new Set(before);
  const isFirst = before.size === 0;
  let left = budgetChars;
  const show = (line: number) => {
    // A line too long to be read.
    if (bodyOf(study, line) === undefined) return;
    left -= lineCost(study, line, shown);
    shown.add(line);
  };

  if (isFirst) showEnds(study, budgetChars, shown, show);
  const ofKind = new Map<number, number>();
  const isOfList = ({ line }: Weighed) => likeCount(study, line, "lead") > MAX_RELATED;
  const isHeavyOfList = (each: Weighed) => each.weight >= HEAVY && isOfList(each);
  let heavyOfList = 0;
  let areMany: boolean | undefined;
  const isFailure = weighed.some(({ weight, strength }) => weight >= HEAVY && strength > 0);
  let lightLeft = !isFirst ? budgetChars : isFailure ? LIGHT_CHARS_OF_FAILURE : LIGHT_CHARS;
  // One line of each heavy kind comes before what belongs to any: frames and snippets never displace another finding.
  const kinds = new Set<number>();
  for (const { line, weight, kind } of weighed) {
    if (weight < HEAVY || left < budgetChars / 2) break;
    if (kinds.has(kind) || before.has(line)) continue;
    kinds.add(kind);
    if (!shown.has(line)) left -= GAP_CHARS;
    show(line);
  }
  const reported: Passages = new Map();
  for (const { line } of weighed) if (before.has(line)) report(study, reported, line);
  let rank = 0;
  let misfits = 0;
  for (const finding of weighed) {
    if (before.has(finding.line)) continue;
    if (isFirst && finding.weight <= FAINT) break;
    const count = ofKind.get(finding.kind) ?? 0;
    const isListed = isOfList(finding) &&
      (areMany ??= weighed.some((each) => isHeavyOfList(each) && ++heavyOfList > MANY_HEAVY));
    if (count === (isListed ? 1 : MAX_OF_KIND)) continue;
    const isLight = finding.weight < HEAVY;
    const isNew = !shown.has(finding.line);
    let chars = isNew && !shown.has(finding.line - 1) && !shown.has(finding.line + 1) ? GAP_CHARS : 0;
    // The line itself first, then what belongs to it, as far as there is room.
    const own = lineCost(study, finding.line, shown);
    if (own + chars > left || isLight && own + chars > lightLeft) {
      if (isLight || ++misfits === MAX_MISFITS) break;
      continue;
    }
    // What is written again, with the same lines around it, is only counted.
    if (isReported(study, reported, finding.line)) continue;
    report(study, reported, finding.line);
    const block = isLight
      ? below(study, finding.line)
      : isListed && rank > 2
      ? []
      : blockOf(study, finding, rank);
    ofKind.set(finding.kind, count + 1);
    left -= chars;
    show(finding.line);
    if (isLight) lightLeft -= own + chars;
    for (const line of block) {
      chars = lineCost(study, line, shown);
      if (chars > left) break;
      if (isLight) lightLeft -= chars;
      show(line);
    }
    if (!isLight && rank < (finding.strength === 0 ? ODD_WITH_RECORD : WITH_RECORD)) {
      for (const line of recordOf(study, finding.line)) {
        chars = lineCost(study, line, shown);
        if (chars > left) break;
        show(line);
      }
    }
    rank++;
    if (left < GAP_CHARS) break;
  }
  bridge(study, shown, left - showMarked(study, shown, left));
  for (const line of before) shown.delete(line);
  return { lines: [...shown], weighed };
}

/** About the chars that a line takes in the digest: none if it is `shown` already. */
export function lineCost(study: Study, line: number, shown?: ReadonlySet<number>): number {
  if (shown?.has(line) === true) return 0;
  return Math.min(bodyOf(study, line)?.length ?? 0, MAX_LINE_CHARS) + String(line).length + 2;
}

/** Reported lines, by what they say. */
type Passages = Map<string | undefined, number[]>;

function report(study: Study, reported: Passages, line: number): void {
  const body = bodyOf(study, line);
  reported.set(body, [...reported.get(body) ?? [], line]);
}

/** Whether a line was reported with the same lines next to it, in which numbers do not count. */
function isReported(study: Study, reported: Passages, line: number): boolean {
  const near = (each: number) => (bodyOf(study, each) ?? "").replace(/\d[\da-f]*/g, "0");
  return reported.get(bodyOf(study, line))?.some((other) =>
    near(line - 1) === near(other - 1) && near(line + 1) === near(other + 1)
  ) === true;
}

/** The lines with sure signs of failure, the heaviest first. */
export function heavyFindings(study: Study): Weighed[] {
  return weighFindings(study).filter(({ weight, strength }) => weight >= HEAVY && strength > 0);
}

/** Shows the first and the last lines. */
function showEnds(
  study: Study,
  budgetChars: number,
  shown: ReadonlySet<number>,
  show: (line: number) => void,
): void {
  const { totalLines } = study;
  for (const step of [-1, 1]) {
    const mostChars = step < 0
      ? Math.min(TAIL_CHARS, budgetChars / 4)
      : Math.min(HEAD_CHARS, budgetChars / 8);
    const mostLines = Math.min(totalLines, step < 0 ? TAIL_LINES : HEAD_LINES);
    let chars = 0;
    let frequent = 0;
    let alike = 0;
    let last = "";
    for (let taken = 0, line = step < 0 ? totalLines : 1; taken < mostLines; taken++, line += step) {
      // A line too long to be studied.
      const text = bodyOf(study, line);
      if (text === undefined) break;
      chars += lineCost(study, line, shown);
      if (taken > 0 && chars > mostChars) break;
      if (likeCount(study, line, "shape") > FREQUENT && ++frequent > FREQUENT_LINES) break;
      // A list goes on as it ends.
      const form = text.replace(/\w+/g, "a").replace(/\s+/g, " ");
      alike = form === last ? alike + 1 : 1;
      if (alike > MAX_ALIKE) break;
      last = form;
      show(line);
    }
  }
}

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
function blockOf(study: Study, { line, strength }: Weighed, rank: number): number[] {
  const at = Math.min(strength === 0 ? Math.max(rank, RANK_OF_ODD) : rank, REACH_DOWN.length - 1);
  const below = follow(study, line, 1, REACH_DOWN[at]!, FREQUENT_BELOW[at]!);
  const above = follow(study, line, -1, REACH_UP[at]!, at < 2 ? 1 : 0);
  const block: number[] = [];
  for (let each = 0; each < Math.max(below.length, above.length); each++) {
    if (each < above.length && each * 2 < below.length) block.push(above[each]!);
    if (each < below.length) block.push(below[each]!);
  }
  for (const each of above) if (!block.includes(each)) block.push(each);
  const before = rank === 0 && strength > 0 && above.length === 0 ? lastBefore(study, line) : undefined;
  if (before !== undefined) block.splice(Math.min(block.length, 2), 0, before);
  const heads = [...headsOf(study, line), ...nameOf(study, line), ...opening(study, line)];
  if (strength === 0 && rank < ODD_WITH_RECORD) heads.push(...distinctOf(study, line));
  if (rank < (strength === 0 ? 1 : WITH_RECORD)) heads.push(...fileOf(study, [line, ...block, ...heads]));
  for (const head of heads) if (!block.includes(head)) block.splice(Math.min(block.length, 2), 0, head);
  // What differs comes before what is around it.
  const compared = block.filter((each) => sideOf(study, each) !== undefined);
  const sides = new Set(compared.length < 2 ? [] : compared.map((each) => sideOf(study, each)));
  return sides.size < 2 ? block : [...compared, ...block.filter((each) => !compared.includes(each))];
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

/** The word or mark of the side of a comparison that a line shows. */
function sideOf(study: Study, line: number): string | undefined {
  return COMPARED.exec(bodyOf(study, line) ?? "")?.[1]?.toLowerCase();
}

/** A line of a comparison: what was expected, or what came instead. */
const COMPARED =
  /^\s*(?:E\s+)?([-+](?![-+\d])|[<>](?=\s)|(?:expected|actual|received|got|want|left|right)\b)/i;
/** A line with a key, and one that names the record that it is in. */
const KEYED = /^\s*-?\s*["']?[\w.-]+["']?\s*:(?:\s|$)/;
const NAMING = /^\s*-?\s*["']?(?:name|id|uid|title|url|path|hostname)["']?\s*:\s*\S/i;

/** The nearest line that names the record of a line with a key: above it, indented as much or less. */
function nameOf(study: Study, line: number): number[] {
  const text = bodyOf(study, line) ?? "";
  if (!KEYED.test(text)) return [];
  let indent = indentOf(text);
  for (let above = line - 1; above >= Math.max(1, line - HEAD_REACH); above--) {
    const each = bodyOf(study, above);
    if (each === undefined) return [];
    if (each.trim() === "" || indentOf(each) > indent) continue;
    if (NAMING.test(each)) return [above];
    indent = indentOf(each);
  }
  return [];
}

/** The key of a line with its indentation: what is before a colon or equals sign, or else the first word. */
const KEY = /^\s*(?:[^:=]{1,40}[:=]|\W?[\w.-]+\W?)/;
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
  const last = before(line, least);
  if (last < least) return [];
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
function recordOf(study: Study, line: number): number[] {
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

/** The line above a line, if it opens their paragraph. */
function opening(study: Study, line: number): number[] {
  return isBoundary(bodyOf(study, line - 2)) && !isBoundary(bodyOf(study, line - 1)) ? [line - 1] : [];
}

/** The first two indented lines below a line; if that ends in a colon, the next line however it is indented. */
function below(study: Study, line: number): number[] {
  const opening = bodyOf(study, line) ?? "";
  const indent = indentOf(opening);
  const lines: number[] = [];
  for (let each = line + 1; lines.length < 2; each++) {
    const text = bodyOf(study, each);
    if (text === undefined || text.trim() === "") break;
    if (indentOf(text) <= indent && !(each === line + 1 && /:\s*$/.test(opening))) break;
    lines.push(each);
  }
  return lines;
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

function follow(
  study: Study,
  line: number,
  step: number,
  reach: number,
  mostFrequent: number,
): number[] {
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
      const starts = likeCount(study, each, "lead");
      const isFrequent = starts > FREQUENT_LEAD || likeCount(study, each, "shape") > FREQUENT;
      if (isFrequent && ++frequent > mostFrequent) break;
      // Lines with signs of their own are chosen on their own.
      if (starts > MAX_RELATED && isStrong(study, each) && !BELONGS.test(text)) break;
    }
    lines.push(each);
  }
  return lines;
}

/** The findings are in the order of their lines. */
function isStrong({ watched }: Study, line: number): boolean {
  const findings = watched?.findings ?? [];
  let low = 0;
  for (let high = findings.length; low < high;) {
    const middle = low + high >> 1;
    if (findings[middle]!.line < line) low = middle + 1;
    else high = middle;
  }
  for (; findings[low]?.line === line; low++) if (findings[low]!.strength >= STRONG) return true;
  return false;
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

/** A line of marks under a place in the line above. */
const MARKS = /^[\s|:.]*[\^~][\s\^~-]*(?:\s.*)?$/;

/** Shows marks with the line that they are under, and a line with the marks under it. Returns the chars of what it added. */
function showMarked(study: Study, shown: Set<number>, left: number): number {
  let chars = 0;
  for (const line of [...shown]) {
    for (const other of [line - 1, line + 1]) {
      if (shown.has(other) || !MARKS.test(bodyOf(study, Math.max(line, other)) ?? "")) continue;
      const own = lineCost(study, other, shown);
      if (chars + own > left) continue;
      chars += own;
      shown.add(other);
    }
  }
  return chars;
}

/** Shows up to three lines between shown ones if they are about as short as the line that would say they are left out. */
function bridge(study: Study, shown: Set<number>, left: number): void {
  const lines = Float64Array.from(shown).sort();
  for (let at = 1; at < lines.length; at++) {
    const from = lines[at - 1]! + 1;
    const to = lines[at]!;
    if (to === from || to - from > 3) continue;
    let chars = 0;
    for (let line = from; line < to; line++) {
      chars += bodyOf(study, line) === undefined ? Infinity : lineCost(study, line, shown);
    }
    if (chars > Math.min(GAP_CHARS, left)) continue;
    left -= chars;
    for (let line = from; line < to; line++) shown.add(line);
  }
}
