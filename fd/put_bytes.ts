/**
 * Into the store: bytes → content file, scan and index → a sealed fd. Content is written once, as it arrives; nothing is
 * gathered in memory. Until the seal line stands in its record the fd is `live`; if this process dies first it is
 * `incomplete`, and what arrived stays readable.
 *
 * @module
 */

import { openPrivate } from "./private_files.ts";
import { constants } from "node:fs";
import { writeLine } from "./append_record.ts";
import { BLOCK_BYTES } from "./block_sum.ts";
import { totalsOfBlock } from "./block_totals.ts";
import { type CappedTail, startTail } from "./capped_tail.ts";
import { claimId } from "./claim_id.ts";
import { closeReader } from "./close_reader.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, FdError, type SliceMode, systemCode } from "./errors.ts";
import { describeFd, type FdEntry } from "./fd_entry.ts";
import { checkName } from "./fd_id.ts";
import { giveUpPut } from "./give_up_put.ts";
import { type IndexWriter, startIndex } from "./index_file.ts";
import { bindName } from "./bind_name.ts";
import { NO_FOLLOW, type Store } from "./open_store.ts";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MIN_PAGE_SIZE } from "./page_rule.ts";
import type { ClaimLine, SealLine } from "./record_schema.ts";
import { type ScanTotals, startScan, type TextScan } from "./scan_text.ts";
import { WINDOW_BYTES } from "./stride_memory.ts";
import { unlinkIfThere } from "./unlink_if_there.ts";
import { moveIfThere } from "./move_if_there.ts";
import { type PutEnd, sealLine } from "./seal_line.ts";
import { contentPath, indexPath, shardPath, temporaryPath } from "./store_paths.ts";
import { syncDirectory } from "./sync_directory.ts";
import { writeWhole } from "./write_whole.ts";
import { thisWriter } from "./writer_identity.ts";

/** Where an extracted fd came from: a slice of `id`, in the slice's own units. */
export interface FdParent {
  /** The fd it was taken from. */
  id: number;
  /** The unit of `start` and `count`. */
  mode: SliceMode;
  /** The first unit. */
  start: number;
  /** How many units. */
  count: number;
}

/** What is known of an fd before its first byte. */
export interface PutOptions {
  /** What the bytes are: `stdin`, `run`, `backup` … */
  source: string;
  /** Chars a page, 1 to 16777216; 4000 unless given. */
  pageSize?: number | undefined;
  /** The command whose output it is, word by word. */
  command?: string[] | undefined;
  /** Where that command runs. */
  cwd?: string | undefined;
  /** Names to bind once the fd is whole. */
  names?: string[] | undefined;
  /** The most bytes to keep, instead of the store's own limit; 0 for no cap. */
  maxBytes?: number | undefined;
  /** What it is extracted from. */
  parent?: FdParent | undefined;
  /** Whether content and record must be on the disk, and not only on their way, when `seal` returns. */
  durable?: boolean | undefined;
}

/** An fd that is being written. */
export interface Put {
  /** N of `fd:N`. Others see the fd from now on, as live. */
  readonly id: number;
  /** Where its content goes. */
  readonly contentPath: string;
  /** Bytes taken so far. */
  readonly byteCount: number;
  /** Room for the next bytes, at least 64 KiB, in the put's own memory. Valid until the next call. */
  window(): Uint8Array;
  /**
   * Takes the first `byteLength` bytes of the window: all of them, or, if this throws, none.
   * @throws {FdError} `storage_full`, `write_error`. What was taken before stays, and `seal` may still be called.
   */
  accept(byteLength: number): void;
  /** Takes bytes from elsewhere. */
  write(bytes: Uint8Array): void;
  /** All bytes taken so far, where they are few enough to be in memory still. Valid for good once it is sealed. */
  inMemory(): Uint8Array | undefined;
  /** Ends the fd. After this, its content never changes. */
  seal(end?: PutEnd): FdEntry;
}

/** Where content goes: into its file, and by what counts it. */
interface Sink {
  file: number;
  pageSize: number;
  indexAt(): string;
  /** Of content that is no longer than a block: its first `firstByteCount` bytes are all of it. */
  first: Uint8Array;
  firstByteCount: number;
  /** What longer content goes by. */
  long: { scan: TextScan; index: IndexWriter } | undefined;
}

/**
 * Starts a new fd.
 *
 * @throws {FdError} `invalid_parameter` for a page size or name out of range; `permission_error`, `storage_full` or
 * `write_error` where the store cannot be written.
 */
