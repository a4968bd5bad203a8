/**
 * Finds what a mistyped word, option or parameter was meant to be. An option's suggestion comes as a whole call that is ready
 * to run, and a model follows a parameter's as readily, so neither says the opposite of what was written: who wrote
 * `--noexist-ok` must not be offered a call that overwrites the file.
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
function lettersOf(word: string): string {
  return [...word.toLowerCase()].sort().join("");
}

const NEGATIONS = ["no", "not", "non", "dont", "never", "without", "disable", "skip", "forbid", "deny"];
/** Options that make any call another one: they are guessed for a slip of the finger only, `--hlep` and not `--head`. */
const ENDING = ["--help", "--version"];
/** Those that are written without a dash behind them, the longest first. */
const GLUED = /^(without|disable|never|dont|not|non|no)(?!-)/;

/**
 * The spelling among `known` that is nearest to `written`, in the same polarity; of an alias the option's own name, which
 * is what help shows. A single letter is near nothing: another one means something else.
 */
export function nearestOption(
  written: string,
  known: readonly string[],
  aliasOf: Readonly<Record<string, string>>,
): string | undefined {
  if (!written.startsWith("--")) return undefined;
  const candidates = known.filter((option) =>
    (option.startsWith("--") || option === written.slice(1)) &&
    (!ENDING.includes(option) || distance(written, option) < 2 || lettersOf(written) === lettersOf(option))
  );
  const nearest = nearestNamed(written, candidates);
  return nearest === undefined ? undefined : aliasOf[nearest] ?? nearest;
}

/** The parameter of a tool among `known` that is nearest to `written`, in the same polarity. */
export function nearestParameter(written: string, known: readonly string[]): string | undefined {
  return nearestNamed(written, known);
}

function nearestNamed(written: string, known: readonly string[]): string | undefined {
  const words = wordsOf(written);
  const bare = GLUED.test(words) ? words.replace(GLUED, "") : undefined;
  const named = new Map(known.map((name) => [wordsOf(name), name]));
  const candidates = [...named.keys()].filter((candidate) => {
    if (isNegated(words)) return isNegated(candidate);
    if (isNegated(candidate)) return bare !== undefined;
    return bare === undefined || nearestWord(candidate, [words, bare]) !== bare;
  });
  const nearest = nearestWord(words, candidates);
  return nearest === undefined ? undefined : named.get(nearest);
}

/** A name in small letters, with dashes between its words and none in front: `dry-run` for `--dry_run` and `dryRun`. */
function wordsOf(name: string): string {
  return name.replace(/^--?/, "").replace(/([a-z])([A-Z])/g, "$1-$2").replaceAll("_", "-").toLowerCase();
}

function isNegated(words: string): boolean {
  return words.split("-").some((word) => NEGATIONS.includes(word));
}
