/**
 * Which of the lines that were found come first: strong signs before weak ones, rare shapes before frequent ones, causes
 * before consequences; and lines that are odd without any sign, because hardly another line has their shape.
 *
 * @module
 */

import type { Finding, Study } from "./studied_lines.ts";

/** A finding and what it weighs against the others. */
export interface Weighed extends Finding {
  weight: number;
}

/** What the first strong sign weighs more: later ones are often its consequences. */
const FIRST_CAUSE = 1.2;
const STRONG = 50;

/** The findings, heaviest first; of equal ones the earlier. */
export function weighFindings(study: Study): Weighed[] {
  const { findings, shapes } = study;
  const ofSign = signTotals(study);
  let isFirst = true;
  const weighed = findings.map((finding) => {
    const count = shapes.get(finding.shape)?.count ?? 1;
    const signTotal = ofSign.get(finding.sign) ?? 1;
    let weight = finding.strength /
      ((1 + Math.log2(count) / 3) * (1 + Math.log2(Math.max(1, signTotal / count)) / 7));
    if (isFirst && finding.strength >= STRONG && count <= 4) {
      weight *= FIRST_CAUSE;
      isFirst = false;
    }
    return { ...finding, weight };
  });
  weighed.push(...oddLines(study));
  return weighed.sort((one, other) => other.weight - one.weight || one.line - other.line);
}

/** How many lines have a sign as their strongest one, by sign. */
function signTotals({ findings, shapes }: Study): Map<number, number> {
  const totals = new Map<number, number>();
  const counted = new Set<number>();
  for (const { shape, sign } of findings) {
    if (counted.has(shape)) continue;
    counted.add(shape);
    totals.set(sign, (totals.get(sign) ?? 0) + (shapes.get(shape)?.count ?? 1));
  }
  return totals;
}

/** Lines of a shape that has no more of them than this are rare. */
const RARE = 2;
/** In less content nothing is odd. */
const LEAST_LINES = 60;
/** The first and last lines differ from the others in most contents. */
const END_LINES = 6;
/** What an odd line weighs, by how many runs of them there are at most. */
const ODD_WEIGHTS: readonly (readonly [number, number])[] = [[3, 34], [6, 28], [12, 23]];

/** The first line of each run of rare lines, if there are few runs. */
function oddLines({ pieces, shapes, totalLines }: Study): Weighed[] {
  if (totalLines < LEAST_LINES) return [];
  const odd: Weighed[] = [];
  const most = ODD_WEIGHTS.at(-1)![0];
  for (const piece of pieces) {
    let wasRare = false;
    for (let at = 0; at < piece.shapes.length; at++) {
      const line = piece.firstLine + at;
      if (line <= END_LINES || line > totalLines - END_LINES) continue;
      const shape = piece.shapes[at]!;
      const isRare = (shapes.get(shape)?.count ?? 1) <= RARE && piece.starts[at + 1]! - piece.starts[at]! > 2;
      if (isRare && !wasRare) odd.push({ line, strength: 0, shape, sign: 0, weight: 0 });
      if (odd.length > most) return [];
      wasRare = isRare;
    }
  }
  const [, weight] = ODD_WEIGHTS.find(([runs]) => odd.length <= runs)!;
  for (const each of odd) each.weight = weight;
  return odd;
}
