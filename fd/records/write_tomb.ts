/**
 * Writes the tombstone of an fd. If its content is in the record, a log with the tombstone takes the place of both
 * (FORMAT.md, "One file for a small fd"), so that the content goes and the id stays claimed.
 */

import { constants } from "node:fs";
import { appendLine, readLog } from "./record_log.ts";
import { disk } from "../disk/disk.ts";
import { attempt, failureOfSystem } from "../disk/errors.ts";
import { NO_FOLLOW, replacePrivate } from "../disk/private_files.ts";
import { inWritten, syncDirectory, truncateTo, writeWhole } from "../disk/file_calls.ts";
import { encodeCheckedLine } from "../store/checked_log.ts";
import type { Store } from "../store/open_store.ts";
import { recordPath, shardPath, temporaryPath } from "../store/store_paths.ts";
import { joinBytes } from "../bytes/utf8_bytes.ts";
import type { ObjectRecord } from "./object_record.ts";
import type { TombLine } from "./record_line.ts";
import { noteRemoved } from "./shard_listing.ts";

/**
 * Writes the tombstone of `id`, whose record has `log`; synced if `durable`.
 *
 * @throws {FdError} `store_corrupt`, `storage_full`, `write_error`, `permission_error`: the fd is not removed.
 */
export function writeTomb(
  store: Store,
  id: number,
  tomb: TombLine,
  durable: boolean,
  log = readLog(store, id),
): void {
  const object = log?.object;
  if (object === undefined) return appendLine(store, id, tomb, durable);
  noteRemoved(store, id);
  const text = logWith(object, tomb);
  const path = recordPath(store.path, id);
  attempt("write", "replace the record", path, () => {
    if (!replaced(store, path, text, durable)) overwrite(path, text, durable);
    else if (durable) syncDirectory(shardPath(store.path, id));
  });
}

/** Returns the log of an object, with `tomb`. */
function logWith({ record, appended }: ObjectRecord, tomb: TombLine): Uint8Array {
  // A record that was cut off may end in a part of a line.
  const parts = [record, appended].flatMap((part) =>
    part.length === 0 || part[part.length - 1] === 0x0a ? [part] : [part, Uint8Array.of(0x0a)]
  );
  return joinBytes([...parts, encodeCheckedLine(tomb)]);
}

/** Renames a new file with `log` over the record. Returns false if there is no space for it. */
function replaced(store: Store, path: string, log: Uint8Array, durable: boolean): boolean {
  try {
    replacePrivate(temporaryPath(store.path, "record"), path, log, durable);
    return true;
  } catch (thrown) {
    if (failureOfSystem(thrown, "write", "replace the record", path).kind !== "storage_full") throw thrown;
    return false;
  }
}

/**
 * Writes `log` over the start of an object and cuts off the rest, which takes no space. Killed between the two steps, it
 * leaves a tombstone, which counts whatever follows it.
 */
function overwrite(path: string, log: Uint8Array, durable: boolean): void {
  inWritten(disk.open(path, constants.O_RDWR | NO_FOLLOW), (file) => {
    writeWhole(file, log, log.length, 0);
    truncateTo(file, log.length);
    if (durable) disk.fsync(file);
  });
}
