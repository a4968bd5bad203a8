/**
 * Weighs lines for what a caller says that it looks for (`--about`): lines that have its words, in any inflection, rare words
 * before frequent ones. No model: the same content and text give the same weights.
 */

import { utf8Text } from "../../../fd/system.ts";
import { bytesOf } from "../outline/outlined_content.ts";
import { bodyOf, type Study, wholeText } from "./studied_lines.ts";
import { type Weighed, weighFindings, weightOf } from "./weigh_lines.ts";

/** Words of the text that are looked for, and lines of each that are weighed. */
const MAX_WORDS = 12;
const MAX_LINES = 300;

/** The weight of a line that has all of the words: more than that of any failure. */
const MAX_WEIGHT = 100;

/** The weight of a line of a section, as a share of that of its heading; and a number below those of all other kinds. */
const SECTION_SHARE = 0.9;
const MIN_KIND = -1_000_000;

/** Words of questions that say nothing of what is looked for. */
const COMMON = new Set(
  ("a an and any are as at be been by can could did do does for from had has have how if in into is it its many me much not of " +
    "on one or other our out some tell that the their them there these they this to too was we were what when where which " +
    "who whom whose why will with would you your").split(" "),
);

/** Returns the part of a word that its inflections share: `fail` of `failure`, `stop` of `stopped`. */
export function stemOf(word: string): string {
  const stem = word.replace(/ie[sd]$/, "y")
    .replace(/^(.{3,}?)(?:ingly|ings?|edly|ed|est|es|s|ers?|ions?|ly|ures?|ments?|e|y)$/, "$1");
  return stem.replace(/([b-df-km-rtv-y])\1$/, "$1");
}

/** The pattern of the words with a stem, for both the search and JavaScript. A long stem may also be inside of a word. */
function patternOf(stem: string): string {
  return stem.length >= 5 ? stem : `(?:^|[^a-z])${stem}[a-z]{0,4}(?:[^a-z]|$)`;
}

/** Words that some lines have. */
interface SoughtWord {
  word: string;
  pattern: RegExp;
  lineCount: number;
  /** From 1 for a word in every line. */
  rarity: number;
}

/** The words of a text in the content. */
export interface Sought {
  /** How many lines have each of its words. */
  said: string;
  /** Weighs the lines of the content; undefined if no line has a word of the text. */
  weigh: ((study: Study) => Weighed[]) | undefined;
}

/** How many lines of some content a pattern matches, whatever the case, and the numbers of some of them. */
type LinesWith = (pattern: string, most: number) => Promise<{ total: number; lines: readonly number[] }>;

/** Searches content of `lineCount` lines for the words of `about`. */
export async function seekWords(about: string, lineCount: number, linesWith: LinesWith): Promise<Sought> {
  const words: SoughtWord[] = [];
  const lines = new Set<number>();
  const asked = wordsOf(about);
  const seek = async (word: string, pattern: string): Promise<boolean> => {
    const found = await linesWith(pattern, MAX_LINES);
    if (found.total === 0) return false;
    const rarity = Math.log2(1 + lineCount / found.total);
    words.push({ word, pattern: new RegExp(pattern, "i"), lineCount: found.total, rarity });
    for (const line of found.lines) lines.add(line);
    return true;
  };
  for (const [word, stems] of asked) {
    if (IS_NAME.test(word) && await seek(word, wholePattern(word))) continue;
    for (const [stem, part] of stems) await seek(part, patternOf(stem));
  }
  if (asked.size === 0) return { said: "--about has no word to look for.", weigh: undefined };
  const counts = words.map(({ word, lineCount }) => `${word} in ${lineCount}`).join(", ");
  return {
    said: counts === ""
      ? "No line has a word of what you look for."
      : `Lines with what you look for: ${counts}.`,
    weigh: counts === "" ? undefined : (study) => weighed(study, words, asked.size, lines),
  };
}

/** Words with what joins them to a name: `test_rate_7`, `src/pay.c`, `counter7`. */
const JOINED_WORDS = /[\p{L}\p{N}]+(?:[._:/@-]+[\p{L}\p{N}]+)*/gu;
const IS_NAME = /[\d._:/@-]/;

