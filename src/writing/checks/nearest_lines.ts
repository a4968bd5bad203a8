/**
 * Explains why text was not found: the most similar lines and what differs. Text that was not meant as written, such as that
 * with line numbers before its lines, is also read as it was meant. If exactly one place matches then, it is offered as the
 * text to send instead. Everything runs in time linear in the two texts, however repetitive they are.
 */

import { utf8Bytes } from "../../../fd/system.ts";
import type { EditedText } from "./edited_text.ts";
import { escapesIn, looseMatches, type Looseness, SPACES, type TextSpan, unescaped } from "./loose_match.ts";
import {
  differenceAt,
  differenceWords,
  lineAround,
  lineNumberAt,
  lineSpan,
  LONG_LINE,
} from "./text_difference.ts";
import { visibleJson } from "../../calls/terms/control_chars.ts";
import type { NearLine } from "../../calls/terms/write_faults.ts";

/** The lines similar to a text that was not found. */
export interface NearMiss {
  nearest: readonly NearLine[];
  /** The difference, in words. */
  why?: string | undefined;
  corrected?: Correction | undefined;
}

/** A text that matches exactly once. */
export interface Correction {
  text: string;
  /** Converts the text as it was sent to `text`. */
  eol?: "lf" | "crlf" | undefined;
  /** The replacement, read as the sought text was. */
  replacement(text: string): string;
}

/** Larger contents are searched only in part: a failure must be quick too. */
const SEARCHED_BYTES = 16 * 2 ** 20;
const MAX_SHOWN = 3;
/** The most lines after a similar one that are compared. */
const MAX_FOLLOWING = 100;
/** Lines that share fewer letter pairs than this are unrelated. */
const MIN_LIKENESS = 0.5;
/** UTF-16 units in which similar lines are looked for. */
const MAX_COMPARED = 4 * 2 ** 20;
/** Fewer UTF-16 units are in many places. */
const MIN_HALF = 8;
/** UTF-16 units of a line by which it is compared. */
const COMPARED_LENGTH = 800;

/** The words for what a looseness ignores. */
type Loosening = readonly [looseness: Looseness, ...differs: string[]];

const QUOTES = "quotes, dashes or accents";
const LINE_ENDS: Loosening = [{ lineEnds: true }, "line ends"];
/**
 * Single differences: if several of them lead somewhere, all these places are meant. Then several differences at once, which
 * match more by chance: the first that lead somewhere.
 */
const LOOSER: readonly (readonly Loosening[])[] = [
  [
    [{ space: "in lines" }, "white space"],
    [{ letterCase: true }, "case"],
    [{ lookAlikes: true }, QUOTES],
    [{ escapes: true }, "escapes"],
  ],
  [[{ space: "all" }, "white space"]],
  [[{ space: "all", letterCase: true }, "white space", "case"]],
  [[{ space: "all", lookAlikes: true }, "white space", QUOTES]],
  [[{ space: "all", escapes: true }, "white space", "escapes"]],
  [[
    { space: "all", letterCase: true, lookAlikes: true, escapes: true },
    ...["white space", "case", QUOTES],
  ]],
];

interface Match {
  /** The offset of the text that is meant, and this text. */
  from: number;
  actual: string;
  differs: readonly string[];
}

/** A sought text without what a model put around it. */
interface Variant {
  text: string;
  why?: string;
  /** Reads another text in the same way. */
  read(text: string): string;
}

/**
 * The lines of `content` most similar to `sought`, which does not occur in it. `name` is that of its argument.
 * `isRepeated`: every match is meant, not one.
 */
