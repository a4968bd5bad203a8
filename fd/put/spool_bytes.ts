/**
 * Buffers bytes that are needed again shortly: a few in memory, more in an unlinked file of the store, so that memory
 * use does not grow and nothing is left behind if this process dies.
 */

import { withRoom } from "../bytes/utf8_bytes.ts";
import { constants } from "node:fs";
import { closeReader, writeWhole } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { rangeOf } from "./capped_tail.ts";
import { attempt, fail, failureOfSystem, orUndo } from "../disk/errors.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { openPrivate } from "../disk/private_files.ts";
import { temporaryPath } from "../store/store_paths.ts";

/** Buffered bytes, readable in any part. Must be closed. */
export type Spool = ReturnType<typeof startSpool>;

const MAX_BUFFERED_BYTES = 2 ** 20;
const PIECE_BYTES = 65_536;

/** Starts an empty spool. Calls `openStore` only once the bytes are too many for memory. */
export function startSpool(openStore: () => Store) {
  let buffered: Uint8Array = new Uint8Array(PIECE_BYTES);
  let file: number | undefined;
  let path = "the store";
  let byteCount = 0;

  const openFile = (): number => {
    const store = openStore();
    makeStore(store);
    path = temporaryPath(store.path, "spool");
    const opened = openPrivate(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL);
    orUndo(() => {
      disk.unlink(path);
      writeWhole(opened, buffered, byteCount);
    }, () => closeReader(opened));
    return opened;
  };

  return {
    get byteCount() {
      return byteCount;
    },
    /**
     * @throws {FdError} `storage_full`, `write_error`, `permission_error`: then nothing further can be added either.
     */
    add(bytes: Uint8Array): void {
      if (file === undefined && byteCount + bytes.length <= MAX_BUFFERED_BYTES) {
        buffered = withRoom(buffered, byteCount, byteCount + bytes.length);
        buffered.set(bytes, byteCount);
      } else {
        attempt("write", "buffer the input", path, () => {
          file ??= openFile();
          writeWhole(file, bytes);
        });
      }
      byteCount += bytes.length;
    },
    /** Yields bytes `[fromByte, toByte)` in pieces; each is valid until the next one is requested. */
    *read(fromByte: number, toByte: number): Iterable<Uint8Array> {
      if (file === undefined) {
        yield buffered.subarray(fromByte, toByte);
        return;
      }
      try {
        yield* rangeOf(file, fromByte, toByte);
      } catch (thrown) {
        fail(failureOfSystem(thrown, "read", "read back the input", path));
      }
    },
    close() {
      if (file !== undefined) closeReader(file);
    },
  };
}