/** The pattern of a name as a whole. */
function wholePattern(name: string): string {
  return `(?:^|[^a-z0-9_])${name.replace(/[.]/g, "\\.")}(?:[^a-z0-9_]|$)`;
}

/** The words and names of a text that tell something, each with the words in it by their stems. */
function wordsOf(about: string): Map<string, Map<string, string>> {
  const words = new Map<string, Map<string, string>>();
  const stems = new Set<string>();
  for (const name of about.toLowerCase().match(JOINED_WORDS) ?? []) {
    const parts = name.match(/[\p{L}\p{N}]+/gu)!
      .filter((part) => !COMMON.has(part) && part.length > 1)
      .map((part) => [stemOf(part), part] as const)
      .filter(([stem]) => !stems.has(stem) && stems.add(stem));
    const isNew = parts.length > 0 || IS_NAME.test(name) && !words.has(name);
    if (words.size < MAX_WORDS && isNew) words.set(name, new Map(parts));
  }
  return words;
}

/** A heading by its marks, or by what is indented below it; and the most lines of its section. */
const MARKED_HEADING = /^\s*([=#*~-]{1,20})\s+\S.{0,100}$/;
const MAX_SECTION = 40;

/** The lines below a heading, up to the next one; none below another line. */
function sectionOf(study: Study, heading: number): number[] {
  const indentOf = (line: number) => (bodyOf(study, line) ?? "").search(/\S/);
  const mark = MARKED_HEADING.exec(bodyOf(study, heading) ?? "")?.[1];
  const indent = indentOf(heading);
  const section: number[] = [];
  for (let line = heading + 1; section.length < MAX_SECTION; line++) {
    const text = bodyOf(study, line);
    if (text === undefined) break;
    const isNext = mark === undefined
      ? text.trim() !== "" && indentOf(line) <= indent
      : MARKED_HEADING.exec(text)?.[1] === mark;
    if (isNext) break;
    section.push(line);
  }
  while (section.length > 0 && (bodyOf(study, section.at(-1)!) ?? "").trim() === "") section.pop();
  return section;
}

/** Weighs `lines`, which have some of `words`. A word of the text that no line has counts as one that a single line has. */
function weighed(
  study: Study,
  words: readonly SoughtWord[],
  askedCount: number,
  lines: ReadonlySet<number>,
): Weighed[] {
  let most = (askedCount - words.length) * Math.log2(1 + study.totalLines);
  for (const { rarity } of words) most += rarity;
  const kinds = new Map<string, number>();
  const byLine = new Map<number, Weighed>();
  const counts = new Map<number, number>();
  for (const line of [...lines].sort((one, other) => one - other)) {
    const text = utf8Text(bytesOf(wholeText(study, line) ?? ""));
    let found = 0;
    for (const { pattern, rarity } of words) if (pattern.test(text)) found += rarity;
    // Each shape is a kind of its own, apart from those of findings.
    const shape = text.replace(/[0-9]+|["'`][^"'`]*["'`]/g, "#");
    const kind = kinds.get(shape) ?? -1 - kinds.size;
    kinds.set(shape, kind);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    byLine.set(line, { line, strength: 1, kind, sign: 0, weight: MAX_WEIGHT * found / most });
  }
  for (const each of byLine.values()) each.weight = weightOf(each.weight, counts.get(each.kind)!);
  const rarest = words.reduce((one, other) => other.rarity > one.rarity ? other : one);
  const heading = rarest.lineCount > MAX_LINES
    ? undefined
    : [...byLine.values()].find(({ line }) =>
      rarest.pattern.test(wholeText(study, line) ?? "") && sectionOf(study, line).length > 0
    );
  for (const line of heading === undefined ? [] : sectionOf(study, heading.line)) {
    const weight = Math.max(byLine.get(line)?.weight ?? 0, heading!.weight * SECTION_SHARE);
    byLine.set(line, { line, strength: 0, kind: MIN_KIND - line, sign: 0, weight });
  }
  for (const finding of weighFindings(study)) {
    const own = byLine.get(finding.line);
    if (own === undefined) byLine.set(finding.line, finding);
    else own.weight += finding.weight;
  }
  return [...byLine.values()].sort((one, other) => other.weight - one.weight || one.line - other.line);
}
