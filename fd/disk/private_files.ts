/**
 * Making files and directories that are their owner's alone, and wholly the owner's: a umask takes bits away from the
 * mode that a file is made with, and one such as 0277 would take the owner's too.
 *
 * @module
 */

import { constants } from "node:fs";
import { disk } from "./disk.ts";
import { nodePath } from "./loaded_late.ts";
import { systemCode } from "./errors.ts";
import { syncDirectory } from "./sync_directory.ts";

/** Directories are for their owner alone (contract, law 9). */
export const DIRECTORY_MODE = 0o700;
/** Files are for their owner alone (contract, law 9). */
export const FILE_MODE = 0o600;

/**
 * Added to the flags of every file that the store opens: a link planted in the store is not followed, and a pipe planted
 * there does not make anybody wait.
 */
export const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const OWNER_BITS = 0o700;

/** Opens a file with flags that may make it; one that is made has mode 0600. Throws the system's error as it came. */
export function openPrivate(path: string, flags: number): number {
  const file = disk.open(path, flags, FILE_MODE);
  if ((process.umask() & OWNER_BITS) !== 0) disk.fchmod(file, FILE_MODE);
  return file;
}

/** Makes a directory of mode 0700 in one that is there. Throws the system's error as it came, but for EEXIST. */
export function makePrivateDirectory(path: string): void {
  try {
    disk.mkdir(path, DIRECTORY_MODE);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return;
    throw thrown;
  }
  if ((process.umask() & OWNER_BITS) !== 0) disk.chmod(path, DIRECTORY_MODE);
  // Once for each directory: what is synced in it later must not be lost with it.
  syncDirectory(nodePath().dirname(path));
}

/** The same with all directories above it that are not there. */
export function makePrivateDirectories(path: string): void {
  try {
    makePrivateDirectory(path);
  } catch (thrown) {
    const parent = nodePath().dirname(path);
    if (systemCode(thrown) !== "ENOENT" || parent === path) throw thrown;
    makePrivateDirectories(parent);
    makePrivateDirectory(path);
  }
}
