/** Adds a paragraph between markers to a memory file, and removes it. */

const BEGIN = "<!-- >>> fdtool: written by `fdtool install`; `fdtool uninstall` takes it out -->";
const END = "<!-- <<< fdtool -->";

/** The paragraph's offsets, markers included. `cut`: one of the two markers is missing. */
export type FoundParagraph = { kind: "found"; from: number; to: number } | { kind: "absent" } | {
  kind: "cut";
};

export function findParagraph(text: string): FoundParagraph {
  const from = text.indexOf(BEGIN);
  const end = text.indexOf(END, Math.max(from, 0));
  if (from === -1 && end === -1) return { kind: "absent" };
  return from === -1 || end === -1 ? { kind: "cut" } : { kind: "found", from, to: end + END.length };
}

export function markedParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return [BEGIN, ...paragraph.split("\n"), END].join(eol);
}

/** Adds the paragraph at the end, after a blank line. */
export function withParagraph(text: string, paragraph: string): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const marked = markedParagraph(text, paragraph);
  if (text === "") return `${marked}${eol}`;
  return text.endsWith("\n") ? `${text}${eol}${marked}${eol}` : `${text}${eol}${eol}${marked}`;
}

/** Removes the paragraph and the line ends that were added with it. */
export function withoutParagraph(text: string, { from, to }: { from: number; to: number }): string {
  const before = text.slice(0, from);
  const after = text.slice(to);
  const lineEnd = /^\r?\n/.exec(after)?.[0] ?? "";
  // If the text had no final line end, one was added before the paragraph and none after it.
  const cameBefore = lineEnd === "" ? /(?:\r?\n){1,2}$/ : /(?<=\n)\r?\n$/;
  return before.replace(after === "" || lineEnd !== "" ? cameBefore : /$^/, "") + after.slice(lineEnd.length);
}
