/**
 * Where content goes: into its file, and by what counts it. Content of one block is counted when it ends; longer content
 * goes by the scan as it comes, which makes its index.
 *
 * @module
 */

import { constants } from "node:fs";
import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import { disk } from "../disk/disk.ts";
import { type IndexWriter, startIndex } from "../index/index_file.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { type ScanTotals, startScan, type TextScan } from "../index/scan_text.ts";
import { WINDOW_BYTES } from "../index/stride_memory.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** Content that is being written, and counted. */
export interface ContentSink {
  file: number;
  pageSize: number;
  indexAt(): string;
  /** Of content that is no longer than a block: its first `firstByteCount` bytes are all of it. */
  first: Uint8Array;
  firstByteCount: number;
  /** What longer content goes by. */
  long: { scan: TextScan; index: IndexWriter } | undefined;
}

/** Makes the file at `path`, which must not be there yet. Throws the system's error as it came. */
export function openSink(path: string, indexAt: () => string, pageSize: number): ContentSink {
  // Appends: after a write that failed half-way, the next one must stand where that one began.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | NO_FOLLOW;
  const file = openPrivate(path, flags);
  const first = new Uint8Array(BLOCK_BYTES + WINDOW_BYTES);
  return { file, pageSize, indexAt, first, firstByteCount: 0, long: undefined };
}

/** Where the next bytes are to be put, {@link WINDOW_BYTES} at least. */
export function windowOf({ first, firstByteCount, long }: ContentSink): Uint8Array {
  return long === undefined ? first.subarray(firstByteCount) : long.scan.window();
}

/** All of the content, where it is no longer than a block. */
export function firstOf({ first, firstByteCount }: ContentSink): Uint8Array {
  return first.subarray(0, firstByteCount);
}

/** Counts the first `byteLength` bytes of the window, which are in the file. */
export function countWindow(sink: ContentSink, byteLength: number): void {
  if (sink.long !== undefined) sink.long.scan.accept(byteLength);
  else {
    sink.firstByteCount += byteLength;
    if (sink.firstByteCount > BLOCK_BYTES) countAsLong(sink);
  }
}

/** Content turned out to be longer than a block: what came goes by the scan, and so will what comes. */
function countAsLong(sink: ContentSink): void {
  const index = startIndex(sink.indexAt());
  const scan = startScan({ pageSize: sink.pageSize, onEntry: index.add });
  sink.long = { scan, index };
  const bytes = firstOf(sink);
  for (let at = 0; at < bytes.length;) {
    const piece = bytes.subarray(at, at + WINDOW_BYTES);
    scan.window().set(piece);
    scan.accept(piece.length);
    at += piece.length;
  }
  sink.first = NO_BYTES;
}

const NO_BYTES = new Uint8Array();

/** Writes and counts `bytes`, a window of them at most. Throws the system's error as it came. */
export function feedSink(sink: ContentSink, bytes: Uint8Array): void {
  windowOf(sink).set(bytes);
  writeWhole(sink.file, bytes);
  countWindow(sink, bytes.length);
}

/** What the content came to; `durable` syncs it, and its index. The file stays open. */
export function endSink(sink: ContentSink, durable: boolean): ScanTotals {
  const { long } = sink;
  const totals = long === undefined ? totalsOfBlock(firstOf(sink), sink.pageSize) : long.scan.end();
  if (durable) disk.fsync(sink.file);
  // Content of one block needs no index.
  long?.index.end(durable);
  return totals;
}
