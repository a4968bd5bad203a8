/**
 * Finds text that differs from the sought one only in what models confuse: line ends, white space, case, chars that look
 * alike, escapes. The content is read char by char, so a search needs no memory for it and time linear in both.
 */

import { prepareSought } from "../../../fd/system.ts";

/** The differences that a search ignores. */
export interface Looseness {
  /** CRLF and a lone CR are read as LF. */
  lineEnds?: true;
  /** White space and invisible chars, within lines or also line ends. */
  space?: "in lines" | "all";
  letterCase?: true;
  /** Quotes, dashes, and whatever NFKD takes for the same. */
  lookAlikes?: true;
  /** `\n` as two chars, `&lt;`. */
  escapes?: true;
}

/** A range of UTF-16 units. */
export interface TextSpan {
  from: number;
  to: number;
}

/** White space and invisible chars, apart from line ends, for the inside of a character class. */
export const SPACES = " \\t\\f\\v\\u00a0\\u00ad\\u1680\\u2000-\\u200d\\u202f\\u205f\\u2060\\u3000\\ufeff";
const SPACE = new RegExp(`[${SPACES}]`);
const ESCAPE = /\\(?:([nrt"'`\\/])|u([0-9a-fA-F]{4}))|&(lt|gt|amp|quot|apos|#39|nbsp);/y;
const ESCAPED = new Map(Object.entries(
  { n: "\n", r: "\r", t: "\t", lt: "<", gt: ">", amp: "&", quot: '"', apos: "'", "#39": "'", nbsp: "\u00a0" },
));
const LOOK_ALIKES: readonly [RegExp, string][] = [
  [/[\u2018-\u201b\u2032\u02bc]/, "'"],
  [/[\u201c-\u201f\u2033]/, '"'],
  [/[\u2010-\u2015\u2212]/, "-"],
];

function meaningOf(letter?: string, code?: string, entity = ""): string {
  return code === undefined
    ? ESCAPED.get(letter ?? entity) ?? letter ?? ""
    : String.fromCharCode(parseInt(code, 16));
}

/** The escape sequence at `at`, and what it means. */
function escapeAt(text: string, at: number): { meaning: string; end: number } | undefined {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  return match === null
    ? undefined
    : { meaning: meaningOf(match[1], match[2], match[3]), end: ESCAPE.lastIndex };
}

/** `text` with its escape sequences read. */
export function unescaped(text: string): string {
  return text.replace(new RegExp(ESCAPE.source, "g"), (_, ...groups) => meaningOf(...groups.slice(0, 3)));
}

/**
 * The chars that `text` escapes, and how: first those with which escape sequences begin. Returns undefined if it also has
 * one of them unescaped.
 */
export function escapesIn(text: string): [char: string, escape: string][] | undefined {
  const all = new RegExp(ESCAPE.source, "g");
  const found = new Map(
    Array.from(text.matchAll(all), (match) => [meaningOf(match[1], match[2], match[3]), match[0]]),
  );
  const rest = text.replace(all, "");
  const begins = ([char]: [string, string]) => /[\\&]/.test(char) ? 0 : 1;
  if ([...found.keys()].some((char) => rest.includes(char))) return undefined;
  return [...found].sort((a, b) => begins(a) - begins(b));
}

const ASCII = 128;
/** In the table of a {@link reader}: the char is left out, or has to be looked at with its neighbours. */
const NOTHING = -1;
const LOOK = -2;
/** The place of a unit that is not the first, or not the last, of its char. */
const INSIDE = -1;

/** Reads text as what counts: gives `take` each unit and the range of `text` that it is read from, until that returns true. */
function reader(loose: Looseness) {
  const table = Int32Array.from({ length: ASCII }, (_, code) => {
    const char = String.fromCharCode(code);
    if (loose.escapes && (char === "\\" || char === "&")) return LOOK;
    if (char === "\r" && (loose.lineEnds || loose.space)) return LOOK;
    if (char === "\n" ? loose.space === "all" : loose.space && SPACE.test(char)) return NOTHING;
    return loose.letterCase ? char.toLowerCase().charCodeAt(0) : code;
  });
  const others = new Map<string, readonly number[]>();

  /** The units of any char but a CR before an LF. */
  function unitsOf(char: string): readonly number[] {
    if (char === "\r" && (loose.lineEnds || loose.space)) return unitsOf("\n");
    const code = char.charCodeAt(0);
    if (code < ASCII && table[code]! !== LOOK) return table[code] === NOTHING ? [] : [table[code]!];
    let units = others.get(char);
    if (units === undefined) {
      const marked = loose.lookAlikes === undefined ? char : plainMark(char);
      const plain = loose.space === undefined ? marked : marked.replace(SPACE, "");
      const cased = loose.letterCase === undefined ? plain : plain.toLowerCase();
      units = Array.from({ length: cased.length }, (_, at) => cased.charCodeAt(at));
      others.set(char, units);
    }
    return units;
  }

  return (text: string, take: (unit: number, from: number, to: number) => boolean): void => {
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      const unit = code < ASCII ? table[code]! : LOOK;
      if (unit !== LOOK) {
        if (unit !== NOTHING && take(unit, at, at + 1)) return;
        at++;
        continue;
      }
      const escape = loose.escapes ? escapeAt(text, at) : undefined;
      const char = escape?.meaning ?? String.fromCodePoint(text.codePointAt(at)!);
      const end = escape?.end ?? at + char.length;
      const isBeforeLf = char === "\r" && (text[end] === "\n" || escapeAt(text, end)?.meaning === "\n");
      const units = isBeforeLf && (loose.lineEnds || loose.space) ? [] : unitsOf(char);
      // A match may not begin or end inside the units of one char, such as a ligature.
      const last = units.length - 1;
      for (const [index, each] of units.entries()) {
        if (take(each, index === 0 ? at : INSIDE, index === last ? end : INSIDE)) return;
      }
      at = end;
    }
  };
}

function plainMark(char: string): string {
  return LOOK_ALIKES.find(([chars]) => chars.test(char))?.[1] ?? char.normalize("NFKD");
}

/** The first `most` places at which `text` has `sought`; none if `sought` has nothing that counts. */
export function looseMatches(text: string, sought: string, loose: Looseness, most: number): TextSpan[] {
  const read = reader(loose);
  const wanted: number[] = [];
  read(sought, (unit) => wanted.push(unit) === 0);
  const found: TextSpan[] = [];
  if (wanted.every((unit) => unit === 0x0a)) return found;
  const { sequence, overlaps } = prepareSought(wanted);
  // Where each of the last units came from.
  const starts = new Int32Array(sequence.length);
  let count = 0;
  let matched = 0;
  read(text, (unit, from, to) => {
    starts[count++ % starts.length] = from;
    while (matched > 0 && unit !== sequence[matched]) matched = overlaps[matched - 1]!;
    if (unit === sequence[matched]) matched++;
    if (matched < sequence.length) return false;
    matched = overlaps[matched - 1]!;
    const start = starts[count % starts.length]!;
    return start !== INSIDE && to !== INSIDE && found.push({ from: start, to }) >= most;
  });
  return found;
}
