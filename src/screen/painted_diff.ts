/** Unified diffs coloured as git does. */

import type { Ink } from "./ink.ts";

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * The lines of a diff, each with a line end. What a line is follows from the counts of its hunk: a removed line `-- x` is
 * not a header.
 */
export function diffLines(diff: string, ink: Ink): string {
  if (diff === "") return "";
  let oldLeft = 0;
  let newLeft = 0;
  let painted = "";
  const lines = diff.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const hunk = oldLeft <= 0 && newLeft <= 0 ? HUNK.exec(line) : null;
    if (hunk !== null) {
      oldLeft = Number(hunk[1] ?? 1);
      newLeft = Number(hunk[2] ?? 1);
      painted += ink.hunk(line);
    } else if (oldLeft <= 0 && newLeft <= 0 && !line.startsWith("\\")) painted += ink.heading(line);
    else if (line.startsWith("+")) {
      newLeft--;
      painted += ink.added(line);
    } else if (line.startsWith("-")) {
      oldLeft--;
      painted += ink.removed(line);
    } else {
      painted += line;
      if (!line.startsWith("\\")) {
        oldLeft--;
        newLeft--;
      }
    }
    painted += "\n";
  }
  return painted;
}