export function nearestLines(
  content: Pick<EditedText, "byteCount" | "slice" | "places">,
  sought: Uint8Array,
  name: string,
  isRepeated = false,
): NearMiss {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = decoder.decode(content.slice(0, Math.min(content.byteCount, SEARCHED_BYTES)));
  const wanted = decoder.decode(sought);
  // They look alike but differ: U+FFFD replaces bytes that are not UTF-8.
  const [alike] = wanted.includes("\ufffd") ? looseMatches(text, wanted, {}, 1) : [];
  if (alike !== undefined) return { nearest: [nearLine(text, alike.from, ["ill-formed bytes"])] };
  for (const variant of variantsOf(wanted, name)) {
    const [first, ...others] = matchesOf(text, variant);
    if (first === undefined) continue;
    const nearest = [first, ...others].slice(0, MAX_SHOWN).map(({ from, actual, differs }) =>
      nearLine(text, from, differs, from + differenceAt(actual, variant.text))
    );
    const why = variant.why === undefined
      ? whyOf(text, first, wanted, name)
      : `${variant.why}: without them it matches on line ${nearest[0]!.lineNumber}`;
    const isOne = others.every(({ actual }) => isRepeated && actual === first.actual);
    const { count } = content.places(utf8Bytes(first.actual), { overlapping: true, keep: 0, most: 2 });
    const isOffered = isOne && (count === 1 || isRepeated && count > 0);
    return { nearest, why, corrected: isOffered ? correctionOf(text, first.actual, variant) : undefined };
  }
  return similarLines(text, wanted, name);
}

/** The places that a variant means: none, or those that its strictest readings find. */
function matchesOf(text: string, { text: sought, why }: Variant): Match[] {
  const by = ([looseness, ...differs]: Loosening): Match[] =>
    looseMatches(text, sought, looseness, MAX_SHOWN + 1).map((span) => {
      const start = span.from - Number(text[span.from] === "\n" && text[span.from - 1] === "\r");
      const match = { from: start, to: span.to };
      const { from, to } = looseness.space === undefined ? match : grown(text, match, sought);
      return { from, actual: text.slice(from, to), differs };
    });
  const strict: Loosening[][] = why === undefined ? [] : [[[{}, "text"]]];
  if (sought.includes("\n")) strict.push([LINE_ENDS]);
  for (const loosenings of [...strict, ...LOOSER]) {
    const places = new Map(loosenings.flatMap(by).toReversed().map((match) => [match.from, match]));
    if (places.size > 0) return [...places.values()].sort((a, b) => a.from - b.from);
  }
  return [];
}

const SPACE = new RegExp(`[${SPACES}]`);

/** The span with the white space at its ends that `sought` has there, too. */
function grown(text: string, { from, to }: TextSpan, sought: string): TextSpan {
  let start = from;
  let end = to;
  if (SPACE.test(sought[0]!)) { while (start > 0 && SPACE.test(text[start - 1]!)) start--; }
  const [ending] = new RegExp(`[\\r\\n${SPACES}]*$`).exec(sought)!;
  if (ending === "" || text[end - 1] === "\n") return { from: start, to: end };
  while (end < text.length && SPACE.test(text[end]!)) end++;
  if (ending.includes("\n")) end += /^\r?\n/.exec(text.slice(end, end + 2))?.[0].length ?? 0;
  return { from: start, to: end };
}

/** The number of an fd's line, as digests, `cat -n`, `grep -n` and the tools of agents write it. */
const LINE_NUMBER = /^[ \t]*L?(\d+)(?:[:\t→-]| ?[|│] ?|\. )/;
const FENCE = /^\s*```[^\n]*\n([^]*?\n?)```\s*$/;

/** The sought text as it is, and without what models copy or write around text. */
function variantsOf(wanted: string, name: string): Variant[] {
  const asItIs: Variant = { text: wanted, read: (text) => text };
  const example = visibleJson(LINE_NUMBER.exec(wanted)?.[0].trimStart() ?? "").slice(1, -1);
  const readings: [string, (text: string) => string][] = [
    [`${name} has line numbers before its lines (\`${example}\`), as digests do`, withoutNumbers],
    [`${name} has the marks of a diff before its lines`, withoutMarks],
    [`${name} has the marks of a code block around it`, (text) => FENCE.exec(text)?.[1] ?? text],
  ];
  const others = readings.map(([why, read]): Variant => ({ text: read(wanted), why, read }));
  return [asItIs, ...others.filter(({ text }) => text !== wanted && text.trim() !== "")];
}

/** `text` without the numbers before its lines; unchanged unless all of them have one, counting up. */
function withoutNumbers(text: string): string {
  const lines = text.split("\n");
  const numbers = lines.map((line) => LINE_NUMBER.exec(line));
  const first = Number(numbers[0]?.[1]);
  const areAll = lines.every((line, at) => line.trim() === "" || Number(numbers[at]?.[1]) === first + at);
  return areAll ? lines.map((line, at) => line.slice(numbers[at]?.[0].length ?? 0)).join("\n") : text;
}

