/**
 * Which of the lines that were found come first: strong signs before weak ones, rare shapes before frequent ones, causes
 * before consequences.
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
export function weighFindings({ findings, shapes }: Study): Weighed[] {
  let isFirst = true;
  const weighed = findings.map((finding) => {
    const count = shapes.get(finding.shape)?.count ?? 1;
    let weight = finding.strength / (1 + Math.log2(count) / 3);
    if (isFirst && finding.strength >= STRONG && count <= 4) {
      weight *= FIRST_CAUSE;
      isFirst = false;
    }
    return { ...finding, weight };
  });
  return weighed.sort((one, other) => other.weight - one.weight || one.line - other.line);
}
