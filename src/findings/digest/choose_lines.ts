/**
 * Chooses the lines that a digest shows within its budget: the start, the end, and the lines that matter, each with the
 * lines that belong to it.
 */

import { GAP_CHARS, LineBudget, lineCost } from "./line_budget.ts";
import type { Judged } from "./judge_records.ts";
import { blockOf, FREQUENT, ODD_WITH_RECORD, recordOf, WITH_RECORD } from "./related_lines.ts";
import { bodyOf, likeCount, type Study } from "./studied_lines.ts";
import { FAINT, type Weighed, weighFindings } from "./weigh_lines.ts";

/** Chars of the start and of the end if there are no findings. */
const HEAD_CHARS = 160;
const HEAD_LINES = 2;
const TAIL_CHARS = 800;
const TAIL_LINES = 14;
/** From this share of the room on, the end shows a whole record. */
const SPARE_SHARE = 0.75;
/** Lines of a frequent shape, and lines of one form in a row, that each end shows. */
const FREQUENT_LINES = 1;
const MAX_ALIKE = 2;

/** A lighter line is shown without its block, and all lighter lines share a small budget. */
export const HEAVY = 22;
const LIGHT_CHARS = 600;

/** Lines of one kind that are shown as findings. */
const MAX_OF_KIND = 2;
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
  return weighed.find(({ line, kind }) =>
    !kinds.has(kind) && bodyOf(study, line) !== undefined && !isReported(study, reported, line)
  );
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
  const budget = new LineBudget(study, budgetChars, before);
  if (before.size === 0) showEnds(budget, budgetChars);
  showKinds(budget, budgetChars / 2, weighed);
  showFindings(budget, weighed);
  if (before.size === 0) fill(budget, budgetChars);
  if (before.size === 0 && budget.left > budgetChars * SPARE_SHARE) {
    showEnd(budget, study.totalLines, -1, TAIL_LINES, TAIL_CHARS, true);
  }
  bridge(budget, weighed);
  return { lines: budget.added(), weighed };
}

/** Shows one line of each heavy kind, until `least` chars are left: what belongs to a finding never displaces another one. */
function showKinds(budget: LineBudget, least: number, weighed: readonly Weighed[]): void {
  const kinds = new Set<number>();
  for (const { line, weight, kind } of weighed) {
    if (weight < HEAVY || budget.left < least) return;
    if (kinds.has(kind) || budget.before.has(line)) continue;
    kinds.add(kind);
    if (!budget.shown.has(line)) budget.left -= GAP_CHARS;
    budget.show(line);
  }
}

