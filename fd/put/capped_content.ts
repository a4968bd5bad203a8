/**
 * Content as it arrives, up to a cap (contract, The store). What exceeds it goes to a tail on disk, and at
 * the end head and tail are put next to each other; what was between them is dropped, and how much that was is known.
 *
 * @module
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
import { moveIfThere } from "../disk/move_if_there.ts";
import type { Store } from "../store/open_store.ts";
import type { SealLine } from "../records/record_line.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { contentPath, indexPath, temporaryPath } from "../store/store_paths.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { takeBack, writeWhole } from "../disk/write_whole.ts";

/** What the content of an fd came to. */
export interface Ending {
  totals: ScanTotals;
  gap: SealLine["gap"];
}

/** Content on its way into its file. */
export interface CappedContent {
  /** Bytes taken so far, those included that the cap dropped. */
  readonly byteCount: number;
  /** Room for the next bytes. Valid until the next call. */
  window(): Uint8Array;
  /** Takes the first `byteLength` bytes of the window. Throws the system's error; what `byteCount` says was taken. */
  accept(byteLength: number, window?: Uint8Array): void;
  /** All bytes taken so far, where they are few enough to be in memory. */
  inMemory(): Uint8Array | undefined;
  /** What is held of the bytes taken, in their order and in pieces, until it is closed. */
  held(): Iterable<Uint8Array>;
  /**
   * Ends it and closes its file. `joinsTail` says whether what is held of the end is put beside the head; where that throws
   * the system's error, the first bytes stand, and it may be ended once more, without its tail.
   */
  end(how: { durable: boolean; joinsTail: boolean }): Ending;
  /** Lets go of everything. */
  close(): void;
}

/** Starts the content of fd `id`: of at most `maxBytes` bytes, or of any length where that is 0. Throws the system's error. */
export function startContent(
  store: Store,
  id: number,
  { pageSize, maxBytes }: { pageSize: number; maxBytes: number },
): CappedContent {
  const path = contentPath(store.path, id);
  const sink = openSink(path, () => indexPath(store.path, id), pageSize);
  let byteCount = 0;
  /** Beyond the cap: what came after the first `maxBytes` bytes. */
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
        // None of these bytes: a part of them would leave the caller guessing which ones it still has to deliver.
        takeBack(sink.file, byteCount);
        throw thrown;
      }
      byteCount += byteLength;
      countWindow(sink, byteLength);
      return;
    }
    const beyond = tail === undefined ? maxBytes - byteCount : 0;
    // Only where the cap is met: a copy of each window would be garbage faster than it is collected.
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
    *held() {
      const fromFile = joined?.totals.byteCount ?? (tail === undefined ? byteCount : maxBytes);
      const reopened = isOpen && joined === undefined ? undefined : disk.open(path, "r");
      try {
        yield* rangeOf(reopened ?? sink.file, 0, fromFile);
      } finally {
        if (reopened !== undefined) closeReader(reopened);
      }
      if (joined === undefined && tail !== undefined) yield* tail.last(tail.heldByteCount);
    },
    end({ durable, joinsTail }) {
      // The scan ends once; what kept it from ending the first time is what there is to tell.
      if (endFailure !== undefined) throw endFailure;
      try {
        totals ??= endSink(sink, durable);
        // Who removes the store while a long output comes leaves no name by which this could be read again.
        if (sink.long !== undefined && disk.fstat(sink.file).nlink === 0) {
          throw Object.assign(new Error("the content was removed"), { code: "ENOENT" });
        }
      } catch (thrown) {
        endFailure = thrown;
        throw thrown;
      }
      // A tail whose first bytes could not be stored is none.
      const kept = tail === undefined || tail.byteCount === 0 ? undefined : tail;
      if (joinsTail && isOpen && kept !== undefined) {
        joined ??= joinTail(store, id, sink, { maxBytes, tail: kept });
      }
      closeFile(disk.close);
      if (joined !== undefined || kept === undefined) return joined ?? { totals, gap: undefined };
      return { totals, gap: { at_byte: maxBytes, dropped_bytes: kept.byteCount } };
    },
    close() {
      closeFile(closeReader);
      tail?.close();
    },
  };
}

/** How many bytes of capped content are its head; the others are its tail. */
function headBytesOf(maxBytes: number): number {
  return Math.ceil(maxBytes / 2);
}

/**
 * Puts head and tail next to each other. They are written to a new file that then takes the old one's place: at every
 * moment the content is either the first `maxBytes` bytes or the whole of head and tail. Where there is no room for that it
 * throws the system's error, as it came, or an FdError, and the first `maxBytes` bytes stay.
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
  // The tail may reach back into what was stored before the cap was met.
  const fromTail = Math.min(maxBytes - headBytes, tail.byteCount);
  const fromStored = maxBytes - headBytes - fromTail;
  let whole: ContentSink | undefined;
  try {
    whole = openSink(newContent, () => newIndex, stored.pageSize);
    for (const piece of rangeOf(stored.file, 0, headBytes)) feedSink(whole, piece);
    for (const piece of rangeOf(stored.file, maxBytes - fromStored, maxBytes)) feedSink(whole, piece);
    for (const piece of tail.last(fromTail)) feedSink(whole, piece);
    const totals = endSink(whole, true);
    // An index that does not fit its content is rebuilt, so between these steps it may be missing but never be wrong.
    unlinkIfThere(indexPath(store.path, id));
    disk.rename(newContent, contentPath(store.path, id));
    moveIfThere(newIndex, indexPath(store.path, id));
    return { totals, gap: { at_byte: headBytes, dropped_bytes: tail.byteCount } };
  } catch (thrown) {
    dropTemporary(newIndex);
    dropTemporary(newContent);
    throw thrown;
  } finally {
    if (whole !== undefined) closeReader(whole.file);
  }
}

/** Removes a temporary file. One that stays behind is cleaned away later: no failure is reported. */
function dropTemporary(path: string): void {
  try {
    unlinkIfThere(path);
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
