/**
 * Chooses the lines that a digest shows within its budget: the start, the end, and the lines that matter, each with the
 * lines that belong to it.
 *
 * @module
 */

import { likeCount, type Study, textOf } from "./studied_lines.ts";
import { type Weighed, weighFindings } from "./weigh_lines.ts";

/** Chars that are shown of one line. */
export const MOST_LINE_CHARS = 320;
/** Chars that the line for a gap takes, about. */
const GAP_CHARS = 110;

/** Chars of the start and of the end, if nothing else asks for room. */
const HEAD_CHARS = 360;
const HEAD_LINES = 6;
const TAIL_CHARS = 800;
const TAIL_LINES = 14;
/** Lines of a shape that has more of them than this are shown only once or twice at the ends. */
const FREQUENT = 12;
const FREQUENT_LINES = 2;

/** Below this weight a line is worth a line, not a block, and all such lines together a little. */
const HEAVY = 22;
const LIGHT_CHARS = 420;

/** Lines of one shape that are shown as findings. */
const MOST_OF_SHAPE = 3;

/** What was chosen. */
export interface Chosen {
  /** The numbers of the lines to show, the most important ones first. */
  lines: number[];
  /** The heaviest finding, if there is one that matters. */
  top: Weighed | undefined;
  /** The heaviest finding that found no room. */
  left: Weighed | undefined;
}

/** Chooses lines of `study` that take at most about `budgetChars`. */
export function chooseLines(study: Study, budgetChars: number): Chosen {
  const shown = new Set<number>();
  let left = budgetChars;
  const cost = (line: number) =>
    shown.has(line)
      ? 0
      : Math.min(textOf(study, line)?.length ?? 0, MOST_LINE_CHARS) + String(line).length + 2;
  const show = (line: number) => {
    left -= cost(line);
    shown.add(line);
  };

  showEnds(study, budgetChars, show, cost);
  const weighed = weighFindings(study);
  const ofShape = new Map<number, number>();
  let lightLeft = LIGHT_CHARS;
  let rank = 0;
  let unshown: Weighed | undefined;
  for (const finding of weighed) {
    const count = ofShape.get(finding.shape) ?? 0;
    if (count === MOST_OF_SHAPE) continue;
    const isLight = finding.weight < HEAVY;
    const block = isLight ? [finding.line] : blockOf(study, finding.line, rank);
    const isNew = !shown.has(finding.line);
    let chars = isNew && !shown.has(finding.line - 1) && !shown.has(finding.line + 1) ? GAP_CHARS : 0;
    // The line itself first, then what belongs to it, as far as there is room.
    const own = cost(finding.line);
    if (own + chars > left || isLight && own + chars > lightLeft) {
      unshown ??= finding;
      if (isLight) break;
      continue;
    }
    ofShape.set(finding.shape, count + 1);
    left -= chars;
    show(finding.line);
    if (isLight) lightLeft -= own + chars;
    for (const line of block) {
      chars = cost(line);
      if (chars > left) break;
      show(line);
    }
    rank++;
    if (left < GAP_CHARS) break;
  }
  bridge(study, shown, left, cost);
  const top = weighed[0] !== undefined && weighed[0].weight >= HEAVY ? weighed[0] : undefined;
  return { lines: [...shown], top, left: unshown };
}

/** Shows the first and the last lines. */
function showEnds(
  study: Study,
  budgetChars: number,
  show: (line: number) => void,
  cost: (line: number) => number,
): void {
  const { totalLines } = study;
  const end = (first: number, step: number, mostChars: number, mostLines: number) => {
    let chars = 0;
    let frequent = 0;
    for (
      let taken = 0, line = first;
      taken < mostLines && line >= 1 && line <= totalLines;
      taken++, line += step
    ) {
      const own = cost(line);
      chars += own;
      if (taken > 0 && chars > mostChars) break;
      if (likeCount(study, line) > FREQUENT && ++frequent > FREQUENT_LINES) break;
      show(line);
    }
  };
  end(totalLines, -1, Math.min(TAIL_CHARS, budgetChars / 4), TAIL_LINES);
  end(1, 1, Math.min(HEAD_CHARS, budgetChars / 8), HEAD_LINES);
}

/** Lines that belong to a line, nearest first: how far up and down is looked, by the rank of the line. */
const REACH_DOWN = [16, 12, 8, 6, 5, 4, 3];
const REACH_UP = [6, 5, 3, 3, 2, 2, 1];

/**
 * What belongs to `line`: the lines below it and above it up to an empty line, as long as they are not of a frequent shape.
 * One empty line is passed over if what follows is indented or marked.
 */
function blockOf(study: Study, line: number, rank: number): number[] {
  const down = REACH_DOWN[Math.min(rank, REACH_DOWN.length - 1)]!;
  const up = REACH_UP[Math.min(rank, REACH_UP.length - 1)]!;
  const below = follow(study, line, 1, down);
  const above = follow(study, line, -1, up);
  const block: number[] = [];
  for (let at = 0; at < Math.max(below.length, above.length); at++) {
    if (at < above.length && at * 2 < below.length) block.push(above[at]!);
    if (at < below.length) block.push(below[at]!);
  }
  for (const each of above) if (!block.includes(each)) block.push(each);
  const head = headOf(study, line);
  if (head !== undefined && !block.includes(head)) block.splice(Math.min(block.length, 2), 0, head);
  return block;
}

/** How far up the head of a block is looked for. */
const HEAD_REACH = 40;

/** The nearest line above that is indented less: the head of the block in which `line` is. */
function headOf(study: Study, line: number): number | undefined {
  const indent = indentOf(textOf(study, line) ?? "");
  if (indent === 0) return undefined;
  for (let above = line - 1; above >= Math.max(1, line - HEAD_REACH); above--) {
    const text = textOf(study, above);
    if (text === undefined) return undefined;
    if (text.trim() !== "" && indentOf(text) < indent) return above;
  }
  return undefined;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function follow(study: Study, line: number, step: number, reach: number): number[] {
  const lines: number[] = [];
  for (let each = line + step, taken = 0; taken < reach; each += step, taken++) {
    const text = textOf(study, each);
    if (text === undefined) break;
    if (text.trim() === "") {
      // What is indented after an empty line still belongs to the block: expected and actual, a snippet.
      const beyond = textOf(study, each + step);
      if (beyond === undefined || !(BELONGS.test(beyond) && step > 0)) break;
      lines.push(each);
      continue;
    }
    if (likeCount(study, each) > FREQUENT && !BELONGS.test(text)) break;
    lines.push(each);
  }
  return lines;
}

const BELONGS =
  /^(?:\s{2,}|\t|E\s|>|[|+^~-]|\d+\s*\||at\s|caused by|expected|actual|received|got\b|want\b|left\b|right\b|note:|help:|hint:|reason:|=)/i;

/** Shows lines between shown ones if that takes less than to say that they are left out. */
function bridge(study: Study, shown: Set<number>, left: number, cost: (line: number) => number): void {
  const lines = [...shown].sort((one, other) => one - other);
  for (let at = 1; at < lines.length; at++) {
    const from = lines[at - 1]! + 1;
    const to = lines[at]!;
    if (to === from || to - from > 3) continue;
    let chars = 0;
    for (let line = from; line < to; line++) {
      chars += textOf(study, line) === undefined ? Infinity : cost(line);
    }
    if (chars > Math.min(60, left)) continue;
    left -= chars;
    for (let line = from; line < to; line++) shown.add(line);
  }
}
