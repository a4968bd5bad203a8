/**
 * The directory of a forked command's store while the command runs. It is inside the store it was forked from, so
 * that files can be shared. Its owners are the process that created it and the command; once neither is running (the
 * first was killed and could not clean up) it can be deleted.
 */

import { appendCheckedLine, checkedLines, encodeCheckedLine, readCheckedLog } from "../store/checked_log.ts";
import { disk } from "../disk/disk.ts";
import { attempt, ifPossible } from "../disk/errors.ts";
import { namesIn, randomName, statIfPossible } from "../disk/file_calls.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { makePrivateDirectory, writePrivate } from "../disk/private_files.ts";
import { forkOwnersPath, forkPath, forksPath } from "../store/further_paths.ts";
import { identityOf, thisWriter, writerFate, type WriterIdentity } from "../store/writer_identity.ts";

/** Creates an empty directory for a forked store, owned by this process. Returns its path. */
export function makeForkHome(store: Store): string {
  const name = `${process.pid}-${randomName()}`;
  const path = forkPath(store.path, name);
  return attempt("write", "create the child's store", path, () => {
    makeStore(store);
    makePrivateDirectory(forksPath(store.path));
    makePrivateDirectory(path);
    writePrivate(forkOwnersPath(path), encodeCheckedLine(ownership(thisWriter())));
    return path;
  });
}

/** Records that process `pid` also uses the forked store at `path`. */
export function addForkOwner(path: string, pid: number): void {
  appendCheckedLine(forkOwnersPath(path), ownership(identityOf(pid)), false);
}

/** A line of the log of owners. */
function ownership(writer: WriterIdentity) {
  return { event: "owner", writer };
}

/** Deletes a forked store. Files shared with other stores remain in them. */
export function dropForkHome(path: string): void {
  const remove = () => disk.removeTree(path, { recursive: true, force: true });
  attempt("write", "remove the forked store", path, remove);
}

/** How long a fork whose owners cannot be checked (another machine or container) is preserved. */
const UNKNOWN_OWNER_MS = 24 * 60 * 60 * 1000;

/** Deletes the forked stores whose owners are gone. Returns how many. */
export function dropDeadForks(store: Store, nowMs: number): number {
  return namesIn(forksPath(store.path))
    .map((name) => forkPath(store.path, name))
    // Another process may be deleting the same fork; the rest is retried next time.
    .filter((path) => isDead(path, nowMs) && ifPossible(() => (dropForkHome(path), true)))
    .length;
}

function isDead(path: string, nowMs: number): boolean {
  const owners = ownersOf(path);
  if (owners === undefined) return false;
  const fates = owners.map(writerFate);
  if (fates.includes("alive")) return false;
  if (owners.length > 0 && !fates.includes("unknown")) return true;
  return nowMs - (statIfPossible(path)?.mtimeMs ?? nowMs) > UNKNOWN_OWNER_MS;
}

/**
 * Returns the owners of a forked store, or undefined if they cannot be read now. A log that is not a regular file, or
 * has no valid lines, names no owners and does not stop cleanup.
 */
function ownersOf(path: string): WriterIdentity[] | undefined {
  const owners: WriterIdentity[] = [];
  return ifPossible(() => {
    if (disk.lstat(forkOwnersPath(path), { throwIfNoEntry: false })?.isFile() !== true) return [];
    const log = readCheckedLog(forkOwnersPath(path), path);
    for (const { value } of log === undefined ? [] : checkedLines(log)) {
      // Its sum says that fdtool wrote the line.
      const writer = (value as Partial<ReturnType<typeof ownership>> | undefined)?.writer;
      if (writer !== undefined) owners.push(writer);
    }
    return owners;
  });
}
