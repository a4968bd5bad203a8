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
/** The end of what a line starts with; and how many forms lines that start alike may have for one of its own to be odd. */
const START_END = /[\s=:(]/;
const MAX_FORMS = 3;

/** The lines of one form, with their words and numbers. */
interface Alike {
  line: number;
  cells: string[];
}

/**
 * The lines that differ from all others of their form by a word or number, by a number far above theirs, or by a step where
 * they ascend evenly, and the one that is written otherwise than those that start alike; none if they are many.
 */
export function oddMembers(study: Study): number[] {
  if (study.totalLines > MAX_LINES || study.content.byteCount > MAX_BYTES) return [];
  const forms = new Map<string, Alike[]>();
  /** The forms of lines that start alike. */
  const starting = new Map<string, Set<string>>();
  for (let line = 1; line <= study.totalLines; line++) {
    const text = bodyOf(study, line) ?? "";
    const cells = text.match(/\w+/g);
    if (cells === null) continue;
    const form = text.replace(/\w+/g, "a").replace(/\s+/g, " ");
    const start = text.trimStart().split(START_END, 1)[0]!.replace(/\d+/g, "0");
    const others = starting.get(start);
    if (others === undefined) starting.set(start, new Set([form]));
    else others.add(form);
    const alike = forms.get(form);
    if (alike === undefined) forms.set(form, [{ line, cells }]);
    else alike.push({ line, cells });
  }
  const odd = new Set<number>();
  for (const starts of starting.values()) {
    const same = [...starts].map((form) => forms.get(form)!).sort((one, other) => one.length - other.length);
    const isOdd = same[0]!.length === 1 && same.length > 1 && same.length <= MAX_FORMS;
    if (isOdd && same[1]!.length >= MIN_ALIKE) odd.add(same[0]![0]!.line);
  }
  for (const alike of forms.values()) {
    if (alike.length < MIN_ALIKE) continue;
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
