/**
 * Opens the store's files, and creates files and directories with owner-only access, whatever the umask: one such as 0277
 * would remove the owner's bits too.
 */

import { constants } from "node:fs";
import { disk } from "./disk.ts";
import { nodePath } from "./loaded_late.ts";
import { ifPossible, orUndo, systemCode } from "./errors.ts";
import { discard, inFile, inWritten, readAt, syncDirectory, writeWhole } from "./file_calls.ts";

/** Mode of directories: owner only (contract, law 9). */
export const DIRECTORY_MODE = 0o700;
/** Mode of files: owner only (contract, law 9). */
export const FILE_MODE = 0o600;

/**
 * Added to the flags of every file that the store opens, so that a planted symlink is not followed and a
 * planted pipe does not block.
 */
export const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Flags of a new file, which must not exist. */
export const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;

const OWNER_BITS = 0o700;

/** Opens a file, creating it with `mode` if `flags` say so. Throws system errors unchanged. */
export function openPrivate(path: string, flags: number, mode = FILE_MODE): number {
  const file = disk.open(path, flags, mode);
  if ((process.umask() & OWNER_BITS) !== 0) disk.fchmod(file, mode);
  return file;
}

/** Opens a file to read it. Throws system errors unchanged. */
export function openReader(path: string): number {
  return disk.open(path, constants.O_RDONLY | NO_FOLLOW);
}

/** Opens a file like {@link openPrivate}, by default to read it; undefined if the system refuses. */
export function openIfPossible(path: string, flags = constants.O_RDONLY | NO_FOLLOW): number | undefined {
  return ifPossible(() => openPrivate(path, flags));
}

/** Returns `byteCount` bytes of a file from `fromByte` on, or what there is of them. Throws system errors unchanged. */
export function bytesOfFile(path: string, byteCount: number, fromByte = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(byteCount);
  return bytes.subarray(0, inFile(openReader(path), (file) => readAt(file, bytes, fromByte)));
}

/**
 * Writes `bytes` to a file opened with `flags`, by default a new one, and syncs it if `durable`. Throws system errors
 * unchanged.
 */
export function writePrivate(
  path: string,
  bytes: Uint8Array,
  { flags = NEW_FILE, durable = false }: { flags?: number; durable?: boolean } = {},
): void {
  inWritten(openPrivate(path, flags), (file) => {
    writeWhole(file, bytes);
    if (durable) disk.fsync(file);
  });
}

/**
 * Replaces the file at `path` by a new one, written to `fresh` before, so that readers see the one or the other. Throws system
 * errors unchanged.
 */
export function replacePrivate(fresh: string, path: string, bytes: Uint8Array, durable = false): void {
  orUndo(() => {
    writePrivate(fresh, bytes, { durable });
    disk.rename(fresh, path);
  }, () => discard(fresh));
}

/**
 * Creates a directory of mode 0700 in an existing one. Does nothing if it exists; throws other system errors
 * unchanged.
 */
export function makePrivateDirectory(path: string): void {
  const isNew = ifPossible(() => (disk.mkdir(path, DIRECTORY_MODE), true), "EEXIST") ?? false;
  if (!isNew) return;
  if ((process.umask() & OWNER_BITS) !== 0) disk.chmod(path, DIRECTORY_MODE);
  // Syncing a file inside does not make this directory's own name durable; once per directory is enough.
  syncDirectory(nodePath().dirname(path));
}

/** Creates a directory and its missing parents. */
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
