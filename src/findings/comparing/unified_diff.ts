/** Writes a unified diff, as bytes: lines are as in the contents, whatever their encoding. */

import { Buffer } from "node:buffer";
import { countLines, joinBytes } from "../../../fd/system.ts";
import { alignLines } from "./align_lines.ts";
import { differingMiddle } from "./differing_middle.ts";
import { NOTHING_IGNORED } from "./ignored_text.ts";
import { lineSums } from "./line_sums.ts";
import { LINE_FEED, lineCursor, startDiff } from "./write_hunks.ts";

/** A content in memory and its name in the diff: `a/x.js`, or `/dev/null` if there is no file. */
interface NamedBytes {
  name: string;
  bytes: Uint8Array;
}

const CONTEXT_LINES = 3;
/** Content with a NUL in these first bytes is binary. */
const BINARY_SAMPLE_BYTES = 8192;

/**
 * The diff from `before` to `after`, both in memory; empty if they are equal but for what is ignored.
 *
 * ```ts
 * import { unifiedDiff } from "./unified_diff.ts";
 * const side = (name: string, text: string) => ({ name, bytes: new TextEncoder().encode(text) });
 * const diff = new TextDecoder().decode(unifiedDiff(side("a", "1\n2\n"), side("b", "1\n3\n")));
 * if (diff !== "--- a\n+++ b\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n") throw new Error(diff);
 * ```
 */
export function unifiedDiff(
  before: NamedBytes,
  after: NamedBytes,
  contextLines = CONTEXT_LINES,
  ignored = NOTHING_IGNORED,
): Uint8Array {
  if (Buffer.compare(before.bytes, after.bytes) === 0) return new Uint8Array(0);
  if (isBinary(before) || isBinary(after)) {
    return Buffer.from(`Binary files ${before.name} and ${after.name} differ\n`);
  }
  const middle = differingMiddle(before.bytes, after.bytes);
  const linesBefore = countLines(before.bytes.subarray(0, middle.fromByte));
  const context = contextBefore(before.bytes, middle.fromByte);
  const atLine = linesBefore - countLines(context);
  const sideOf = ({ name, bytes }: NamedBytes) => ({
    name,
    lines: lineCursor([bytes.subarray(middle.fromByte - context.length)], atLine),
  });
  const pieces: Uint8Array[] = [];
  const write = (piece: Uint8Array) => pieces.push(piece);
  const diff = startDiff([sideOf(before), sideOf(after)], contextLines, countLines(before.bytes), write);
  const sumsOf = (bytes: Uint8Array) => lineSums([bytes], ignored);
  for (const changes of alignLines(sumsOf(middle.before), sumsOf(middle.after))) {
    for (const change of changes) {
      change.oldFirst += linesBefore;
      change.newFirst += linesBefore;
    }
    diff.add(changes);
  }
  diff.end();
  return joinBytes(pieces);
}

/** The lines before the one that starts at `lineStart`, as many as a hunk shows. */
function contextBefore(bytes: Uint8Array, lineStart: number): Uint8Array {
  let from = lineStart;
  for (let count = 0; count < CONTEXT_LINES && from > 0; count++) {
    from = bytes.subarray(0, from - 1).lastIndexOf(LINE_FEED) + 1;
  }
  return bytes.subarray(from, lineStart);
}

function isBinary({ bytes }: NamedBytes): boolean {
  return bytes.subarray(0, BINARY_SAMPLE_BYTES).includes(0);
}
