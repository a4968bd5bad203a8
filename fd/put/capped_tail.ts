/**
 * Stores at least the last `tailBytes` bytes of a stream in two files that alternate, so that neither memory nor disk
 * use grows with the stream. The files are unlinked once open, so they disappear with this process.
 */

import { openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import type { Store } from "../store/open_store.ts";
import { temporaryPath } from "../store/store_paths.ts";
import { truncateTo, writeWhole } from "../disk/write_whole.ts";

/** The end of a stream. */
export interface CappedTail {
  /** Bytes added so far. */
  readonly byteCount: number;
  /** How many of the last bytes are stored: at least `tailBytes`, or all. */
  readonly storedByteCount: number;
  /** Adds all of `bytes`, or none if it throws a system error. */
  add(bytes: Uint8Array): void;
  /** Yields the last `byteLength` bytes, which must be stored, in pieces. */
  last(byteLength: number): Iterable<Uint8Array>;
  close(): void;
}

/** Alternating small tails more often would only cost calls. */
const MIN_TURN_BYTES = 2 ** 20;
const PIECE_BYTES = 65_536;

interface Part {
  file: number;
  byteCount: number;
}

export function startTail(store: Store, tailBytes: number): CappedTail {
  const turnBytes = Math.max(tailBytes, MIN_TURN_BYTES);
  let older: Part | undefined;
  let newer = openPart(store);
  let byteCount = 0;

  return {
    get byteCount() {
      return byteCount;
    },
    get storedByteCount() {
      return (older?.byteCount ?? 0) + newer.byteCount;
    },
    add(bytes) {
      if (newer.byteCount >= turnBytes) {
        const next = openPart(store);
        if (older !== undefined) closeReader(older.file);
        older = newer;
        newer = next;
      }
      try {
        writeWhole(newer.file, bytes);
      } catch (thrown) {
        truncateTo(newer.file, newer.byteCount);
        throw thrown;
      }
      newer.byteCount += bytes.length;
      byteCount += bytes.length;
    },
    *last(byteLength) {
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
