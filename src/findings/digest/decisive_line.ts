/** Chooses the line that a person would want first among those that weigh most: what failed and why, not that something did. */

import { bodyOf, type Study } from "./studied_lines.ts";
import type { Weighed } from "./weigh_lines.ts";

/** Lines that count failures, announce them, or say that the step failed in which they happened. */
const SUMMARY = new RegExp(
  [
    String
      .raw`\b\d+ (?:previous |passed, )?(?:(?:error|failure|problem)s?\b|tests? failed|failed|failing)|\b\d+ Error\(s\)`,
    String
      .raw`^\W*(?:failures?|errors?|failed(?: examples| tests)?|what went wrong|traceback)\b\W*(?:\(.*\))?\W*$`,
    String
      .raw`\b(?:build|compilation|execution|subcommand|script|command|test|run|tests run)\b[^:]{0,40}\bfail(?:ed|ures?)\b`,
    String
      .raw`could not compile|failed to (?:execute goal|solve)|did not complete|errors? occurred|there are test failures`,
    String
      .raw`returned \d+ exit status|exit(?:ed with)? (?:code|status) \d|\*\*\* .*\bError \d|re-?run|direct cause of|\b(?:errors|failures): [1-9]|^error: fatalError$`,
    String.raw`^\W*(?:\d+\/\d+\W+)?(?:compiling|building|linking|running)\b`,
    String.raw`^(?:[^ ]+:\d+:? )?(?:warning\b|[^ ]*: warning\b)|^\s*\d+:\d+\s+warning\b|\): warning\b`,
  ].join("|"),
  "i",
);
/** Lines that name what failed; its reason often follows. */
const NAME =
  /^\W*(?:FAIL|FAILED)\b(?!!)|\bFAILED\s*$|^\W*ERROR:? [\w/.]+(?:\.py\b| \()|<<< (?:FAILURE|ERROR)!|^npm ERR!/;
/** A reason is at most so far below a name. */
const NAMED_ABOVE = 6;
/** Candidates, and the least part of the greatest weight that they have. */
const MAX_TRIED = 32;
const LEAST_SHARE = 0.25;
/** The first of those counts that weigh about the same. */
const SAME_SHARE = 0.9;

/** The number of the decisive line among findings, heaviest first. */
export function decisiveLine(study: Study, heavy: readonly Weighed[]): number | undefined {
  const [first] = heavy;
  if (first === undefined) return undefined;
  const tried = heavy.slice(0, MAX_TRIED).filter(({ weight }) => weight >= first.weight * LEAST_SHARE)
    .map(({ line, weight }) => ({ line, weight, body: bodyOf(study, line) ?? "" }));
  const names = tried.filter(({ body }) => !SUMMARY.test(body) && NAME.test(body)).map(({ line }) => line);
  const isNamed = (line: number) => names.some((name) => name < line && line <= name + NAMED_ABOVE);
  const reasons = tried.filter(({ line, body }) => !SUMMARY.test(body) && !names.includes(line));
  const named = reasons.filter(({ line }) => isNamed(line));
  const [best, ...others] = named.length > 0 ? named : reasons;
  if (best === undefined) return names[0] ?? first.line;
  const same = others.filter(({ weight }) => weight >= best.weight * SAME_SHARE);
  return Math.min(best.line, ...same.map(({ line }) => line));
}
