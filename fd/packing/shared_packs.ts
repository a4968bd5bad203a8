/**
 * Content that several fds of a store have is kept once: `packs/` has a link to packed content under its sha-256, and
 * every fd with that sha-256 has a link to the same file (FORMAT.md, "Packed content").
 *
 * @module
 */

import { disk } from "../disk/disk.ts";
import { FdError, systemCode } from "../disk/errors.ts";
import { makePrivateDirectories } from "../disk/private_files.ts";
import { statIfPossible } from "../disk/stat_if_possible.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { namesIn } from "../disk/names_in.ts";
import type { Store } from "../store/open_store.ts";
import { sharedPackPath, sharedPacksPath } from "../store/store_paths.ts";

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

/** Makes the packed file at `path` the one that others with this sha-256 share. */
export function offerShared(store: Store, sha256: string, path: string): void {
  const shared = sharedPackPath(store.path, sha256);
  if (triedToLink(path, shared)) return;
  try {
    makePrivateDirectories(shared.slice(0, shared.lastIndexOf("/")));
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return;
  }
  triedToLink(path, shared);
}

function triedToLink(from: string, to: string): boolean {
  try {
    disk.link(from, to);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return false;
  }
}

/** Deletes the link in `packs/` with this sha-256 if no fd has the content any more. Returns whether it did. */
export function dropUnusedPack(store: Store, sha256: string): boolean {
  const path = sharedPackPath(store.path, sha256);
  try {
    return statIfPossible(path)?.nlink === 1 && unlinkIfExists(path);
  } catch (thrown) {
    // What stays is deleted by the next cleanup.
    if (!(thrown instanceof FdError)) throw thrown;
    return false;
  }
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
    for (const sha256 of namesIn(`${directory}/${name}`)) {
      if (sha256.startsWith(name) && dropUnusedPack(store, sha256)) count++;
    }
  }
  return count;
}
