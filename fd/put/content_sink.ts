/**
 * Writes content to its file and counts it. Content of one block is counted at its end; longer content is scanned as
 * it arrives, which builds its index.
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

/** Content being written and counted. */
export interface ContentSink {
  file: number;
  pageSize: number;
  indexAt(): string;
  /** The first bytes; all of the content while it is no longer than a block. */
  first: Uint8Array;
  firstByteCount: number;
  long: { scan: TextScan; index: IndexWriter } | undefined;
}

/** Creates the file at `path`, which must not exist. Throws system errors unchanged. */
export function openSink(path: string, indexAt: () => string, pageSize: number): ContentSink {
  // O_APPEND: after a failed partial write is truncated, the next one must start where that one did.
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | NO_FOLLOW;
  const file = openPrivate(path, flags);
  const first = new Uint8Array(BLOCK_BYTES + WINDOW_BYTES);
  return { file, pageSize, indexAt, first, firstByteCount: 0, long: undefined };
}

/** Returns a buffer for the next bytes, at least {@link WINDOW_BYTES} long. */
export function windowOf({ first, firstByteCount, long }: ContentSink): Uint8Array {
  return long === undefined ? first.subarray(firstByteCount) : long.scan.window();
}

/** Returns the whole content while it is no longer than a block. */
export function firstOf({ first, firstByteCount }: ContentSink): Uint8Array {
  return first.subarray(0, firstByteCount);
}

/** Counts the first `byteLength` bytes of the window, which were written to the file. */
export function countWindow(sink: ContentSink, byteLength: number): void {
  if (sink.long !== undefined) sink.long.scan.accept(byteLength);
  else {
    sink.firstByteCount += byteLength;
    if (sink.firstByteCount > BLOCK_BYTES) countAsLong(sink);
  }
}

/** Starts the scan, with the bytes so far, once content is longer than a block. */
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

/** Writes and counts `bytes`, at most a window. Throws system errors unchanged. */
export function feedSink(sink: ContentSink, bytes: Uint8Array): void {
  windowOf(sink).set(bytes);
  writeWhole(sink.file, bytes);
  countWindow(sink, bytes.length);
}

/** Returns the totals; `durable` syncs content and index. Does not close the file. */
export function endSink(sink: ContentSink, durable: boolean): ScanTotals {
  const { long } = sink;
  const totals = long === undefined ? totalsOfBlock(firstOf(sink), sink.pageSize) : long.scan.end();
  if (durable) disk.fsync(sink.file);
  long?.index.end(durable);
  return totals;
}