/** `text` without the marks of removed and unchanged lines; unchanged unless all lines have one. */
function withoutMarks(text: string): string {
  const lines = text.split("\n");
  const areAll = lines.every((line) => line === "" || /^[-+ ]/.test(line));
  return areAll && /^[-+]/m.test(text) ? lines.map((line) => line.slice(1)).join("\n") : text;
}

function correctionOf(text: string, actual: string, { text: sought, read }: Variant): Correction | undefined {
  const escapes = unescaped(actual) === sought ? escapesIn(actual) : [];
  if (escapes === undefined) return undefined;
  const lf = sought.replaceAll("\r\n", "\n");
  // Converting changes the replacement, too, so the whole file must have these line ends.
  const eol = actual === sought
    ? undefined
    : actual === lf && !text.includes("\r\n")
    ? "lf"
    : actual === lf.replaceAll("\n", "\r\n") && !/(?<!\r)\n/.test(text)
    ? "crlf"
    : undefined;
  return {
    text: eol === undefined ? actual : sought,
    eol,
    replacement(given) {
      const meant = unescaped(sought) === actual ? unescaped(read(given)) : read(given);
      const isEscaped = escapes.some(([, escape]) => meant.includes(escape));
      const plain = isEscaped
        ? meant
        : escapes.reduce((done, [char, escape]) => done.replaceAll(char, () => escape), meant);
      const ended = sought.endsWith("\n") && !actual.endsWith("\n") ? plain.replace(/\r?\n$/, "") : plain;
      return eol === undefined ? indented(ended, sought, actual) : ended;
    },
  };
}

/** `text` with its indentation written as in the file, where `sought` shows how the two differ. */
function indented(text: string, sought: string, actual: string): string {
  const file = actual.split("\n");
  const given = sought.split("\n");
  if (file.length !== given.length) return text;
  const indentation = (line: string) => /^[ \t]*/.exec(line)![0];
  const pairs = new Map(given.map((line, at) => [indentation(line), indentation(file[at]!)]));
  pairs.delete("");
  const known = [...pairs].sort(([a], [b]) => b.length - a.length);
  return text.split("\n").map((line) => {
    let rest = indentation(line);
    const body = line.slice(rest.length);
    let done = "";
    for (;;) {
      const pair = known.find(([written]) => rest.startsWith(written));
      if (pair === undefined) return done + rest + body;
      done += pair[1];
      rest = rest.slice(pair[0].length);
    }
  }).join("\n");
}

function whyOf(text: string, { from, actual, differs }: Match, wanted: string, name: string): string {
  if (differs[0] === "line ends") return lineEndsWhy(lineNumberAt(text, from), actual, wanted, name);
  const escape = unescaped(wanted) === actual ? /\\.|&\S+?;/.exec(wanted)?.[0] : undefined;
  if (escape !== undefined) {
    return `\`${escape}\` is ${escape.length === 2 ? "two" : escape.length} characters here`;
  }
  const isUnended = wanted.endsWith("\n") && from + actual.length === text.length && !actual.endsWith("\n");
  if (!isUnended) return differenceWords(actual, wanted, name);
  const unended = `the file has no line end after line ${lineNumberAt(text, text.length)}`;
  const rest = wanted.replace(/\r?\n$/, "");
  return rest === actual ? unended : `${unended}, and ${differenceWords(actual, rest, name)}`;
}

/** `line 1 ends with CRLF, line 2 with LF`. */
function lineEndsWhy(first: number, actual: string, wanted: string, name: string): string {
  const endsOf = (text: string) =>
    text.match(/\r\n|\r|\n/g)!.map((end) => end.replace("\r", "CR").replace("\n", "LF"));
  const ends = endsOf(actual);
  const other = ends.findIndex((end) => end !== ends[0]);
  const rest = other === -1
    ? `that of ${name} with ${endsOf(wanted)[0]}`
    : `line ${first + other} with ${ends[other]}`;
  return `line ${first} ends with ${ends[0]}, ${rest}`;
}

