/** Joins the head and the tail of content that exceeded its size limit, the cap (contract, The store). */

import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { FdError } from "../disk/errors.ts";
import { moveIfPossible } from "../disk/move_if_possible.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import type { SealLine } from "../records/record_line.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, temporaryPath } from "../store/store_paths.ts";
import { type CappedTail, rangeOf } from "./capped_tail.ts";
import { type ContentSink, endSink, feedSink, openSink, windowOf } from "./content_sink.ts";

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
    whole = openSink(newContent, () => newIndex, stored.pageSize);
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
