/**
 * Weighs lines for what a caller says that it looks for (`--about`): lines that have its words, in any inflection, rare words
 * before frequent ones. No model: the same content and text give the same weights.
 */

import { type FdEntry, searchFd, type Store } from "../../../fd/mod.ts";
import { utf8Text } from "../../../fd/system.ts";
import { bytesOf } from "../outline/outlined_content.ts";
import { type Study, wholeText } from "./studied_lines.ts";
import { type Weighed, weighFindings, weightOf } from "./weigh_lines.ts";

/** Words of the text that are looked for, and lines of each that are weighed. */
const MAX_WORDS = 12;
const MAX_LINES = 300;

/** The weight of a line that has all of the words: more than that of any failure. */
const MAX_WEIGHT = 100;

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

/** Searches `entry` for the words of `about`. */
export async function seekWords(store: Store, entry: FdEntry, about: string): Promise<Sought> {
  const words: SoughtWord[] = [];
  const lines = new Set<number>();
  const asked = wordsOf(about);
  for (const [stem, word] of asked) {
    const found = await searchFd(store, entry, {
      pattern: patternOf(stem),
      ignoreCase: true,
      clean: true,
      shapes: true,
      keep: MAX_LINES,
    });
    if (found.total === 0) continue;
    const rarity = Math.log2(1 + entry.lineCount / found.total);
    words.push({ word, pattern: new RegExp(patternOf(stem), "i"), lineCount: found.total, rarity });
    for (const hit of found.hits) lines.add(hit.lineNumber);
    for (const shape of found.shapes) for (const hit of shape.lines) lines.add(hit.lineNumber);
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

/** The words of a text that tell something, by their stems. */
function wordsOf(about: string): Map<string, string> {
  const words = new Map<string, string>();
  for (const word of about.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (words.size === MAX_WORDS) break;
    const stem = stemOf(word);
    if (!COMMON.has(word) && word.length > 1 && !words.has(stem)) words.set(stem, word);
  }
  return words;
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
  for (const finding of weighFindings(study)) {
    const own = byLine.get(finding.line);
    if (own === undefined) byLine.set(finding.line, finding);
    else own.weight += finding.weight;
  }
  return [...byLine.values()].sort((one, other) => other.weight - one.weight || one.line - other.line);
}
