/**
 * Writes content to its file and counts it. Content of one block is counted at its end; longer content is scanned as
 * it arrives, which builds its index.
 */

import { constants } from "node:fs";
import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible, orUndo } from "../disk/errors.ts";
import { FILE_MODE, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { truncateTo, writeWhole } from "../disk/file_calls.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import { type IndexWriter, startIndex } from "../index/index_file.ts";
import { type ScanTotals, startScan, type TextScan } from "../index/scan_text.ts";
import { bytesIn, MEMORY_BYTES, windowIn } from "../index/stride_memory.ts";

/** Content being written and counted. */
export interface ContentSink {
  file: number;
  pageSize: number;
  indexPath: string;
  /** Has all of the content while it is no longer than a block; then it is the scan's. */
  memory: Uint8Array<ArrayBuffer>;
  /** Bytes in the file, as far as they are counted. */
  byteCount: number;
  /** Whether the file has all bytes already. */
  isWritten: boolean;
  long: { scan: TextScan; index: IndexWriter } | undefined;
}

/**
 * Creates the file at `path`, which must not exist; the file `written`, if it is given and on the same disk, is moved there.
 * Throws system errors unchanged.
 */
export function openSink(
  path: string,
  indexPath: string,
  pageSize: number,
  memory: Uint8Array<ArrayBuffer> = new Uint8Array(MEMORY_BYTES),
  written?: string,
): ContentSink {
  const isWritten = written !== undefined && ifPossible(() => (disk.link(written, path), true)) === true;
  if (isWritten) ifPossible(() => disk.unlink(written));
  // O_APPEND: after a failed partial write is truncated, the next one must start where that one did.
  const created = isWritten ? 0 : constants.O_CREAT | constants.O_EXCL;
  const file = openPrivate(path, constants.O_RDWR | constants.O_APPEND | NO_FOLLOW | created);
  if (isWritten) disk.fchmod(file, FILE_MODE);
  return { file, pageSize, indexPath, memory, byteCount: 0, isWritten, long: undefined };
}

/** Returns a buffer for the next bytes, at least 64 KiB. */
export function windowOf({ memory, byteCount, long }: ContentSink): Uint8Array {
  return long === undefined ? windowIn(memory, byteCount) : long.scan.window();
}

/** Writes and counts the first `byteLength` bytes of `window`, or none if it throws a system error. */
export function feedSink(sink: ContentSink, window: Uint8Array, byteLength: number): void {
  if (!sink.isWritten) {
    // Undo a partial write: otherwise the caller could not tell which of these bytes it still has to deliver.
    const undo = () => truncateTo(sink.file, sink.byteCount);
    orUndo(() => writeWhole(sink.file, window, byteLength), undo);
  }
  sink.byteCount += byteLength;
  if (sink.long !== undefined) return sink.long.scan.accept(byteLength);
  const { pageSize, byteCount } = sink;
  if (byteCount <= BLOCK_BYTES) return;
  // From now on it is scanned as it comes.
  const index = startIndex(sink.indexPath);
  // Memory that has grown is left for one of the scan's own.
  const memory = sink.memory.length === MEMORY_BYTES ? sink.memory : undefined;
  const scan = startScan({ pageSize, onEntry: index.add, memory });
  sink.long = { scan, index };
  if (memory !== undefined) scan.accept(byteCount);
  else copyThrough(bytesIn(sink.memory, byteCount), scan);
}

/** Passes `bytes` on, a window at a time: each is accepted wholly or, if it throws, not at all. */
export function copyThrough(
  bytes: Uint8Array,
  to: { window(): Uint8Array; accept(byteLength: number): void },
): void {
  for (let at = 0; at < bytes.length;) {
    const window = to.window();
    const length = Math.min(window.length, bytes.length - at);
    window.set(bytes.subarray(at, at + length));
    to.accept(length);
    at += length;
  }
}

/** Returns the totals; `durable` syncs content and index. Does not close the file. */
export function endSink(sink: ContentSink, durable: boolean): ScanTotals {
  const { long, memory, byteCount, pageSize } = sink;
  const totals = long === undefined ? totalsOfBlock(bytesIn(memory, byteCount), pageSize) : long.scan.end();
  if (durable) disk.fsync(sink.file);
  long?.index.end(durable);
  return totals;
}
