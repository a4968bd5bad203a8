/**
 * The unified diff of two contents, as bytes: lines stand in it as they are in the files, whatever their encoding.
 *
 * @module
 */

import { joinBytes } from "./join_bytes.ts";
import { type ChangedLines, diffLines, type LineTable, tableLines } from "./line_diff.ts";

const CONTEXT_LINES = 3;
/** Where a NUL is looked for: a content that has one is not shown line by line. */
const BINARY_SAMPLE_BYTES = 8192;

/** One content and what it is called in the diff: `a/x.js`, or `/dev/null` where there is no file. */
export interface DiffSide {
  name: string;
  bytes: Uint8Array;
}

/**
 * The diff that turns `before` into `after`; empty where they are equal.
 *
 * ```ts
 * import { unifiedDiff } from "./unified_diff.ts";
 * const side = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
 * const diff = new TextDecoder().decode(await unifiedDiff(side("a", "1\n2\n"), side("b", "1\n3\n")));
 * if (diff !== "--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n") throw new Error(diff);
 * ```
 */
export async function unifiedDiff(before: DiffSide, after: DiffSide): Promise<Uint8Array> {
  const oldTable = tableLines([before.bytes]);
  const newTable = tableLines([after.bytes]);
  const { changes } = await diffLines(oldTable, newTable);
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
  for (const group of groupChanges(changes)) {
    const first = group[0]!;
    const last = group.at(-1)!;
    const contextBefore = Math.min(CONTEXT_LINES, first.oldFirst);
    const oldEnd = last.oldFirst + last.oldCount;
    const contextAfter = Math.min(CONTEXT_LINES, oldTable.sums.length - oldEnd);
    const oldFirst = first.oldFirst - contextBefore;
    const newFirst = first.newFirst - contextBefore;
    const oldCount = oldEnd + contextAfter - oldFirst;
    const newCount = last.newFirst + last.newCount + contextAfter - newFirst;
    say(`@@ -${range(oldFirst, oldCount)} +${range(newFirst, newCount)} @@\n`);
    let oldLine = oldFirst;
    for (const change of group) {
      for (; oldLine < change.oldFirst; oldLine++) line(" ", before, oldTable, oldLine);
      for (let index = 0; index < change.oldCount; index++) line("-", before, oldTable, oldLine++);
      for (let index = 0; index < change.newCount; index++) {
        line("+", after, newTable, change.newFirst + index);
      }
    }
    for (; oldLine < oldEnd + contextAfter; oldLine++) line(" ", before, oldTable, oldLine);
  }
  return joinBytes(pieces);
}

const ENCODER = new TextEncoder();

/** Changes whose contexts touch share a hunk. */
function groupChanges(changes: readonly ChangedLines[]): ChangedLines[][] {
  const groups: ChangedLines[][] = [];
  for (const change of changes) {
    const previous = groups.at(-1)?.at(-1);
    const gap = previous === undefined ? Infinity : change.oldFirst - (previous.oldFirst + previous.oldCount);
    if (gap <= 2 * CONTEXT_LINES) groups.at(-1)!.push(change);
    else groups.push([change]);
  }
  return groups;
}

/** A range as diff writes it: from 1, the count left out where it is 1, and the line before where there is none. */
function range(first: number, count: number): string {
  if (count === 0) return `${first},0`;
  return count === 1 ? `${first + 1}` : `${first + 1},${count}`;
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_SAMPLE_BYTES).includes(0);
}
