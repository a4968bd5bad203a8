/**
 * The end of a stream that is longer than its cap: keeps at least the last `tailBytes` bytes on disk, in two files that
 * take turns, so that neither memory nor disk grows with the stream. The files have no name once they are open: whatever
 * happens to this process, they are gone with it.
 *
 * @module
 */

import { openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import type { Store } from "../store/open_store.ts";
import { temporaryPath } from "../store/store_paths.ts";
import { takeBack, writeWhole } from "../disk/write_whole.ts";

/** A window over the end of a stream. */
export interface CappedTail {
  /** Bytes added so far. */
  readonly byteCount: number;
  /** How many of them, the last ones, are still held: `tailBytes` at least, or all. */
  readonly heldByteCount: number;
  /** Adds all of `bytes` or, if this throws the system's error, none. */
  add(bytes: Uint8Array): void;
  /** The last `byteLength` bytes added, of those that are held, in pieces. */
  last(byteLength: number): Iterable<Uint8Array>;
  close(): void;
}

/** Turning small tails over more often than this would only cost calls. */
const LEAST_TURN_BYTES = 2 ** 20;
const PIECE_BYTES = 65_536;

interface Part {
  file: number;
  byteCount: number;
}

/** Starts to keep the last `tailBytes` bytes of what will be added. */
export function startTail(store: Store, tailBytes: number): CappedTail {
  const turnBytes = Math.max(tailBytes, LEAST_TURN_BYTES);
  let older: Part | undefined;
  let newer = openPart(store);
  let byteCount = 0;

  return {
    get byteCount() {
      return byteCount;
    },
    get heldByteCount() {
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
        takeBack(newer.file, newer.byteCount);
        throw thrown;
      }
      newer.byteCount += bytes.length;
      byteCount += bytes.length;
    },
    *last(byteLength) {
      const fromOlder = Math.max(0, byteLength - newer.byteCount);
      if (older !== undefined && fromOlder > 0) yield* readPart(older, older.byteCount - fromOlder);
      yield* readPart(newer, Math.max(0, newer.byteCount - byteLength));
    },
    close() {
      if (older !== undefined) closeReader(older.file);
      closeReader(newer.file);
    },
  };
}

function* readPart(part: Part, fromByte: number): Iterable<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES);
  for (let at = fromByte; at < part.byteCount;) {
    const got = disk.read(part.file, piece, 0, Math.min(PIECE_BYTES, part.byteCount - at), at);
    if (got === 0) throw Object.assign(new Error("the kept tail is shorter than it was"), { code: "EIO" });
    yield piece.subarray(0, got);
    at += got;
  }
}

function openPart(store: Store): Part {
  const path = temporaryPath(store.path, "tail");
  // Appends: after a write that failed half-way, the next one must stand where that one began.
  const file = openPrivate(
    path,
    constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND,
  );
  disk.unlink(path);
  return { file, byteCount: 0 };
}
