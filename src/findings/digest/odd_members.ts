/** Finds the odd member of lines that are written alike, in content short enough to compare each of its words. */

import { cleanBytes } from "../../../fd/system.ts";
import { bytesOf, latin1Of } from "../outline/outlined_content.ts";
import type { Study } from "./studied_lines.ts";

/** In longer content, only rows that begin with numbers are compared, and in still longer content none. */
const MAX_BYTES = 32_768;
const MAX_TABLE_BYTES = 262_144;
const MAX_LINES = 4096;
/** More chars than a log puts before what a line says. */
const MAX_BEFORE = 256;
/** Lines of one form of which one may be odd, and of a series that ascends evenly. */
const MIN_ALIKE = 10;
const MIN_SERIES = 20;
/** How often each other value is there if one is odd. */
const MIN_OTHERS = 3;
/** A number is odd if it is so many times the next one; a small one, if it is far more than that. */
const FAR_ABOVE = 4;
const MIN_ABOVE = 100;
const SMALL_FAR_ABOVE = 20;
/** More lines are not odd. */
const MAX_ODD = 4;
/** The most forms of lines that start alike of which one may be odd. */
const MAX_FORMS = 3;

/** A number as people read it, such as `12,000.5` or `>1000`, or a word. */
const CELL = /[<>]?\w+(?:[.,]\d\w*)*/g;
const MEASURE = /^[<>]?(\d[\d,]*(?:\.\d+)?)[a-zA-Z]{0,3}$/;
/** The numbers with which a row of a table begins; what follows them may have any form. */
const NUMBERS = /^[ \t]*(?:(?:\( *)?(?:\d[\d,.]*[a-zA-Z%:]{0,3}\)?|0[\da-fx]{7,})[ \t]+){2,}/m;
/** An address or size, as `nm` writes it. */
const PADDED_HEX = /^0[\da-f]{7,}$/;

/** A counter of what went wrong that has counted something: `rx_crc_errors: 88112`. */
const COUNTED =
  /^\s*"?[\w.-]*(?:errors|failures|failed|drops|dropped|discarded|timeouts|rejected|aborted|overruns|corrupt)\w*"?\s*[:=|]?\s*"?[1-9]\d*"?,?$/i;

/** The form of a counter is shorter, such as `a: a`: few lines are tried. */
const MAX_COUNTER_FORM = 12;

/** The lines of one form, with their words and numbers. */
interface Alike {
  lines: number[];
  cells: string[][];
  /** With how many numbers each line begins, if the lines are the rows of a table. */
  numberCount?: number;
}

/**
 * The lines that differ from all others of their form by a word or number, by a number far above theirs, or by a step where
 * they ascend evenly, and the one that is written otherwise than those that start alike; none if they are many. And the
 * `tops` of sorted tables.
 */
