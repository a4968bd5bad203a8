/**
 * Bytes that are needed again a moment later: a few are held in memory, more go to a file of the store that has no name
 * once it is open, so that memory does not grow with them and nothing is left behind, whatever happens to this process.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError } from "../disk/errors.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { openPrivate } from "../disk/private_files.ts";
import { temporaryPath } from "../store/store_paths.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** What was added, readable in any part. Close it. */
export interface Spool {
  readonly byteCount: number;
  /** @throws {FdError} `storage_full`, `write_error`, `permission_error`: then what follows cannot be added either. */
  add(bytes: Uint8Array): void;
  /** Bytes `[fromByte, toByte)` in pieces; each piece is valid until the next one is asked for. */
  read(fromByte: number, toByte: number): Iterable<Uint8Array>;
  close(): void;
}

const HELD_BYTES = 2 ** 20;
const PIECE_BYTES = 65_536;

/** Starts an empty spool. `openStore` is asked for the store only when there is too much to hold. */
export function startSpool(openStore: () => Store): Spool {
  let held: Uint8Array = new Uint8Array(PIECE_BYTES);
  let file: number | undefined;
  let path = "the store";
  let byteCount = 0;

  const openFile = (): number => {
    const store = openStore();
    makeStore(store);
    path = temporaryPath(store.path, "spool");
    const opened = openPrivate(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
    try {
      disk.unlink(path);
      writeWhole(opened, held, byteCount);
    } catch (thrown) {
      closeReader(opened);
      throw thrown;
    }
    return opened;
  };

  return {
    get byteCount() {
      return byteCount;
    },
    add(bytes) {
      if (file === undefined && byteCount + bytes.length <= HELD_BYTES) {
        if (byteCount + bytes.length > held.length) {
          const larger = new Uint8Array(Math.max(held.length * 2, byteCount + bytes.length));
          larger.set(held.subarray(0, byteCount));
          held = larger;
        }
        held.set(bytes, byteCount);
      } else {
        try {
          file ??= openFile();
          writeWhole(file, bytes);
        } catch (thrown) {
          if (thrown instanceof FdError) throw thrown;
          fail(failureOfSystem(thrown, "write", "hold the input", path));
        }
      }
      byteCount += bytes.length;
    },
    *read(fromByte, toByte) {
      if (file === undefined) {
        yield held.subarray(fromByte, toByte);
        return;
      }
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      for (let at = fromByte; at < toByte;) {
        const got = readPiece(file, piece, at, toByte, path);
        yield piece.subarray(0, got);
        at += got;
      }
    },
    close() {
      if (file !== undefined) closeReader(file);
    },
  };
}

function readPiece(file: number, piece: Uint8Array, at: number, toByte: number, path: string): number {
  try {
    const got = disk.read(file, piece, 0, Math.min(piece.length, toByte - at), at);
    if (got === 0) {
      throw Object.assign(new Error("the file is shorter than what was written"), { code: "EIO" });
    }
    return got;
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "read back the input", path));
  }
}
