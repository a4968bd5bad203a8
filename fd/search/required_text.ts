/**
 * Finds text that every line matched by a pattern must hold. Looking for it first skips most of a content at the
 * speed of a plain search.
 *
 * @module
 */

import type { PatternNode } from "./pattern_syntax.ts";

/**
 * The longest run of plain chars that stands in every match of `root`; "" where none is plain to see. Never holds
 * U+FFFD, whose bytes may be anything ill-formed.
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
        // Nothing stands at an assertion: what is before and after it is next to each other.
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