export function beginPut(store: Store, options: PutOptions): Put {
  const pageSize = checkPageSize(options.pageSize ?? DEFAULT_PAGE_SIZE);
  const names = options.names ?? [];
  for (const name of names) checkName(name);
  const maxBytes = options.maxBytes ?? store.limits.maxBytes;
  const headBytes = Math.ceil(maxBytes / 2);
  const tailBytes = maxBytes - headBytes;
  const writer = thisWriter();
  const { id, recordFile } = claimId(store);
  const path = contentPath(store.path, id);
  const claim: ClaimLine = {
    event: "claim",
    at: Date.now(),
    source: options.source,
    page_size: pageSize,
    command: options.command,
    cwd: options.cwd,
    parent: options.parent,
    writer,
  };
  let sink: Sink;
  try {
    writeLine(recordFile, claim);
    sink = openSink(path, () => indexPath(store.path, id), pageSize);
  } catch (thrown) {
    closeReader(recordFile);
    // Content without a record: the id was somebody's, whose record is lost. It is not given again.
    if (systemCode(thrown) === "EEXIST") return beginPut(store, options);
    return fail(failureOfSystem(thrown, "write", "create the content", path));
  }

  let byteCount = 0;
  /** Beyond the cap: what came after the first `maxBytes` bytes. */
  let tail: CappedTail | undefined;

  const accept = (byteLength: number, window = windowOf(sink)): void => {
    if (tail === undefined && (maxBytes === 0 || byteCount + byteLength <= maxBytes)) {
      if (byteLength === 0) return;
      try {
        writeWhole(sink.file, window, byteLength);
      } catch (thrown) {
        // None of these bytes: a part of them would leave the caller guessing which ones it still has to deliver.
        cutTo(sink.file, byteCount);
        fail(failureOfSystem(thrown, "write", "store", path));
      }
      byteCount += byteLength;
      count(sink, byteLength);
      return;
    }
    const beyond = tail === undefined ? maxBytes - byteCount : 0;
    const rest = window.slice(beyond, byteLength);
    if (beyond > 0) accept(beyond);
    try {
      tail ??= startTail(store, tailBytes);
      tail.add(rest);
    } catch (thrown) {
      fail(failureOfSystem(thrown, "write", "store", path));
    }
    byteCount += rest.length;
  };

  return {
    id,
    contentPath: path,
    get byteCount() {
      return byteCount;
    },
    window: () => windowOf(sink),
    accept: (byteLength) => accept(byteLength),
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const window = windowOf(sink);
        const length = Math.min(window.length, bytes.length - at);
        window.set(bytes.subarray(at, at + length));
        accept(length, window);
        at += length;
      }
    },
    inMemory: () => sink.long !== undefined || tail !== undefined ? undefined : firstOf(sink),
    seal(end = {}) {
      const durable = options.durable ?? false;
      let ended: Ending & { end: PutEnd };
      try {
        ended = { end, ...endOf(sink, durable) };
        if (tail !== undefined) {
          const kept = { headBytes, tailBytes, maxBytes, tail };
          const joined = joinTail(store, id, sink.file, pageSize, kept);
          ended = joined !== undefined ? { end, ...joined } : {
            // No room to put the tail beside the head: what was stored before the cap stands, and says what is missing.
            ...ended,
            end: { ...end, incomplete: true },
            gap: { at_byte: maxBytes, dropped_bytes: tail.byteCount },
          };
        }
        disk.close(sink.file);
      } catch (thrown) {
        closeReader(sink.file);
        closeReader(recordFile);
        return fail(failureOfSystem(thrown, "write", "seal", path));
      } finally {
        tail?.close();
      }
      const seal = sealLine(ended.totals, ended.end, ended.gap);
      sealRecord(store, id, recordFile, seal, durable);
      for (const name of names) bindName(store, name, id);
      return describeFd(store, id, { claim, digest: undefined }, seal, path);
    },
  };
}

