/** Marks in a cache whose modification time is all that they say. */

import { constants } from "node:fs";
import { disk } from "../../disk/disk.ts";
import { FdError, ifPossible } from "../../disk/errors.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../../disk/private_files.ts";
import { unlinkIfExists } from "../../disk/file_calls.ts";
import type { Store } from "../../store/open_store.ts";
import { cachePath, pinsDirectory, unreachablePath } from "../../store/cache_paths.ts";

/** How long captures share nothing by themselves after one could not. */
const UNREACHABLE_MS = 15_000;

/** Dates a mark, which is created if it does not exist. Its directory must exist. */
export function touch(path: string): void {
  disk.close(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW));
  const now = Date.now() / 1000;
  disk.utimes(path, now, now);
}

/** Like {@link touch}, makes the directory too. Ignores system errors: the mark is then as if it had never been made. */
function tryToTouch(directory: string, path: string): void {
  ifPossible(() => {
    makePrivateDirectories(directory);
    touch(path);
  });
}

/** Whether what is done at most every `everyMs` is due; its mark then says that it is done now. Never throws. */
export function isDue(store: Store, path: string, nowMs: number, everyMs: number): boolean {
  return ifPossible(() => {
    if (isRecent(path, nowMs, everyMs)) return false;
    makePrivateDirectories(cachePath(store.path));
    touch(path);
    return true;
  }) ?? false;
}

/** Whether a mark was dated less than `ms` ago. */
export function isRecent(path: string, nowMs: number, ms: number): boolean {
  return Math.abs(nowMs - (disk.lstat(path, { throwIfNoEntry: false })?.mtimeMs ?? -Infinity)) < ms;
}

/** Pins the files of an fd. */
export function pin(store: Store, id: number): void {
  tryToTouch(pinsDirectory(store.path), `${pinsDirectory(store.path)}/${id}`);
}

/** Remembers for a while that the shared store could not be reached, so that not every capture waits for it. */
export function noteUnreachable(store: Store): void {
  tryToTouch(cachePath(store.path), unreachablePath(store.path));
}

export function noteReachable(store: Store): void {
  unlinkIfExists(unreachablePath(store.path));
}

export function wasUnreachable(store: Store): boolean {
  return ifPossible(() => isRecent(unreachablePath(store.path), Date.now(), UNREACHABLE_MS)) === true;
}

/** Returns the failure of requests that are not sent or not answered. */
export function unreachable(action: string, reason = "it could not be reached a moment ago"): FdError {
  return new FdError({ kind: "store_unreachable", store: "the shared store", action, reason });
}
