/**
 * The unified diff of two contents, as bytes: lines are as in the files, whatever their encoding.
 */

import { joinBytes } from "../../../fd/mod.ts";
import { hunkHeader, startHunks } from "../../comparing/diff_hunks.ts";
import { diffLines, type LineTable, tableLines } from "./line_diff.ts";

const CONTEXT_LINES = 3;
/** Content with a NUL in these first bytes is binary. */
const BINARY_SAMPLE_BYTES = 8192;

/** One content and its name in the diff: `a/x.js`, or `/dev/null` if there is no file. */
export interface DiffSide {
  name: string;
  bytes: Uint8Array;
}

/**
 * The diff from `before` to `after`; empty if they are equal.
 *
 * ```ts
 * import { unifiedDiff } from "./unified_diff.ts";
 * const side = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
 * const diff = new TextDecoder().decode(unifiedDiff(side("a", "1\n2\n"), side("b", "1\n3\n")));
 * if (diff !== "--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n") throw new Error(diff);
 * ```
 */
export function unifiedDiff(before: DiffSide, after: DiffSide): Uint8Array {
  const oldTable = tableLines([before.bytes]);
  const newTable = tableLines([after.bytes]);
  const { changes } = diffLines(oldTable, newTable);
  if (changes.length === 0) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  const say = (text: string) => pieces.push(ENCODER.encode(text));
  if (isBinary(before.bytes) || isBinary(after.bytes)) {
    say(`Binary files ${before.name} and ${after.name} differ\n`);
    return joinBytes(pieces);
  }
  say(`--- ${before.name}\n+++ ${after.name}\n`);
  const line = (sign: string, side: DiffSide, table: LineTable, index: number) => {
    const start = table.starts[index] ?? 0;
    const end = table.starts[index + 1] ?? table.byteCount;
    say(sign);
    pieces.push(side.bytes.subarray(start, end));
    if (side.bytes[end - 1] !== 0x0a) say("\n\\ No newline at end of file\n");
  };
  const hunks = startHunks(CONTEXT_LINES, oldTable.sums.length);
  for (const hunk of [...hunks.add(changes), ...hunks.end()]) {
    say(hunkHeader(hunk));
    let oldLine = hunk.oldFirst;
    for (const change of hunk.changes) {
      for (; oldLine < change.oldFirst; oldLine++) line(" ", before, oldTable, oldLine);
      for (let index = 0; index < change.oldCount; index++) line("-", before, oldTable, oldLine++);
      for (let index = 0; index < change.newCount; index++) {
        line("+", after, newTable, change.newFirst + index);
      }
    }
    for (; oldLine < hunk.oldFirst + hunk.oldCount; oldLine++) line(" ", before, oldTable, oldLine);
  }
  return joinBytes(pieces);
}

const ENCODER = new TextEncoder();

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_SAMPLE_BYTES).includes(0);
}
