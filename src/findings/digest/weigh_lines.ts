/**
 * Ranks the lines that were found: strong signs before weak ones, rare shapes before frequent ones, causes
 * before consequences; and lines that are odd without any sign, because hardly another line has their shape.
 */

import { reportedShare } from "./mentioned_failures.ts";
import { bodyOf, type Study } from "./studied_lines.ts";
import { passedInTheEnd } from "./test_verdicts.ts";
import { oddMembers } from "./odd_members.ts";
import type { Finding } from "./judge_records.ts";
import type { WatchedLines } from "./watched_lines.ts";

/** A finding with its weight. */
export interface Weighed extends Finding {
  weight: number;
}

/** The factor for the first strong sign: later ones are often its consequences. */
const FIRST_CAUSE = 1.2;
const STRONG = 50;
/** The heaviest findings, of which it is looked up whether they only mention a failure. */
const MAX_READ = 16;
/** The heaviest findings, of which it is looked up whether their test passed in the end; then they weigh less. */
const MAX_TRIED = 64;
const PASSED_DIVISOR = 5;

/** The findings, heaviest first; of equal ones the earlier. */
export function weighFindings(study: Study): Weighed[] {
  const { watched } = study;
  if (watched === undefined) return [];
  /** How many lines have a sign as their strongest one. */
  const ofSign = new Map<number, number>();
  const counted = new Set<number>();
  for (const { kind, sign, count } of watched.findings) {
    if (!counted.has(kind)) ofSign.set(sign, (ofSign.get(sign) ?? 0) + count);
    counted.add(kind);
  }
  let isFirst = true;
  const weighed: Weighed[] = [];
  for (const { line, strength, kind, sign, count } of watched.findings) {
    const signTotal = ofSign.get(sign) ?? 1;
    let weight = weightOf(strength, count) / (1 + Math.log2(Math.max(1, signTotal / count)) / 7);
    if (isFirst && strength >= STRONG && count <= 4) {
      weight *= FIRST_CAUSE;
      isFirst = false;
    }
    weighed.push({ line, strength, kind, sign, weight });
  }
  if (study.totalLines >= MIN_LINES) weighed.push(...rareLines(study, watched));
  if (watched.odd.length <= MAX_ODD_FIELDS) weighed.push(...weighedAs(ODD_FIELD_WEIGHT, watched.odd));
  const { tops, odd } = oddMembers(study);
  weighed.push(...weighedAs(TOP_WEIGHT, tops), ...weighedAs(ODD_MEMBER_WEIGHT, odd));
  const byWeight = (one: Weighed, other: Weighed) => other.weight - one.weight || one.line - other.line;
  weighed.sort(byWeight);
  const bodyAt = (line: number) => bodyOf(study, line);
  for (const each of weighed.slice(0, MAX_READ)) {
    if (each.strength > 0) each.weight *= reportedShare(bodyAt, each.line);
  }
  if (!watched.hasPasses) return weighed.sort(byWeight);
  for (const each of weighed.slice(0, MAX_TRIED)) {
    if (passedInTheEnd(study, each.line)) each.weight /= PASSED_DIVISOR;
  }
  return weighed.sort(byWeight);
}

/** The weight of a line of a kind of which there are `count`. */
export function weightOf(strength: number, count: number): number {
  return strength / (1 + Math.log2(count) / 3);
}

/** In content with fewer lines, nothing is odd. */
const MIN_LINES = 60;
/** The first and last lines differ from the others in most contents. */
const END_LINES = 6;
/** The weight of an odd line, by the runs of them. */
const ODD_WEIGHTS = [34, 34, 34, 34, 28, 28, 28, 23, 23, 23, 23, 23, 23];
const MAX_RUNS = ODD_WEIGHTS.length - 1;

/** The weight of lines that are odd by a word or number, and the most of them. */
const ODD_FIELD_WEIGHT = 30;
/** The same of short content, in which each word is compared: they come after all that is surer. */
const ODD_MEMBER_WEIGHT = 22;
const MAX_ODD_FIELDS = 4;
/** The first row of a sorted table matters more than any that is rare. */
const TOP_WEIGHT = 36;

/** The weight of rare lines that no first digest shows, and the most of them. */
export const FAINT = 0.5;
const MAX_FAINT = 400;

/** Odd lines, each of which is a kind of its own. */
function weighedAs(weight: number, lines: readonly number[]): Weighed[] {
  const weighed: Weighed[] = [];
  for (const line of lines) weighed.push({ line, strength: 0, kind: -line, sign: 0, weight });
  return weighed;
}

/**
 * The first line of each run of lines of a rare shape, if there are few runs. If there are many, and nearly all lines
 * start alike, those that do not: a rare value in a first column.
 */
function rareLines(study: Study, watched: WatchedLines): Weighed[] {
  const lastLine = study.totalLines - END_LINES;
  const oddOf = (lines: readonly number[]) => {
    const odd = runsOf(lines, MAX_RUNS + 1);
    const weight = ODD_WEIGHTS[odd.length];
    return weight === undefined ? undefined : weighedAs(weight, odd);
  };
  const rare = watched.rareLines("shape", END_LINES + 1, lastLine);
  const odd = oddOf(rare);
  const byLead = odd === undefined ? oddOf(watched.rareLines("lead", END_LINES + 1, lastLine)) ?? [] : [];
  const isFaint = odd === undefined && byLead.length === 0;
  const faint = isFaint ? runsOf(rare, MAX_FAINT) : [];
  return [...odd ?? byLead, ...weighedAs(FAINT, faint)];
}

/** The first line of each of the first `most` runs of rare lines. */
function runsOf(rare: readonly number[], most: number): number[] {
  const firsts: number[] = [];
  let before = 0;
  for (const line of rare) {
    if (firsts.length === most) break;
    if (line > before + 1) firsts.push(line);
    before = line;
  }
  return firsts;
}
