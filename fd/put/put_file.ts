/**
 * A file on the user's disk as an fd: how a write keeps what it is about to replace.
 *
 * @module
 */

import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem } from "../disk/errors.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "./give_up_put.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut, type PutOptions } from "./put_bytes.ts";
import { readSome } from "../disk/read_some.ts";

/**
 * Stores the content of the file at `path` as a new fd.
 *
 * @throws {FdError} `file_not_found`, `permission_error`, `read_error` for the file; what `beginPut` throws for the store.
 */
export function putFile(store: Store, path: string, options: PutOptions): FdEntry {
  let file;
  try {
    file = disk.open(path, constants.O_RDONLY);
  } catch (thrown) {
    const failure = failureOfSystem(thrown, "read", "open", path);
    return fail(
      failure.kind === "read_error" && failure.code === "ENOENT"
        ? { kind: "file_not_found", path, action: "read" }
        : failure,
    );
  }
  try {
    const put = beginPut(store, options);
    try {
      for (;;) {
        const window = put.window();
        const length = readSome(file, window, window.length, path);
        if (length === 0) break;
        put.accept(length);
      }
      return put.seal();
    } catch (thrown) {
      giveUpPut(put);
      throw thrown;
    }
  } finally {
    closeReader(file);
  }
}
