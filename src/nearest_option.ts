/**
 * Finds what a mistyped option was meant to be. A suggestion comes as a whole call that is ready to run, so it never says
 * the opposite of what was written: who wrote `--noexist-ok` must not be offered a call that overwrites the file.
 *
 * @module
 */

import { nearestWord } from "./nearest_word.ts";

const NEGATIONS = ["no", "not", "non", "dont", "never", "without", "disable", "skip", "forbid", "deny"];
/** Those that are written without a dash behind them, the longest first. */
const GLUED = /^--(without|disable|never|dont|not|non|no)(?!-)/;

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
  const spelled = written.replace(/([a-z])([A-Z])/g, "$1-$2").replaceAll("_", "-").toLowerCase();
  const bare = GLUED.test(spelled) ? spelled.replace(GLUED, "--") : undefined;
  const candidates = known.filter((candidate) => {
    if (!candidate.startsWith("--")) return candidate === written.slice(1);
    if (isNegated(spelled)) return isNegated(candidate);
    if (isNegated(candidate)) return bare !== undefined;
    return bare === undefined || nearestWord(bare, [spelled, candidate]) !== candidate;
  });
  const nearest = nearestWord(spelled, candidates);
  return nearest === undefined ? undefined : aliasOf[nearest] ?? nearest;
}

function isNegated(option: string): boolean {
  return option.slice(2).split("-").some((word) => NEGATIONS.includes(word));
}
