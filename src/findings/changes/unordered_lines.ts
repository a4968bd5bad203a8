/** Finds lines that only one of two contents has, whatever their order: parallel jobs end in another one each time. */

import { Buffer } from "node:buffer";
import { utf8Text } from "../../../fd/system.ts";
import { CHOSEN_IDS, sayingOf } from "../comparing/ignored_text.ts";
import { pairByKey } from "./pair_by_key.ts";

export interface NumberedLine {
  line: number;
  text: string;
  /** The line with a path that it is below, if it is indented more or starts with a place; else empty. */
  heading: string;
  /** The line before. */
  above: string;
}

export interface UnorderedLines {
  gone: NumberedLine[];
  fresh: NumberedLine[];
  /** Whether lines that both have are in another order. */
  isMoved: boolean;
  /** How many lines each has. */
  counts: readonly [before: number, now: number];
}

/** Whether neither has lines that the other has not. */
export function areEqual({ gone, fresh }: UnorderedLines): boolean {
  return gone.length + fresh.length === 0;
}

/** A line that only says of which file those below it are. */
export const FILE_HEADING = /^\s*(?:\S+\s+)?\S+\.[a-z]\w{0,9}:?$/;
/** A line that has only a place, no time, on the line above it to say where: `3:5  error`, `E1 3:5 error`. */
export const BELOW_ITS_FILE = /^\s*(?:[A-Z]+\d+\s+)?(?!0\d)\d+:\d+(?:-\d+:\d+)?\s+(?![+-]\d)/;

/**
 * The lines of `before` and of `after` that have no equal in the other, but for times, ids and counters; undefined if they are
 * more than `most`.
 */
export function unorderedLines(
  before: Uint8Array,
  after: Uint8Array,
  most: number,
): UnorderedLines | undefined {
  const [then, now] = [linesOf(before), linesOf(after)];
  // Most lines are equal: then what is ignored in them need not be known.
  const equal = pairByKey(then, now, ({ text, heading }) => `${heading}\n${text}`);
  const [lost, added] = [equal.gone, equal.fresh].map((lines) => new Set(lines.flatMap(idsOf)));
  const names = lost!.intersection(added!);
  const keyOf = (line: NumberedLine) =>
    [saidIn(line), ...idsOf(line).filter((id) => names.has(id))].join("\n");
  const said = pairByKey(equal.gone, equal.fresh, keyOf);
  // A long line of JSON is compared by its parts.
  const { gone, fresh } = said.gone.length + said.fresh.length <= MAX_PARTED
    ? pairByKey(said.gone.flatMap(partsOf), said.fresh.flatMap(partsOf), keyOf)
    : said;
  if (gone.length + fresh.length > most) return undefined;
  const isMoved = gone.length + fresh.length === 0 &&
    then.some((line, at) => line.text !== now[at]?.text && keyOf(line) !== keyOf(now[at] ?? line));
  return { gone, fresh, isMoved, counts: [then.length, now.length] };
}

function linesOf(bytes: Uint8Array): NumberedLine[] {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  let last = "";
  return utf8Text(Buffer.from(bytes.buffer, bytes.byteOffset, end)).split("\n").map((text, at, all) => {
    const isBelow = last !== "" && (text.search(/\S/) > last.search(/\S/) || BELOW_ITS_FILE.test(text));
    const heading = isBelow ? last : "";
    if (!isBelow && /\w/.test(text)) last = FILE_HEADING.test(text) ? text : "";
    return { line: at + 1, text, heading, above: all[at - 1] ?? "" };
  });
}

const MAX_PARTED = 20;
const MIN_PARTED_CHARS = 300;

function partsOf(line: NumberedLine): NumberedLine[] {
  if (line.text.length < MIN_PARTED_CHARS || !/^[[{]/.test(line.text)) return [line];
  try {
    const parts = JSON.stringify(JSON.parse(line.text), undefined, 1).split("\n");
    return parts.map((text) => ({ ...line, text }));
  } catch {
    return [line];
  }
}

function idsOf({ text }: NumberedLine): string[] {
  return text.match(CHOSEN_IDS) ?? [];
}

function saidIn({ text, heading }: NumberedLine): string {
  return sayingOf(heading) + "\n" + sayingOf(text);
}