/** Shows the findings, heaviest first, each with what belongs to it. */
function showFindings(budget: LineBudget, weighed: readonly Weighed[]): void {
  const { study, before } = budget;
  const isFirst = before.size === 0;
  let lightLeft = isFirst ? LIGHT_CHARS : budget.left;
  const ofKind = new Map<number, number>();
  const reported: Passages = new Map();
  for (const { line } of weighed) if (before.has(line)) report(study, reported, line);
  let rank = 0;
  for (const finding of weighed) {
    const { line, kind, weight } = finding;
    if (budget.left < GAP_CHARS || isFirst && weight <= FAINT) return;
    if (before.has(line)) continue;
    const count = ofKind.get(kind) ?? 0;
    if (count === MAX_OF_KIND) continue;
    const isLight = weight < HEAVY;
    const chars = budget.costOf(line) + budget.gapCostOf(line);
    if (chars > (isLight ? Math.min(lightLeft, budget.left) : budget.left)) {
      if (isLight) return;
      continue;
    }
    // What is written again, with the same lines around it, is only counted.
    if (isReported(study, reported, line)) continue;
    report(study, reported, line);
    ofKind.set(kind, count + 1);
    const { left } = budget;
    budget.left -= budget.gapCostOf(line);
    budget.show(line);
    if (isLight) lightLeft -= left - budget.left;
    else {
      budget.showFitting(blockOf(study, finding, rank));
      const isRecordShown = rank < (finding.strength === 0 ? ODD_WITH_RECORD : WITH_RECORD);
      if (isRecordShown) budget.showFitting(recordOf(study, line));
    }
    rank++;
  }
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
export function heavyFindings(weighed: readonly Weighed[]): Weighed[] {
  return weighed.filter(({ weight, strength }) => weight >= HEAVY && strength > 0);
}

/** Shows the last and the first lines. */
function showEnds(budget: LineBudget, budgetChars: number): void {
  const { totalLines } = budget.study;
  showEnd(budget, totalLines, -1, TAIL_LINES, Math.min(TAIL_CHARS, budgetChars / 4));
  showEnd(budget, 1, 1, HEAD_LINES, Math.min(HEAD_CHARS, budgetChars / 8));
}

/**
 * Shows lines from an end on: as many as say something new within `mostChars`, but at least one. Of what is reported again and
 * again, a whole record says something new.
 */
function showEnd(
  budget: LineBudget,
  first: number,
  step: 1 | -1,
  mostLines: number,
  mostChars: number,
  isRecordNew = false,
): void {
  const { study } = budget;
  const lastLine = first + step * (Math.min(study.totalLines, mostLines) - 1);
  let chars = 0;
  const forms = new Set<string>();
  let frequent = 0;
  let alike = 0;
  let last = "";
  for (let line = first; line !== lastLine + step; line += step) {
    // A line too long to be studied.
    const text = bodyOf(study, line);
    if (text === undefined) return;
    chars += budget.costOf(line);
    if (line !== first && chars > mostChars) return;
    if (!isRecordNew && likeCount(study, line, "shape") > FREQUENT && ++frequent > FREQUENT_LINES) return;
    // A list goes on as it ends.
    const form = text.replace(/\w+/g, "a").replace(/\s+/g, " ");
    alike = form === last ? alike + 1 : 1;
    if (alike > MAX_ALIKE || isRecordNew && forms.has(form)) return;
    if (form.includes("a") && !HEADING.test(text)) forms.add(form);
    last = form;
    budget.show(line);
  }
}

/** Gaps of at most so many lines, in so many chars, are shown if their lines are not alike: anywhere, and near a failure. */
const SHORT_GAP = { lines: 5, chars: 400 };
const GAP_NEAR_FAILURE = { lines: 12, chars: 500 };

/** Shows short gaps: those that are about as short as the line that would say what is left out, or whose lines are not alike. */
function bridge(budget: LineBudget, weighed: readonly Weighed[]): void {
  const { study, shown } = budget;
  const failures = heavyFindings(weighed).filter(({ line }) => shown.has(line));
  let from = 1;
  for (const to of [...shown, study.totalLines + 1].sort((one, other) => one - other)) {
    const count = to - from;
    const first = from;
    from = to + 1;
    const isNear = ({ line }: Weighed) =>
      Math.min(Math.abs(first - line), Math.abs(line - to)) <= GAP_NEAR_FAILURE.lines;
    const most = count > SHORT_GAP.lines && failures.some(isNear) ? GAP_NEAR_FAILURE : SHORT_GAP;
    if (count > most.lines) continue;
    const lines: number[] = [];
    let chars = 0;
    for (let line = first; line < to && chars <= most.chars; line++) {
      lines.push(line);
      chars += lineCost(study, line);
    }
    const isCheap = count <= 3 && chars <= GAP_CHARS;
    const isWorth = isCheap || chars <= most.chars && areUnlike(study, lines);
    if (isWorth && chars <= budget.left) { for (const line of lines) budget.show(line); }
  }
}

/** Whether the lines of a gap are neither alike, nor like many others. */
function areUnlike(study: Study, lines: readonly number[]): boolean {
  if (lines.every((line) => likeCount(study, line, "shape") > FREQUENT)) return false;
  const form = (line: number) => bodyOf(study, line)?.replace(/\w+/g, "a").replace(/\s+/g, " ");
  return new Set([lines[0]! - 1, ...lines, lines.at(-1)! + 1].map(form)).size > 2;
}

/** Up to this share of the budget, lines are shown that only differ from all others. */
const FILLED_SHARE = 0.5;
/** The most lines that are read for it, and the share of rare lines from which on only headings tell something. */
const MAX_READ = 200;
const VARIED_SHARE = 0.25;
/** A line that counts something, and one that opens what is below it. */
const COUNTS = /\d[\d,.]* [a-z]/;
const HEADING = /^(?![\s#/"'(])[^.;,]{2,80}:\s*$|^[=#*-]{1,6} \S/;

/** Of rare shapes alone, longer lines tell little for their room. */
const MAX_FILLED_CHARS = 120;

/** The place of a path, up to its second directory; and the lines of one kind of which one may be in a place of its own. */
const PLACE = /(?:^|["'`=(\s])(\/?[\w.@-]+\/[\w.@-]+)/;
const OF_PLACE = { least: 20, most: 1000 };
const MAX_APART = 3;

/** The lines of the surest frequent kind of findings with a path in a place that no other one has; none if they are many. */
function apart({ study }: LineBudget): number[] {
  const watched = study.watched!;
  let frequent: Judged | undefined;
  for (const each of watched.findings) {
    if (each.count >= OF_PLACE.least && each.strength > (frequent?.strength ?? 0)) frequent = each;
  }
  // Most failures name no path: the others, which may be in many blocks, are not read.
  if (frequent === undefined || !PLACE.test(bodyOf(study, frequent.line) ?? "")) return [];
  const lines = watched.linesOfKind(frequent.line, OF_PLACE.most);
  const places = Map.groupBy(lines, (line) => PLACE.exec(bodyOf(study, line) ?? "")?.[1]);
  const alone = [...places.values()].filter(({ length }) => length === 1).flat();
  return alone.length > MAX_APART ? [] : alone;
}

/** Goes on, if there is much room, with what differs: headings, sums, and lines of rare shapes. */
function fill(budget: LineBudget, budgetChars: number): void {
  const { study, shown } = budget;
  const least = budgetChars * (1 - FILLED_SHARE);
  if (budget.left <= least || study.watched === undefined) return;
  const lines = study.watched.rareLines("shape", 1, study.totalLines);
  const isVaried = lines.length > study.totalLines * VARIED_SHARE;
  const tells = (line: number) => {
    const text = bodyOf(study, line) ?? "";
    return HEADING.test(text) || COUNTS.test(text) ||
      !isVaried && text.length <= MAX_FILLED_CHARS;
  };
  const rare = lines.filter((line) => !shown.has(line)).slice(0, MAX_READ).filter(tells);
  for (const line of [...apart(budget), ...rare]) {
    const chars = budget.costOf(line) + budget.gapCostOf(line);
    if (budget.left - chars < least) continue;
    budget.left -= budget.gapCostOf(line);
    budget.show(line);
  }
}
