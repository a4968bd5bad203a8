/** A command that really ran several times, its project being edited between the runs, and what changed each time. */

import { repeat } from "../corpus_case.ts";

export interface RunCase {
  /** Names the file of the outputs, and decides the half: `halfOf`. */
  name: string;
  /** The programs that really ran. */
  tools: string;
  files: () => Record<string, string>;
  /** The command that bash runs in the project's directory, each time; its stdout and stderr together are the output. */
  command: string;
  /** The later runs, in order. */
  reruns: readonly Rerun[];
}

/** A later run, and what the answer has to say of it. Written before any answer was looked at. */
export interface Rerun {
  /** A line of bash that changes the project before it. */
  edit: string;
  /** Lines that the answer has to call gone; each matches one of them. */
  gone?: readonly RegExp[];
  /** Lines that the answer has to call new. */
  fresh?: readonly RegExp[];
  /** Lines that the answer must call neither gone nor new, and has to show. */
  left?: readonly RegExp[];
  /** Matches what is said before the digest: how many failures are left. */
  count: RegExp;
}

/**
 * `left` of `of` failures are left: said so, or as many gone, or by the tool's own counts before (`then`) and after.
 */
export function counts(left: number, of: number, then?: string, now?: string): RegExp {
  const said = `\\b${left} of ${of}\\b|\\b${of - left} of ${of} [a-z ]*gone`;
  return new RegExp(
    then === undefined ? said : `${said}|${then}[^]*${now}|${now}[^]*${then}`,
  );
}

/** None of the failures of the run before is left. */
export const NONE_LEFT = /\bnone (?:is |are )?left|\b0 (?:of \d+ (?:\w+ )?)?left|\ball \d+ (?:\w+ )?gone/i;

/** Nothing that counts is another. */
export const NOTHING_ELSE =
  /\b0 (?:of \d+ )?(?:\w+ )?gone, 0 new|nothing (?:is )?(?:gone|changed|new)|\bno finding|same/i;

/** `count` lines made of their numbers. */
export function numbered(count: number, make: (number: number) => string): string {
  return repeat(count, (_, number) => make(number));
}

/** `count` files made of their numbers: path and content. */
export function numberedFiles(
  count: number,
  make: (number: number) => [string, string],
): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, number) => make(number)));
}
