/**
 * Writes content up to a size limit, the cap (contract, The store). Bytes beyond it go to a tail on disk; at the end,
 * head and tail are joined. What lay between them is dropped, and its size recorded.
 */

import { type CappedTail, startTail } from "./capped_tail.ts";
import { closeReader } from "../disk/close_reader.ts";
import {
  type ContentSink,
  countWindow,
  endSink,
  feedSink,
  firstOf,
  openSink,
  windowOf,
} from "./content_sink.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { moveIfPossible } from "../disk/move_if_possible.ts";
import type { Store } from "../store/open_store.ts";
import type { SealLine } from "../records/record_line.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { contentPath, indexPath, temporaryPath } from "../store/store_paths.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { truncateTo, writeWhole } from "../disk/write_whole.ts";

/** The result of writing an fd's content. */
export interface Ending {
  totals: ScanTotals;
  gap: SealLine["gap"];
}

/** Content being written to its file. */
export interface CappedContent {
  /** Bytes accepted so far, including those dropped by the cap. */
  readonly byteCount: number;
  /** Returns a buffer for the next bytes, valid until the next call. */
  window(): Uint8Array;
  /**
   * Accepts the first `byteLength` bytes of the window. Throws system errors; `byteCount` then tells what was
   * accepted.
   */
  accept(byteLength: number, window?: Uint8Array): void;
  /** Returns all bytes accepted so far, or undefined if they are too many to be in memory. */
  inMemory(): Uint8Array | undefined;
  /** Yields the stored bytes in order, in pieces, until the content is closed. */
  stored(): Iterable<Uint8Array>;
  /**
   * Ends the content and closes its file. With `joinsTail`, joins the tail to the head; if that throws a system
   * error, the content is the first bytes, and `end` may be called again without `joinsTail`.
   */
  end(how: { durable: boolean; joinsTail: boolean }): Ending;
  close(): void;
}

/** Starts the content of fd `id`, of at most `maxBytes` bytes (0: no limit). Throws system errors. */
export function startContent(
  store: Store,
  id: number,
  { pageSize, maxBytes }: { pageSize: number; maxBytes: number },
): CappedContent {
  const path = contentPath(store.path, id);
  const sink = openSink(path, () => indexPath(store.path, id), pageSize);
  let byteCount = 0;
  /** The bytes after the first `maxBytes`. */
  let tail: CappedTail | undefined;
  let totals: ScanTotals | undefined;
  let endFailure: unknown;
  let joined: Ending | undefined;
  let isOpen = true;

  const accept = (byteLength: number, window = windowOf(sink)): void => {
    if (tail === undefined && (maxBytes === 0 || byteCount + byteLength <= maxBytes)) {
      if (byteLength === 0) return;
      try {
        writeWhole(sink.file, window, byteLength);
      } catch (thrown) {
        // Undo a partial write: otherwise the caller could not tell which of these bytes it still has to deliver.
        truncateTo(sink.file, byteCount);
        throw thrown;
      }
      byteCount += byteLength;
      countWindow(sink, byteLength);
      return;
    }
    const beyond = tail === undefined ? maxBytes - byteCount : 0;
    // Copies only the window that crosses the cap: copying every window would create garbage too fast.
    const rest = beyond > 0 ? window.slice(beyond, byteLength) : window.subarray(0, byteLength);
    if (beyond > 0) accept(beyond);
    tail ??= startTail(store, maxBytes - headBytesOf(maxBytes));
    tail.add(rest);
    byteCount += rest.length;
  };

  const closeFile = (close: (file: number) => void): void => {
    if (isOpen) close(sink.file);
    isOpen = false;
  };

  return {
    get byteCount() {
      return byteCount;
    },
    window: () => windowOf(sink),
    accept,
    inMemory: () => sink.long !== undefined || tail !== undefined ? undefined : firstOf(sink),
    *stored() {
      const fromFile = joined?.totals.byteCount ?? (tail === undefined ? byteCount : maxBytes);
      const reopened = isOpen && joined === undefined ? undefined : disk.open(path, "r");
      try {
        yield* rangeOf(reopened ?? sink.file, 0, fromFile);
      } finally {
        if (reopened !== undefined) closeReader(reopened);
      }
      if (joined === undefined && tail !== undefined) yield* tail.last(tail.storedByteCount);
    },
    end({ durable, joinsTail }) {
      // The scan can end only once, so a second call reports the first error.
      if (endFailure !== undefined) throw endFailure;
      try {
        totals ??= endSink(sink, durable);
        // The store was deleted during a long output: the content has no name left to read it by.
        if (sink.long !== undefined && disk.fstat(sink.file).nlink === 0) {
          throw Object.assign(new Error("the content was removed"), { code: "ENOENT" });
        }
      } catch (thrown) {
        endFailure = thrown;
        throw thrown;
      }
      // A tail without bytes: storing its first ones failed.
      const usedTail = tail === undefined || tail.byteCount === 0 ? undefined : tail;
      if (joinsTail && isOpen && usedTail !== undefined) {
        joined ??= joinTail(store, id, sink, { maxBytes, tail: usedTail });
      }
      closeFile(disk.close);
      if (joined !== undefined || usedTail === undefined) return joined ?? { totals, gap: undefined };
      return { totals, gap: { at_byte: maxBytes, dropped_bytes: usedTail.byteCount } };
    },
    close() {
      closeFile(closeReader);
      tail?.close();
    },
  };
}

/** Size of the head of capped content; the rest is its tail. */
export function headBytesOf(maxBytes: number): number {
  return Math.ceil(maxBytes / 2);
}

/**
 * Joins head and tail in a new file that then replaces the old one, so that at every moment the content is either the
 * first `maxBytes` bytes or head and tail, complete. On failure (such as a full disk) throws the system's error
 * unchanged, or an FdError, and the first `maxBytes` bytes stay.
 */
function joinTail(
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
    whole = openSink(newContent, () => newIndex, stored.pageSize);
    for (const piece of rangeOf(stored.file, 0, headBytes)) feedSink(whole, piece);
    for (const piece of rangeOf(stored.file, maxBytes - fromStored, maxBytes)) feedSink(whole, piece);
    for (const piece of tail.last(fromTail)) feedSink(whole, piece);
    const totals = endSink(whole, true);
    // Between these steps the index may be missing, but never wrong; it is rebuilt if it does not match.
    unlinkIfExists(indexPath(store.path, id));
    disk.rename(newContent, contentPath(store.path, id));
    moveIfPossible(newIndex, indexPath(store.path, id));
    return { totals, gap: { at_byte: headBytes, dropped_bytes: tail.byteCount } };
  } catch (thrown) {
    dropTemporary(newIndex);
    dropTemporary(newContent);
    throw thrown;
  } finally {
    if (whole !== undefined) closeReader(whole.file);
  }
}

/** Deletes a temporary file. Ignores failures: gc deletes leftovers. */
function dropTemporary(path: string): void {
  try {
    unlinkIfExists(path);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
}

function* rangeOf(file: number, fromByte: number, toByte: number): Iterable<Uint8Array> {
  const piece = new Uint8Array(65_536);
  for (let at = fromByte; at < toByte;) {
    const got = disk.read(file, piece, 0, Math.min(piece.length, toByte - at), at);
    if (got === 0) throw Object.assign(new Error("content is shorter than it was"), { code: "EIO" });
    yield piece.subarray(0, got);
    at += got;
  }
}
