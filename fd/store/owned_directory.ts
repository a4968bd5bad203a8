/**
 * Directories of work in progress: each has a log of the processes that use it (FORMAT.md). Once none of them is running, as
 * after a kill, the directory can be deleted.
 */

import { appendCheckedLine, checkedLines, encodeCheckedLine, readCheckedLog } from "./checked_log.ts";
import { disk } from "../disk/disk.ts";
import { attempt, ifPossible } from "../disk/errors.ts";
import { namesIn, randomName, statIfPossible } from "../disk/file_calls.ts";
import { makePrivateDirectory, writePrivate } from "../disk/private_files.ts";
import { makeStore, type Store } from "./open_store.ts";
import { ownersPath } from "./further_paths.ts";
import { identityOf, thisWriter, writerFate, type WriterIdentity } from "./writer_identity.ts";

/** Makes a directory, owned by this process, for `what`. Its path, which is returned, starts with `start`. */
export function makeOwned(store: Store, start: string, what: string): string {
  const path = `${start}${process.pid}-${randomName()}`;
  return attempt("write", `create ${what}`, path, () => {
    makeStore(store);
    makePrivateDirectory(parentOf(start));
    makePrivateDirectory(path);
    writePrivate(ownersPath(path), encodeCheckedLine(ownership(thisWriter())));
    return path;
  });
}

/** Records that process `pid` also uses the directory at `path`. */
export function addOwner(path: string, pid: number): void {
  appendCheckedLine(ownersPath(path), ownership(identityOf(pid)), false);
}

/** A line of the log of owners. */
function ownership(writer: WriterIdentity) {
  return { event: "owner", writer };
}

/** Deletes such a directory, which was for `what`. */
export function dropOwned(path: string, what: string): void {
  attempt("write", `remove ${what}`, path, () => disk.removeTree(path, { recursive: true, force: true }));
}

/** How long a directory whose owners cannot be checked (another machine or container) is preserved. */
const UNKNOWN_OWNER_MS = 24 * 60 * 60 * 1000;

/** Returns the directories whose paths start with `start` and whose owners are gone. */
export function deadAt(start: string, nowMs: number): string[] {
  const parent = parentOf(start);
  return namesIn(parent)
    .map((name) => `${parent}/${name}`)
    .filter((path) => path.startsWith(start) && isDead(path, nowMs));
}

function parentOf(start: string): string {
  return start.slice(0, start.lastIndexOf("/"));
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
 * Returns the owners of a directory, or undefined if they cannot be read now. A log that is not a regular file, or
 * has no valid lines, names no owners and does not stop cleanup.
 */
function ownersOf(path: string): WriterIdentity[] | undefined {
  const owners: WriterIdentity[] = [];
  return ifPossible(() => {
    if (disk.lstat(ownersPath(path), { throwIfNoEntry: false })?.isFile() !== true) return [];
    const log = readCheckedLog(ownersPath(path), path);
    for (const { value } of log === undefined ? [] : checkedLines(log)) {
      // Its sum says that fdtool wrote the line.
      const writer = (value as Partial<ReturnType<typeof ownership>> | undefined)?.writer;
      if (writer !== undefined) owners.push(writer);
    }
    return owners;
  });
}
