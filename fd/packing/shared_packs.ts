/**
 * Content that several fds of a store have is kept once: `packs/` has a link to packed content under its sha-256, and
 * every fd with that sha-256 has a link to the same file (FORMAT.md, "Packed content"). So has the index, which follows
 * from the content and the page size.
 */

import { Buffer } from "node:buffer";
import {
  closeReader,
  discard,
  namesIn,
  readSome,
  statIfPossible,
  unlinkIfExists,
} from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, ifPossible } from "../disk/errors.ts";
import { makePrivateDirectories, openReader } from "../disk/private_files.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { sharedIndexPath, sharedPackPath, sharedPacksPath } from "../store/further_paths.ts";
import { indexPath, packBeside, temporaryPath } from "../store/store_paths.ts";

/**
 * Links the packed file that has this sha-256 to `path`, if there is one and `isRight` accepts it. Returns whether it
 * did. A file system without links shares nothing.
 */
export function takeShared(
  store: Store,
  sha256: string,
  path: string,
  isRight: (path: string) => boolean,
): boolean {
  const shared = sharedPackPath(store.path, sha256);
  if (!triedToLink(shared, path)) return false;
  if (isRight(path)) return true;
  // It is damaged, so no other fd can use it.
  unlinkIfExists(path);
  unlinkIfExists(shared);
  return false;
}

/** Whether the packed file of an fd is shared with no other, as in a copy of a store that has a file for each link. */
export function isAlone(store: Store, { contentPath, sha256 }: FdEntry): boolean {
  return sha256 !== undefined && store.backend.hasWholeFiles &&
    statIfPossible(packBeside(contentPath))?.nlink === 1;
}

/** Makes the packed file at `path` the one that others with this sha-256 share. */
export function offerShared(store: Store, sha256: string, path: string): void {
  offer(path, sharedPackPath(store.path, sha256));
}

/**
 * Replaces the index of a packed fd by the one that others with the same content share, if both are the same, or else
 * makes its own the shared one.
 */
export function shareIndex(store: Store, { id, pageSize }: FdEntry, sha256: string): void {
  const path = indexPath(store.path, id);
  const shared = sharedIndexPath(store.path, sha256, pageSize);
  const fresh = temporaryPath(store.path, "index");
  // If it fails, it has an index of its own.
  ifPossible(() => {
    const own = disk.lstat(path, { throwIfNoEntry: false });
    if (own === undefined || disk.lstat(shared, { throwIfNoEntry: false })?.ino === own.ino) return;
    if (!triedToLink(shared, fresh)) return offer(path, shared);
    if (areSameFiles(fresh, path)) return disk.rename(fresh, path);
    // Packing has just read all of its own: the other is damaged.
    unlinkIfExists(shared);
    offer(path, shared);
  });
  discard(fresh);
}

function areSameFiles(one: string, other: string): boolean {
  const pieces = [one, other].map((path) => piecesOf(path));
  using _pieces = atEnd(() => pieces.forEach((each) => each.return(undefined)));
  for (;;) {
    const [mine, others] = pieces.map((each) => each.next().value);
    if (mine === undefined || others === undefined) return mine === others;
    if (Buffer.compare(mine, others) !== 0) return false;
  }
}

function* piecesOf(path: string): Generator<Uint8Array, undefined> {
  const file = openReader(path);
  using _file = atEnd(() => closeReader(file));
  const bytes = new Uint8Array(65_536);
  for (let length; (length = readSome(file, bytes, bytes.length, path)) > 0;) {
    yield bytes.subarray(0, length);
  }
}

/** Links the file at `path` to `shared`. */
function offer(path: string, shared: string): void {
  if (triedToLink(path, shared)) return;
  ifPossible(() => makePrivateDirectories(shared.slice(0, shared.lastIndexOf("/"))));
  triedToLink(path, shared);
}

function triedToLink(from: string, to: string): boolean {
  return ifPossible(() => (disk.link(from, to), true)) ?? false;
}

/** Deletes the links in `packs/` to the content and index of a removed fd if no other fd has them. */
export function dropUnusedPack(store: Store, { pageSize }: FdEntry, sha256: string): void {
  dropUnused(sharedPackPath(store.path, sha256));
  dropUnused(sharedIndexPath(store.path, sha256, pageSize));
}

/** Deletes a link in `packs/` that no fd uses. Returns whether it did. */
function dropUnused(path: string): boolean {
  // What stays is deleted by the next cleanup.
  return ifPossible(() => statIfPossible(path)?.nlink === 1 && unlinkIfExists(path)) ?? false;
}

/** Whether `path` is a directory itself: a symlink in its place leads to foreign files. */
function isDirectory(path: string): boolean {
  return statIfPossible(path)?.isDirectory() === true;
}

/** Deletes every link in `packs/` that no fd uses. Returns how many it deleted. */
export function dropUnusedPacks(store: Store): number {
  const directory = sharedPacksPath(store.path);
  if (!isDirectory(directory)) return 0;
  let count = 0;
  for (const name of namesIn(directory)) {
    for (const file of namesIn(`${directory}/${name}`)) {
      if (file.startsWith(name) && dropUnused(`${directory}/${name}/${file}`)) count++;
    }
  }
  return count;
}