export function oddMembers(
  { content, isPlain, totalLines, watched }: Study,
): { tops: number[]; odd: number[] } {
  const { byteCount, lineCount, blockCount } = content;
  const none = { tops: [], odd: [] };
  if (totalLines > MAX_LINES || byteCount > MAX_TABLE_BYTES || totalLines !== lineCount) return none;
  let text = "";
  for (let block = 0; block < blockCount; block++) text += latin1Of(content.block(block));
  if (!isPlain) text = latin1Of(cleanBytes(bytesOf(text)));
  let texts = text.split("\n");
  // Few contents have something before what each line says.
  const prefixOf = (line: string, at: number) => watched?.bodyStart(at + 1, line.slice(0, MAX_BEFORE)) ?? 0;
  if (texts.length > 1 && prefixOf(texts[1]!, 1) > 0) {
    texts = texts.map((line, at) => line.slice(prefixOf(line, at)));
    text = texts.join("\n");
  }
  const isLong = text.length > MAX_BYTES;
  if (isLong && !NUMBERS.test(text)) return none;
  // All at once: what is done for each line is slow in a process that does it once.
  if (isLong) text = "";
  const written = text.replace(CELL, "a").replace(/ {2,}/g, " ").split("\n");
  const starts = text.replace(/^[ \t]*([^\s=:(]*).*$/gm, "$1").replace(/\d+/g, "0").split("\n");
  const forms = new Map<string, Alike>();
  /** The forms of lines that start alike. */
  const starting = new Map<string, Set<Alike>>();
  const counted: number[] = [];
  const noteForm = (form: string, line: number) => {
    const alike = forms.get(form) ?? { lines: [], cells: [] };
    forms.set(form, alike);
    alike.lines.push(line);
    return alike;
  };
  for (let at = 0; at < totalLines; at++) {
    const numbers = NUMBERS.exec(texts[at]!)?.[0];
    const count = numbers?.match(CELL)?.length;
    // A written form has no digit.
    if (count !== undefined) noteForm(`${count}`, at + 1).numberCount = count;
    if (text === "") continue;
    const form = written[at]!;
    if (form !== "" && form.length < MAX_COUNTER_FORM && COUNTED.test(texts[at]!)) counted.push(at + 1);
    const alike = noteForm(form, at + 1);
    const same = starting.get(starts[at]!);
    if (same !== undefined) same.add(alike);
    else if (/[a-z]/i.test(starts[at]!)) starting.set(starts[at]!, new Set([alike]));
  }
  const odd = new Set<number>();
  const tops = new Set<number>();
  for (const alike of forms.values()) {
    if (alike.lines.length < MIN_ALIKE) continue;
    for (const line of alike.lines) alike.cells.push(texts[line - 1]!.match(CELL) ?? []);
    const { numberCount = 0 } = alike;
    let top: number | undefined;
    for (let place = 0; place < numberCount; place++) top ??= topOf(alike, place);
    if (top !== undefined) tops.add(top);
    for (const rows of numberCount > 0 ? [alike] : [alike, ...ofOneName(alike)]) {
      for (let place = 0; place < (numberCount || rows.cells[0]!.length) && odd.size <= MAX_ODD; place++) {
        const line = oddAt(rows, place);
        if (line !== undefined) odd.add(line);
      }
    }
  }
  for (const forms of starting.values()) {
    const same = [...forms];
    const alone = same.filter(({ lines }) => lines.length === 1);
    const isList = same.length > 1 && same.length <= MAX_FORMS &&
      same.some(({ lines }) => lines.length >= MIN_ALIKE);
    if (alone.length === 1 && isList) odd.add(alone[0]!.lines[0]!);
  }
  if (counted.length <= MAX_ODD) { for (const line of counted) odd.add(line); }
  return { tops: tops.size > MAX_ODD ? [] : [...tops], odd: odd.size > MAX_ODD ? [] : [...odd] };
}

/** The line that is odd by the word or number at a place. */
function oddAt(alike: Alike, place: number): number | undefined {
  const { lines, cells } = alike;
  const counts = new Map<string, number>();
  const most = Math.max(2, lines.length / MIN_ALIKE);
  for (let at = 0; at < cells.length && counts.size <= most; at++) {
    const cell = cells[at]![place]!;
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  if (counts.size === 1) return undefined;
  if (counts.size > most) return oddNumberAt(alike, place);
  const few = [...counts].filter(([, count]) => count < MIN_OTHERS);
  const [[cell, count] = ["", 0]] = few;
  return few.length === 1 && count === 1
    ? lines[cells.findIndex((each) => each[place] === cell)]
    : oddNumberAt(alike, place);
}

/** The lines of repeated records by their name, which is the first cell that has a few values equally often. */
function ofOneName({ lines, cells }: Alike): Alike[] {
  if (lines.length < 2 * MIN_ALIKE) return [];
  for (let place = 0; place < cells[0]!.length; place++) {
    const groups = Map.groupBy(cells.keys(), (at) => cells[at]![place]!);
    const named = [...groups.values()];
    const mean = lines.length / named.length;
    if (named.length === 1 || mean < MIN_ALIKE || named.some(({ length }) => Math.abs(length - mean) > 1)) {
      continue;
    }
    return named.map((each) => ({
      lines: each.map((at) => lines[at]!),
      cells: each.map((at) => cells[at]!),
    }));
  }
  return [];
}

/** The first row of a table that is sorted by the numbers at a place, from the largest on. Some rows may be written otherwise. */
function topOf({ lines, cells }: Alike, place: number): number | undefined {
  let top: number | undefined = 0;
  for (let at = 1; at < lines.length; at++) {
    const number = numberOf(cells[at]![place]);
    if (lines[at]! > lines[at - 1]! + MAX_ODD) top = at;
    else if (number > numberOf(cells[at - 1]![place])) top = undefined;
    else if (
      top !== undefined && at - top >= MIN_SERIES && numberOf(cells[top]![place]) >= number * FAR_ABOVE
    ) {
      return lines[top];
    }
  }
  return undefined;
}

function numberOf(cell: string | undefined): number {
  const number = Number(cell !== undefined && PADDED_HEX.test(cell) ? `0x${cell}` : cell);
  if (!Number.isNaN(number) || cell === undefined) return number;
  const [, digits] = MEASURE.exec(cell) ?? [];
  return digits === undefined ? NaN : Number(digits.replaceAll(",", ""));
}

function oddNumberAt({ lines, cells }: Alike, place: number): number | undefined {
  const numbers: number[] = [];
  let [largest, next] = [0, 0];
  for (const each of cells) {
    const number = numberOf(each[place]);
    if (Number.isNaN(number)) return undefined;
    numbers.push(number);
    if (number > largest) [largest, next] = [number, largest];
    else if (number > next) next = number;
  }
  const isFar = largest < MIN_ABOVE
    ? next > 0 && largest > next * SMALL_FAR_ABOVE
    : largest >= next * FAR_ABOVE;
  if (isFar) return lines[numbers.indexOf(largest)];
  if (numbers.length < MIN_SERIES) return undefined;
  const step = numbers[1]! - numbers[0]!;
  let [first, sum, unevenCount] = [0, 0, 0];
  for (let at = 1; at < numbers.length && unevenCount <= 2; at++) {
    if (numbers[at]! - numbers[at - 1]! === step) continue;
    if (unevenCount++ === 0) first = at;
    sum += numbers[at]! - numbers[at - 1]!;
  }
  // A series that starts again is not odd, but one number out of its order is.
  return unevenCount === 1 && sum >= 0 || unevenCount === 2 && sum === 2 * step ? lines[first] : undefined;
}
