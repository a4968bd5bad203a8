/** Breaks running text of help into lines. */

/**
 * `text` in lines of at most `width` chars, broken at spaces; the lines after the first begin with `indent` spaces. A word that
 * is longer than a line stays whole.
 *
 * ```ts
 * import { wrapText } from "./wrap_text.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(wrapText("  --all  list all of them", 18, 9), "  --all  list all\n         of them");
 * ```
 */
export function wrapText(text: string, width: number, indent: number): string {
  const [start = ""] = /^ */.exec(text) ?? [];
  const lines: string[] = [];
  let line = start;
  let isEmpty = true;
  // Runs of spaces inside, which align columns, belong to the word before them.
  for (const word of text.slice(start.length).match(/\S+ */g) ?? []) {
    if (!isEmpty && line.length + word.trimEnd().length > width) {
      lines.push(line.trimEnd());
      line = " ".repeat(indent);
    }
    line += word;
    isEmpty = false;
  }
  return [...lines, line.trimEnd()].join("\n");
}