/** Takes back what a write that failed had written. Where the disk refuses even that, the record's counts leave it out. */
function cutTo(file: number, byteLength: number): void {
  try {
    disk.ftruncate(file, byteLength);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/** How the content of an fd ended up. */
interface Ending {
  totals: ScanTotals;
  gap: SealLine["gap"];
}

function endOf(sink: Sink, durable: boolean): Ending {
  const { long } = sink;
  const totals = long === undefined ? totalsOfBlock(firstOf(sink), sink.pageSize) : long.scan.end();
  if (durable) disk.fsync(sink.file);
  // Content of one block needs no index.
  long?.index.end(durable);
  return { totals, gap: undefined };
}

function checkPageSize(pageSize: number): number {
  if (Number.isInteger(pageSize) && pageSize >= MIN_PAGE_SIZE && pageSize <= MAX_PAGE_SIZE) return pageSize;
  return fail({
    kind: "invalid_parameter",
    field: "page_size",
    got: String(pageSize),
    wanted: `a whole number of chars from ${MIN_PAGE_SIZE} to ${MAX_PAGE_SIZE}`,
  });
}

function openSink(path: string, indexAt: () => string, pageSize: number): Sink {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  const file = openPrivate(path, flags);
  const first = new Uint8Array(BLOCK_BYTES + WINDOW_BYTES);
  return { file, pageSize, indexAt, first, firstByteCount: 0, long: undefined };
}

/** Where the next bytes are to be put, {@link WINDOW_BYTES} at least. */
function windowOf({ first, firstByteCount, long }: Sink): Uint8Array {
  return long === undefined ? first.subarray(firstByteCount) : long.scan.window();
}

function firstOf({ first, firstByteCount }: Sink): Uint8Array {
  return first.subarray(0, firstByteCount);
}

/** Takes the first `byteLength` bytes of the window, which are in the file. */
function count(sink: Sink, byteLength: number): void {
  if (sink.long !== undefined) sink.long.scan.accept(byteLength);
  else {
    sink.firstByteCount += byteLength;
    if (sink.firstByteCount > BLOCK_BYTES) countAsLong(sink);
  }
}

/** Content turned out to be longer than a block: what came goes by the scan, and so will what comes. */
function countAsLong(sink: Sink): void {
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

function sealRecord(store: Store, id: number, recordFile: number, line: SealLine, durable: boolean): void {
  try {
    writeLine(recordFile, line);
    if (durable) {
      disk.fsync(recordFile);
      syncDirectory(shardPath(store.path, id));
    }
    disk.close(recordFile);
  } catch (thrown) {
    closeReader(recordFile);
    fail(failureOfSystem(thrown, "write", "seal", contentPath(store.path, id)));
  }
}

/** What is kept of content beyond its cap. */
interface Cut {
  headBytes: number;
  tailBytes: number;
  maxBytes: number;
  tail: CappedTail;
}

/**
 * Puts head and tail next to each other. They are written to a new file that then takes the old one's place: at every
 * moment the content is either the first `maxBytes` bytes or the whole of head and tail. Undefined where there is no
 * room for that, and the first `maxBytes` bytes stay.
 */
function joinTail(store: Store, id: number, stored: number, pageSize: number, cut: Cut): Ending | undefined {
  const newContent = temporaryPath(store.path, "content");
  const newIndex = temporaryPath(store.path, "index");
  // The tail may reach back into what was stored before the cap was met.
  const fromTail = Math.min(cut.tailBytes, cut.tail.byteCount);
  const fromStored = cut.tailBytes - fromTail;
  let whole: Sink | undefined;
  try {
    whole = openSink(newContent, () => newIndex, pageSize);
    copyRange(stored, whole, 0, cut.headBytes);
    copyRange(stored, whole, cut.maxBytes - fromStored, cut.maxBytes);
    for (const piece of cut.tail.last(fromTail)) feed(whole, piece);
    const { totals } = endOf(whole, true);
    // An index that does not fit its content is rebuilt, so between these steps it may be missing but never be wrong.
    unlinkIfThere(indexPath(store.path, id));
    disk.rename(newContent, contentPath(store.path, id));
    return { totals, gap: { at_byte: cut.headBytes, dropped_bytes: cut.tail.byteCount } };
  } catch (thrown) {
    if (systemCode(thrown) === undefined && !(thrown instanceof FdError)) throw thrown;
    return undefined;
  } finally {
    if (whole !== undefined) closeReader(whole.file);
    moveIfThere(newIndex, indexPath(store.path, id));
    unlinkIfThere(newContent);
  }
}

function copyRange(from: number, to: Sink, fromByte: number, toByte: number): void {
  const piece = new Uint8Array(65_536);
  for (let at = fromByte; at < toByte;) {
    const got = disk.read(from, piece, 0, Math.min(piece.length, toByte - at), at);
    if (got === 0) throw Object.assign(new Error("content is shorter than it was"), { code: "EIO" });
    feed(to, piece.subarray(0, got));
    at += got;
  }
}

function feed(sink: Sink, bytes: Uint8Array): void {
  windowOf(sink).set(bytes);
  writeWhole(sink.file, bytes);
  count(sink, bytes.length);
}

/** Stores `bytes` as a new fd. */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions): FdEntry {
  const put = beginPut(store, options);
  try {
    put.write(bytes);
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
  return put.seal();
}
