/**
 * Finds what a mistyped word was meant to be.
 *
 * @module
 */

import { distance } from "fastest-levenshtein";

/**
 * The candidate with the fewest edits from `word`, the first of several; undefined where none is near: more than a
 * third of the longer of the two would have to change (at least two edits are always allowed for).
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewestEdits = Infinity;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.max(2, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (edits <= allowed && edits < fewestEdits && edits < candidate.length) {
      nearest = candidate;
      fewestEdits = edits;
    }
  }
  return nearest;
}
