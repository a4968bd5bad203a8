/**
 * Hostile words and values: paths that lead outside, invalid handles, extreme numbers, patterns that make a backtracking
 * engine run for ever.
 */

import shortWords from "./hostile_words.json" with { type: "json" };
import { type Choices, weighted } from "./random_choices.ts";

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

const codesOf = (choices: Choices) =>
  Array.from({ length: choices.whole(0, 8) }, () => choices.whole(0, 0xffff));

const CHANGES = weighted<(word: string, choices: Choices) => string>(
  [1, (word, choices) => word + choices.one(WORDS).slice(0, 300)],
  [1, (word, choices) => word.slice(0, choices.whole(0, word.length))],
  [1, (_, choices) => String.fromCharCode(...codesOf(choices))],
  [1, (_, choices) => String(choices.whole(-5, 20))],
  [4, (word) => word],
);

/** A word: one of the list, a cut or a doubling of one, two of them joined, or something else. */
export function hostileWord(choices: Choices): string {
  return choices.one(CHANGES)(choices.one(WORDS), choices);
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

/** `value`, but a hostile one once in `times`. */
export function mostly(choices: Choices, times: number, value: unknown): unknown {
  return choices.onceIn(times) ? hostileValue(choices) : value;
}

/** JSON values of every kind, some of them deep, long or cut. */
export function hostileValue(choices: Choices, depth = 0): unknown {
  const value = () => hostileValue(choices, depth + 1);
  const many = <T>(make: () => T) => Array.from({ length: choices.whole(0, 3) }, make);
  const flat = weighted<() => unknown>(
    [1, () => null],
    [1, () => choices.onceIn(2)],
    [1, () => choices.one([0, -1, 1, 1.5, 1e21, -1e308, 2 ** 53, 3])],
    [3, () => hostileWord(choices)],
  );
  const fields = () => Object.fromEntries(many(() => [hostileWord(choices), value()]));
  return choices.one(depth > 4 ? flat : [...flat, () => many(value), fields, fields])();
}
