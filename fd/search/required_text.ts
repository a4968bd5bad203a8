/**
 * Finds text that every line matched by a pattern must contain. Searching for it first skips most of a content at the
 * speed of plain search.
 */

import type { PatternNode } from "./pattern_syntax.ts";

/**
 * Returns the longest run of plain chars that is in every match of `root`, or "" if none is obvious. Never contains
 * U+FFFD, whose bytes may be any ill-formed sequence.
 */
export function requiredText(root: PatternNode): string {
  let longest = "";
  let run = "";

  function endRun(): void {
    if (run.length > longest.length) longest = run;
    run = "";
  }

  function walk(node: PatternNode): void {
    switch (node.kind) {
      case "chars":
        if (node.set.single === undefined || node.set.single === 0xfffd) endRun();
        else run += String.fromCodePoint(node.set.single);
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
