/**
 * Finds text that every line matched by a pattern must contain. Searching for it first skips most of a content at the
 * speed of plain search.
 */

import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import type { CharSet, PatternNode } from "./pattern_syntax.ts";

const REPLACEMENT = 0xfffd;

/** The other cases, in UTF-8, of letters that have more than two: the long s, and the sign of Kelvin. */
const THIRD_CASES: Readonly<Record<string, string>> = { s: "\\xc5\\xbf", k: "\\xe2\\x84\\xaa" };

/**
 * Returns the longest run of plain chars that is in every match of `root`, or "" if none is obvious. Never contains
 * U+FFFD, whose bytes may be any ill-formed sequence.
 */
export function requiredText(root: PatternNode): string {
  return longestRun(root, isPlain).map(textOf).join("");
}

/**
 * Like {@link requiredText}, but ASCII letters may be in either case: then it returns an expression (`g`) for bytes decoded as
 * Latin-1. `isAll`: a match is the run and nothing else. Undefined if no run is obvious.
 */
export function requiredRun(root: PatternNode): { sought: string | RegExp; isAll: boolean } | undefined {
  const run = longestRun(root, (set) => isPlain(set) || set.caseless !== undefined && set.caseless < 0x80);
  if (run.length === 0) return undefined;
  const sought = run.every(isPlain) ? run.map(textOf).join("") : new RegExp(run.map(sourceOf).join(""), "g");
  return { sought, isAll: root.kind === "concat" && root.parts.length === run.length };
}

function isPlain({ single }: CharSet): boolean {
  return single !== undefined && single !== REPLACEMENT;
}

function textOf({ single, caseless }: CharSet): string {
  return String.fromCodePoint(single ?? caseless!);
}

/** The expression of a plain char, or of a letter in all its cases, in Latin-1. */
function sourceOf(set: CharSet): string {
  if (!isPlain(set)) {
    const lower = textOf(set).toLowerCase();
    const two = `[${lower}${lower.toUpperCase()}]`;
    return THIRD_CASES[lower] === undefined ? two : `(?:${two}|${THIRD_CASES[lower]})`;
  }
  let bytes = "";
  for (const byte of utf8Bytes(textOf(set))) bytes += `\\x${byte.toString(16).padStart(2, "0")}`;
  return bytes;
}

/** Returns the longest run of sets that `isTaken` accepts in every match of `root`. */
function longestRun(root: PatternNode, isTaken: (set: CharSet) => boolean): CharSet[] {
  let longest: CharSet[] = [];
  let run: CharSet[] = [];

  function endRun(): void {
    if (run.length > longest.length) longest = run;
    run = [];
  }

  function walk(node: PatternNode): void {
    switch (node.kind) {
      case "chars":
        if (isTaken(node.set)) run.push(node.set);
        else endRun();
        return;
      case "concat":
        node.parts.forEach(walk);
        return;
      case "assert":
        // An assertion takes no chars: those before and after it are adjacent.
        return;
      case "either":
        endRun();
        return;
      case "repeat":
        endRun();
        if (node.least > 0) walk(node.node);
        endRun();
        return;
    }
  }

  walk(root);
  endRun();
  return longest;
}
