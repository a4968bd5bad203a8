/**
 * Hostile words and values: paths that lead outside, invalid handles, extreme numbers, patterns that make a backtracking
 * engine run for ever.
 */

import shortWords from "./hostile_words.json" with { type: "json" };
import type { Choices } from "./random_choices.ts";

/** Words that have broken programs before; patterns, too: broken, nested, and such as make a backtracking engine run for ever. */
const WORDS: readonly string[] = [
  ...shortWords,
  ...["\ud800", "\udfff\ud800"],
  ...["x", "y", "z"].map((char, at) => char.repeat([4096, 255, 256][at]!)),
  "x/".repeat(2000),
  `ref:${"n".repeat(129)}`,
  "😀".repeat(300),
  "(".repeat(300) + ")".repeat(300),
  "a|".repeat(2000),
];

/** A word: one of the list, a cut or a doubling of one, or two of them joined. */
export function hostileWord(choices: Choices): string {
  const one = choices.one(WORDS);
  switch (choices.whole(0, 7)) {
    case 0:
      return one + choices.one(WORDS).slice(0, 300);
    case 1:
      return one.slice(0, choices.whole(0, one.length));
    case 2:
      return String.fromCharCode(
        ...Array.from({ length: choices.whole(0, 8) }, () => choices.whole(0, 0xffff)),
      );
    case 3:
      return String(choices.whole(-5, 20));
    default:
      return one;
  }
}

/** A hostile word that can be an argument of a process: well-formed, and without NUL. */
export function plainWord(choices: Choices): string {
  return hostileWord(choices).toWellFormed().replaceAll("\0", "");
}

/** Extreme numbers for counts, times and ids. */
export const HOSTILE_NUMBERS: readonly number[] = [
  0,
  1,
  -1,
  2,
  7,
  4000,
  2 ** 31,
  2 ** 32,
  2 ** 40,
  2 ** 53 - 1,
  8.64e15 + 1,
  1.5,
];

/** JSON values of every kind, some of them deep, long or cut. */
export function hostileValue(choices: Choices, depth = 0): unknown {
  switch (choices.whole(0, depth > 4 ? 5 : 8)) {
    case 0:
      return null;
    case 1:
      return choices.onceIn(2);
    case 2:
      return choices.one([0, -1, 1, 1.5, 1e21, -1e308, 2 ** 53, 3]);
    case 6:
      return Array.from({ length: choices.whole(0, 3) }, () => hostileValue(choices, depth + 1));
    case 7:
    case 8:
      return Object.fromEntries(
        Array.from(
          { length: choices.whole(0, 3) },
          () => [hostileWord(choices), hostileValue(choices, depth + 1)],
        ),
      );
    default:
      return hostileWord(choices);
  }
}
