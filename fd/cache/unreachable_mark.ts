/**
 * Remembers for a while that the shared store could not be reached, so that not every capture waits for it.
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { FdError, systemCode } from "../disk/errors.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import type { Store } from "../store/open_store.ts";
import { cachePath, unreachablePath } from "../store/store_paths.ts";
import { unlinkIfExists } from "../disk/file_calls.ts";

/** How long captures share nothing by themselves after one could not. */
const HOLDS_MS = 15_000;

/** Returns the failure for requests that are not sent because the store was unreachable a moment ago. */
export function unreachable(action: string): FdError {
  const reason = "it could not be reached a moment ago";
  return new FdError({ kind: "store_unreachable", store: "the shared store", action, reason });
}

export function noteUnreachable(store: Store): void {
  try {
    makePrivateDirectories(cachePath(store.path));
    const path = unreachablePath(store.path);
    disk.close(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW));
    const now = Date.now() / 1000;
    disk.utimes(path, now, now);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

export function noteReachable(store: Store): void {
  unlinkIfExists(unreachablePath(store.path));
}

export function wasUnreachable(store: Store): boolean {
  try {
    const atMs = disk.lstat(unreachablePath(store.path), { throwIfNoEntry: false })?.mtimeMs;
    return atMs !== undefined && Math.abs(Date.now() - atMs) < HOLDS_MS;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}
