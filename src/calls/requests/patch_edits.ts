/** Patches, which models send to `edit`: named as such, and of one file as the edits that they mean. */

/** The call to make instead of sending a patch. */
export const PATCH_INSTEAD =
  "edit_file with edits: [{old_string, new_string}], one for each hunk, without its marks; or write_plan for several files";

/** The form of a patch that `text` is; undefined if it is not one. */
export function patchForm(text: string): string | undefined {
  if (/^\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )/m.test(text)) return "a patch in Codex's form";
  return /^(?:--- .*\n\+\+\+ |diff --git |@@ -\d+(?:,\d+)? \+\d)/m.test(text) ? "a unified diff" : undefined;
}

const FILE = /^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)([^\t\r\n]+).*\n/gm;

/**
 * The call of `edit` that a patch means, with an edit for each hunk: its lines say where, its line numbers do not. Undefined for a
 * patch of several files, or of a file that it adds or deletes.
 *
 * ```ts
 * import { editOfPatch } from "./patch_edits.ts";
 * import { assertEquals } from "@std/assert";
 * const call = editOfPatch("*** Begin Patch\n*** Update File: a.py\n@@ def f():\n x = 1\n-y = 2\n+y = 3\n*** End Patch");
 * const edits = [{ old_string: "x = 1\ny = 2\n", new_string: "x = 1\ny = 3\n" }];
 * assertEquals(call, { command: "edit", args: { path: "a.py", edits } });
 * ```
 */
export function editOfPatch(text: string, path?: string) {
  const [file, ...others] = [...text.matchAll(FILE)];
  if (file === undefined || others.length > 0) return undefined;
  const hunks = text.slice(file.index + file[0].length).split(/^@@.*\n/m);
  const edits = hunks.map((hunk) => {
    // A line without any mark is an empty one.
    const lines = hunk.trimEnd().split("\n").filter((line) => !/^(?:\*\*\* |\\ No newline)/.test(line));
    const without = (mark: string) =>
      lines.filter((line) => line[0] !== mark).map((line) => `${line.slice(1)}\n`).join("");
    return { old_string: without("+"), new_string: without("-") };
  }).filter(({ old_string, new_string }) => old_string !== new_string);
  if (edits.length === 0 || edits.some(({ old_string }) => old_string === "")) return undefined;
  return { command: "edit" as const, args: { path: path ?? file[1]!.trim(), edits } };
}
