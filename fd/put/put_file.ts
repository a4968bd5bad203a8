/** Stores a user's file as an fd, as a write does for the backup of a file it replaces. */

import { closeReader } from "../disk/close_reader.ts";
import { openRegular } from "../disk/open_regular.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { PutEnd } from "../records/seal_line.ts";
import { giveUpPut } from "./give_up_put.ts";
import type { Store } from "../store/open_store.ts";
import { deferPut, type Put } from "./put.ts";
import type { PutOptions } from "./put_options.ts";
import { readSome } from "../disk/read_some.ts";

/**
 * Stores the content of the regular file at `path` as a new fd. Failures show the path as `shown`; `end` describes
 * how the command that wrote it ended.
 *
 * @throws {FdError} `file_not_found`, `not_regular`, `permission_error`, `read_error` for the file; for the store,
 * like `beginPut`.
 */
export function putFile(
  store: Store,
  path: string,
  options: PutOptions,
  shown = path,
  end?: PutEnd,
): FdEntry {
  const file = openRegular(path, shown);
  try {
    const put = deferPut(store, options);
    try {
      putRest(put, file, shown);
      return put.seal(end);
    } catch (thrown) {
      giveUpPut(put);
      throw thrown;
    }
  } finally {
    closeReader(file);
  }
}

/** Passes the rest of an open `file` on to `put`. Failures show its path as `shown`. */
export function putRest(put: Put, file: number, shown: string): void {
  for (;;) {
    const window = put.window();
    const length = readSome(file, window, window.length, shown);
    if (length === 0) return;
    put.accept(length);
  }
}
