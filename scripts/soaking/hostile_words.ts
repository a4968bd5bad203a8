/**
 * Hostile words and values: paths that lead outside, invalid handles, extreme numbers, patterns that make a backtracking
 * engine run for ever.
 */

import type { Choices } from "./random_choices.ts";

/** Words that have broken programs before. */
const WORDS: readonly string[] = [
  "",
  " ",
  "\n",
  "-",
  "--",
  "---",
  "\0",
  "a\0b",
  "a\nb",
  "..",
  "../../..",
  "../../etc/passwd",
  "/",
  "//",
  "/dev/null",
  "/proc/self/mem",
  "/nonexistent/x/y",
  "x".repeat(4096),
  "x/".repeat(2000),
  `${"y".repeat(255)}`,
  `${"z".repeat(256)}`,
  "f",
  "f/g",
  "f/",
  "./f",
  "loop",
  "link",
  "fd:1",
  "fd:2",
  "fd:0",
  "fd:-1",
  "fd:1e3",
  "fd:99999999999999999999",
  "fd:140737488355328",
  "1",
  "2",
  "ref:two",
  "ref:../../x",
  "ref:..",
  "ref:",
  "ref:" + "n".repeat(129),
  "ref:two/../two",
  "tx:1",
  "tx:0",
  "tx:999999999999999",
  "inq:1",
  "inq:9007199254740993",
  "1-2",
  "2-1",
  "0-0",
  "-1--2",
  "9007199254740991",
  "9007199254740993",
  "-9007199254740991",
  "1.5",
  "NaN",
  "Infinity",
  "1e309",
  "0x10",
  "٣",
  "true",
  "false",
  "null",
  "undefined",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u0000\ufeff",
  "😀".repeat(300),
  "%s%n",
  "$(id)",
  "`id`",
  "' OR 1=1 --",
  "<fd_error>",
  "</fd_content>",
  "\u001b[2J",
  "line",
  "page",
  "char",
  "json",
  "raw",
  "xml",
  "apply",
  "check",
  "show",
  "undo",
  "plan.json",
  "bash",
  "openai",
  // Patterns: broken, nested, and such as make a backtracking engine run for ever.
  "(",
  "[",
  "[z-a]",
  "a{2,1}",
  "a{1000}{1000}",
  "(a+)+$",
  "(a|a)*b",
  "(.*)*x",
  "(a?){30}a{30}",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(?=a)",
  "(?<n>a)\\k<n>",
  "\\",
  "\\u{110000}",
  "\\p{Nonsense}",
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