/** The chars of a range. A loop: it may have millions. */
function charCount(text: string, from: number, to: number): number {
  let count = to - from;
  for (let at = from; at < to; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count--;
  return count;
}

/** The line at `at`, of which the part around `shownAt` is shown. */
function nearLine(text: string, at: number, differs: readonly string[], shownAt = at): NearLine {
  const { start, end } = lineSpan(text, at);
  const place = Math.max(at, Math.min(shownAt, end));
  const column = charCount(text, start, place) + 1;
  return {
    lineNumber: lineNumberAt(text, at),
    ...end - start > LONG_LINE ? { column, charOffset: charCount(text, 0, place) } : {},
    text: lineAround(text, place),
    differs,
  };
}

/** The lines most similar to the first sought line; in the best run of several lines, the line where it starts to differ. */
function similarLines(text: string, wanted: string, name: string): NearMiss {
  const lines = text.slice(0, MAX_COMPARED).split("\n").map((line) => line.replace(/\r$/, ""));
  const far = lines.some((line) => line.length > LONG_LINE) ? halfMatching(text, wanted, name) : undefined;
  const sought = trimBlankLines(wanted.split("\n").map((line) => line.replace(/\r$/, "")));
  if (far !== undefined || sought.length === 0) return far ?? { nearest: [] };
  const pairs = letterPairs(sought[0]!);
  const scored: { at: number; score: number }[] = [];
  for (const [at, line] of lines.entries()) {
    const score = likeness(pairs, letterPairs(line));
    // A place is more likely if the following lines match too.
    if (score >= MIN_LIKENESS) {
      scored.push({ at, score: score + matching(lines, at, sought, 1, MAX_FOLLOWING) });
    }
  }
  scored.sort((a, b) => b.score - a.score || a.at - b.at);
  const places = scored.slice(0, MAX_SHOWN).map(({ at }) => {
    const count = matching(lines, at, sought, 0, Infinity);
    const isWhole = count === sought.length;
    const given = sought[isWhole ? 0 : count]!;
    const line = isWhole ? at : Math.min(at + count, lines.length - 1);
    return { line, given, differs: differenceAt(lines[line]!, given) };
  });
  const [first] = places;
  return {
    nearest: places.map(({ line, differs }) => (
      { lineNumber: line + 1, text: lineAround(lines[line]!, differs), differs: ["text"] }
    )),
    why: first && differenceWords(lines[first.line]!, first.given, name),
  };
}

/** Finds the first or last half of `wanted` in a long line: one difference leaves the other half as it is. */
function halfMatching(text: string, wanted: string, name: string): NearMiss | undefined {
  const half = wanted.length >> 1;
  if (half < MIN_HALF) return undefined;
  for (const start of [0, half]) {
    const [found] = looseMatches(
      text,
      wanted.slice(start, start === 0 ? half : undefined),
      { space: "all" },
      1,
    );
    if (found === undefined) continue;
    const from = Math.max(0, found.from - start);
    const actual = text.slice(from, from + wanted.length);
    const place = nearLine(text, from, ["text"], from + differenceAt(actual, wanted));
    return { nearest: [place], why: differenceWords(actual, wanted, name) };
  }
  return undefined;
}

function trimBlankLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first === -1) return [];
  let last = lines.length - 1;
  while (lines[last]!.trim() === "") last--;
  return lines.slice(first, last + 1);
}

/** How many lines match `sought` at `at`, white space around them ignored; the first `from` are not compared. */
function matching(
  lines: readonly string[],
  at: number,
  sought: readonly string[],
  from: number,
  most: number,
): number {
  let to = from;
  while (to < sought.length && to - from < most && lines[at + to]?.trim() === sought[to]!.trim()) to++;
  return to - from;
}

const EVERY_SPACE = new RegExp(SPACE.source, "g");

/** The letter pairs of a line's beginning, by which it is compared. */
function letterPairs(line: string): Map<string, number> {
  const text = line.replace(EVERY_SPACE, "").toLowerCase().slice(0, COMPARED_LENGTH);
  const pairs = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** The share of letter pairs that two texts have in common, 0 to 1. */
function likeness(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let common = 0;
  let total = 0;
  for (const [pair, count] of one) {
    common += Math.min(count, other.get(pair) ?? 0);
    total += count;
  }
  for (const count of other.values()) total += count;
  return total === 0 ? 0 : 2 * common / total;
}
