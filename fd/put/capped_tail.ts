/**
 * Keeps what exceeds the size limit of content, the cap (contract, The store): the last bytes of the stream, in two
 * files that alternate, so that neither memory nor disk use grows with the stream. At the end they are joined to the
 * head. The files are unlinked once open, so they disappear with this process.
 */

import { orUndo } from "../disk/errors.ts";
import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import {
  closeReader,
  discard,
  moveIfPossible,
  truncateTo,
  unlinkIfExists,
  writeWhole,
} from "../disk/file_calls.ts";
import { openPrivate } from "../disk/private_files.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { type ContentSink, endSink, feedSink, openSink, windowOf } from "./content_sink.ts";
import type { SealLine } from "../records/record_line.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, temporaryPath } from "../store/store_paths.ts";

/** The end of a stream. */
export type CappedTail = ReturnType<typeof startTail>;

/** Alternating small tails more often would only cost calls. */
const MIN_TURN_BYTES = 2 ** 20;
const PIECE_BYTES = 65_536;

interface Part {
  file: number;
  byteCount: number;
}

/** Starts the tail of a stream, of at least `tailBytes` bytes. */
export function startTail(store: Store, tailBytes: number) {
  const turnBytes = Math.max(tailBytes, MIN_TURN_BYTES);
  let older: Part | undefined;
  let newer = openPart(store);
  let byteCount = 0;

  return {
    /** Bytes added so far. */
    get byteCount() {
      return byteCount;
    },
    /** How many of the last bytes are stored: at least `tailBytes`, or all. */
    get storedByteCount() {
      return (older?.byteCount ?? 0) + newer.byteCount;
    },
    /** Adds all of `bytes`, or none if it throws a system error. */
    add(bytes: Uint8Array): void {
      if (newer.byteCount >= turnBytes) {
        const next = openPart(store);
        if (older !== undefined) closeReader(older.file);
        older = newer;
        newer = next;
      }
      orUndo(() => writeWhole(newer.file, bytes), () => truncateTo(newer.file, newer.byteCount));
      newer.byteCount += bytes.length;
      byteCount += bytes.length;
    },
    /** Yields the last `byteLength` bytes, which must be stored, in pieces. */
    *last(byteLength: number): Iterable<Uint8Array> {
      const fromOlder = Math.max(0, byteLength - newer.byteCount);
      if (older !== undefined && fromOlder > 0) {
        yield* rangeOf(older.file, older.byteCount - fromOlder, older.byteCount);
      }
      yield* rangeOf(newer.file, Math.max(0, newer.byteCount - byteLength), newer.byteCount);
    },
    close() {
      if (older !== undefined) closeReader(older.file);
      closeReader(newer.file);
    },
  };
}

/** Yields bytes `[fromByte, toByte)` of `file`, in pieces that are valid until the next one. */
export function* rangeOf(file: number, fromByte: number, toByte: number): Iterable<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = fromByte; at < toByte;) {
    const got = disk.read(file, piece, 0, Math.min(PIECE_BYTES, toByte - at), at);
    if (got === 0) throw Object.assign(new Error("content is shorter than it was"), { code: "EIO" });
    yield piece.subarray(0, got);
    at += got;
  }
}

function openPart(store: Store): Part {
  const path = temporaryPath(store.path, "tail");
  // O_APPEND: after a failed partial write is truncated, the next one must start where that one did.
  const file = openPrivate(
    path,
    constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
  );
  disk.unlink(path);
  return { file, byteCount: 0 };
}

/** The result of writing an fd's content. */
export interface Ending {
  totals: ScanTotals;
  gap: SealLine["gap"];
}

/** Size of the head of capped content; the rest is its tail. */
export function headBytesOf(maxBytes: number): number {
  return Math.ceil(maxBytes / 2);
}

/**
 * Joins head and tail in a new file that then replaces the old one, so that at every moment the content is either the
 * first bytes or head and tail, complete. On failure (such as a full disk) throws the system's error unchanged, or an
 * FdError, and the first bytes stay.
 */
export function joinTail(
  store: Store,
  id: number,
  stored: ContentSink,
  { maxBytes, tail }: { maxBytes: number; tail: CappedTail },
): Ending {
  const headBytes = headBytesOf(maxBytes);
  const newContent = temporaryPath(store.path, "content");
  const newIndex = temporaryPath(store.path, "index");
  // The tail may include bytes stored before the cap was reached.
  const fromTail = Math.min(maxBytes - headBytes, tail.byteCount);
  const fromStored = maxBytes - headBytes - fromTail;
  let whole: ContentSink | undefined;
  try {
    whole = openSink(newContent, newIndex, stored.pageSize);
    for (
      const pieces of [
        rangeOf(stored.file, 0, headBytes),
        rangeOf(stored.file, maxBytes - fromStored, maxBytes),
        tail.last(fromTail),
      ]
    ) {
      for (const piece of pieces) {
        const window = windowOf(whole);
        window.set(piece);
        feedSink(whole, window, piece.length);
      }
    }
    const totals = endSink(whole, true);
    // Between these steps the index may be missing, but never wrong; it is rebuilt if it does not match.
    unlinkIfExists(indexPath(store.path, id));
    disk.rename(newContent, contentPath(store.path, id));
    moveIfPossible(newIndex, indexPath(store.path, id));
    return { totals, gap: { at_byte: headBytes, dropped_bytes: tail.byteCount } };
  } catch (thrown) {
    discard(newIndex);
    discard(newContent);
    throw thrown;
  } finally {
    if (whole !== undefined) closeReader(whole.file);
  }
}
