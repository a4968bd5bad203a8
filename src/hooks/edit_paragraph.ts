/**
 * Adds a paragraph between markers to a text that a person writes and a model reads, and takes it out again.
 *
 * @module
 */

const BEGIN = "<!-- >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out -->";
const END = "<!-- <<< fdtool -->";

/** Where the paragraph is, markers included. `cut` if a marker has lost the other one. */
export type FoundParagraph = { kind: "found"; from: number; to: number } | { kind: "absent" } | {
  kind: "cut";
};

export function findParagraph(text: string): FoundParagraph {
  const from = text.indexOf(BEGIN);
  const end = text.indexOf(END, Math.max(from, 0));
  if (from === -1 && end === -1) return { kind: "absent" };
  return from === -1 || end === -1 ? { kind: "cut" } : { kind: "found", from, to: end + END.length };
}

/** The paragraph with its markers, as it is written into `text`. */
export function markedParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return [BEGIN, ...paragraph.split("\n"), END].join(eol);
}

/** The text with the paragraph at its end, after a blank line. */
export function withParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const marked = markedParagraph(text, paragraph);
  if (text === "") return `${marked}${eol}`;
  return text.endsWith("\n") ? `${text}${eol}${marked}${eol}` : `${text}${eol}${eol}${marked}`;
}

/** The text without what is found, and without the line ends that came with it. */
export function withoutParagraph(text: string, { from, to }: { from: number; to: number }): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lineEnd = /^\r?\n/.exec(after)?.[0] ?? "";
  // A text without a last line end got one, and none came after the paragraph.
  const cameBefore = lineEnd === "" ? /(?:\r?\n){1,2}$/ : /(?<=\n)\r?\n$/;
  return before.replace(after === "" || lineEnd !== "" ? cameBefore : /$^/, "") + after.slice(lineEnd.length);
}
