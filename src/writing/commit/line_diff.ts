/**
 * Compares two contents line by line. Lines (contract, Units) include their line end, so a lost final newline changes
 * the last line. Lines are compared by a 53-bit sum, so 100 MB need only the memory for the list of lines.
 */

import { alignLines, type ChangedLines } from "../../comparing/align_lines.ts";

/** The lines of a content: the sum and the first byte of each. */
export interface LineTable {
  sums: number[];
  starts: number[];
  byteCount: number;
}

export interface LineDiff {
  changes: readonly ChangedLines[];
  addedCount: number;
  removedCount: number;
}

const LF = 0x0a;

/** A table in progress, with its unfinished line. */
interface OpenTable extends LineTable {
  low: number;
  high: number;
  lineStart: number;
}

const LOW_SEED = 0x811c9dc5;
const HIGH_SEED = 0x2545f491;
const PART_BYTES = 65_536;

/**
 * Lists the lines of a content in pieces. The inner loop is a function that is called for each part: the compiled
 * program optimises a function called often, not a long loop (which was four times slower).
 */
export function tableLines(chunks: Iterable<Uint8Array>): LineTable {
  const table: OpenTable = {
    sums: [],
    starts: [],
    byteCount: 0,
    low: LOW_SEED,
    high: HIGH_SEED,
    lineStart: 0,
  };
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += PART_BYTES) {
      tablePart(table, chunk, from, Math.min(from + PART_BYTES, chunk.length));
    }
  }
  if (table.lineStart < table.byteCount) endLine(table, table.byteCount);
  const { sums, starts, byteCount } = table;
  return { sums, starts, byteCount };
}

function tablePart(table: OpenTable, bytes: Uint8Array, fromByte: number, toByte: number): void {
  const before = table.byteCount - fromByte;
  let { low, high } = table;
  for (let at = fromByte; at < toByte; at++) {
    const byte = bytes[at]!;
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul((high << 5 | high >>> 27) ^ byte, 0x85ebca6b);
    if (byte !== LF) continue;
    table.low = low;
    table.high = high;
    endLine(table, before + at + 1);
    low = LOW_SEED;
    high = HIGH_SEED;
  }
  table.low = low;
  table.high = high;
  table.byteCount = before + toByte;
}

function endLine(table: OpenTable, lineEnd: number): void {
  table.starts.push(table.lineStart);
  table.sums.push((table.high & 0x1fffff) * 2 ** 32 + (table.low >>> 0));
  table.lineStart = lineEnd;
}

/** The changes from `before` to `after`, matched as `diff` does. */
export function diffLines(before: LineTable, after: LineTable): LineDiff {
  const changes: ChangedLines[] = [];
  for (const some of alignLines(before.sums, after.sums)) changes.push(...some);
  let addedCount = 0;
  let removedCount = 0;
  for (const { oldCount, newCount } of changes) {
    removedCount += oldCount;
    addedCount += newCount;
  }
  return { changes, addedCount, removedCount };
}
