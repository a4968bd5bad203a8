/** Finds the odd member of lines that are written alike, in content short enough to compare each of its words. */

import { bodyOf, type Study } from "./studied_lines.ts";

/** Longer content is compared by what the line kernel counted only. */
const MAX_LINES = 4096;
const MAX_BYTES = 262_144;
/** Lines of one form of which one may be odd, and of a series that ascends evenly. */
const MIN_ALIKE = 10;
const MIN_SERIES = 20;
/** How often each other value is there if one is odd. */
const MIN_OTHERS = 3;
/** A number is odd if it is so many times the next one. */
const FAR_ABOVE = 4;
const MIN_ABOVE = 100;
/** More lines are not odd. */
const MAX_ODD = 4;
/** The share of the lines of a few forms where one of another form is odd. */
const NEARLY_ALL = 0.95;

/** The lines of one form, with their words and numbers. */
interface Alike {
  line: number;
  cells: string[];
}

/**
 * The lines that differ from all others of their form by a word or number, by a number far above theirs, or by a step where
 * they ascend evenly, and lines of a form of their own if nearly all have a few; none if they are many.
 */
export function oddMembers(study: Study): number[] {
  if (study.totalLines > MAX_LINES || study.content.byteCount > MAX_BYTES) return [];
  const forms = new Map<string, Alike[]>();
  for (let line = 1; line <= study.totalLines; line++) {
    const text = bodyOf(study, line) ?? "";
    const cells = text.match(/\w+/g);
    if (cells === null) continue;
    const form = text.replace(/\w+/g, "a").replace(/\s+/g, " ");
    const alike = forms.get(form);
    if (alike === undefined) forms.set(form, [{ line, cells }]);
    else alike.push({ line, cells });
  }
  const odd = new Set<number>();
  const all = [...forms.values()];
  const lists = all.filter((alike) => alike.length >= MIN_ALIKE);
  const alone = all.filter((alike) => alike.length === 1);
  const countOf = (some: readonly Alike[][]) => some.reduce((sum, { length }) => sum + length, 0);
  if (alone.length <= MAX_ODD && countOf(lists) >= countOf(all) * NEARLY_ALL) {
    for (const [only] of alone) odd.add(only!.line);
  }
  for (const alike of lists) {
    for (let place = 0; place < alike[0]!.cells.length; place++) {
      const line = oddAt(alike, place);
      if (line !== undefined) odd.add(line);
    }
  }
  return odd.size > MAX_ODD ? [] : [...odd];
}

/** The line that is odd by the word or number at a place. */
function oddAt(alike: readonly Alike[], place: number): number | undefined {
  const lines = new Map<string, number[]>();
  for (const { line, cells } of alike) {
    const cell = cells[place]!;
    const same = lines.get(cell);
    if (same === undefined) lines.set(cell, [line]);
    else same.push(line);
  }
  if (lines.size === 1) return undefined;
  if (lines.size <= Math.max(2, alike.length / MIN_ALIKE)) {
    const few = [...lines.values()].filter(({ length }) => length < MIN_OTHERS);
    return few.length === 1 && few[0]!.length === 1 ? few[0]![0] : undefined;
  }
  const numbers = alike.map(({ cells }) => /^\d{1,15}$/.test(cells[place]!) ? Number(cells[place]) : NaN);
  if (numbers.some(Number.isNaN)) return undefined;
  const [most = 0, next = 0] = numbers.toSorted((one, other) => other - one);
  if (most >= MIN_ABOVE && most >= next * FAR_ABOVE) return alike[numbers.indexOf(most)]!.line;
  if (alike.length < MIN_SERIES) return undefined;
  const steps = numbers.slice(1).map((number, at) => number - numbers[at]!);
  const [step = 0] = steps;
  const uneven = steps.flatMap((each, at) => each === step ? [] : [at]);
  // A series that starts again is not odd, but one number out of its order is.
  const [first = 0, second = first] = uneven;
  const sum = steps[first]! + (second === first ? 0 : steps[second]!);
  const isOdd = uneven.length === 1 && sum >= 0 || uneven.length === 2 && sum === 2 * step;
  return isOdd ? alike[first + 1]!.line : undefined;
}
