/**
 * Finds what a mistyped word was meant to be.
 */

import { distance } from "fastest-levenshtein";

/**
 * The candidate with the fewest edits from `word`, the first of several; undefined if none is near: more than a
 * third of the longer of the two would have to change. Two edits are allowed if they leave half of it, or if the
 * letters are only in another order.
 */
export function nearestWord(word: string, candidates: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  let fewestEdits = Infinity;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    const longest = Math.max(word.length, candidate.length);
    const isClose = longest >= 4 || lettersOf(word) === lettersOf(candidate);
    const allowed = Math.max(isClose ? 2 : 1, Math.floor(longest / 3));
    if (edits <= allowed && edits < fewestEdits && edits < candidate.length) {
      nearest = candidate;
      fewestEdits = edits;
    }
  }
  return nearest;
}

/** The letters of a word, in order of the alphabet. */
export function lettersOf(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}
