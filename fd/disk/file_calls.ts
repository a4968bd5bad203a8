/** System calls together with what their usual failures mean, which the callers then need not know. */

import type { Stats } from "node:fs";
import { disk } from "./disk.ts";
import { attempt, fail, failureOfSystem, ifPossible, systemCode } from "./errors.ts";

/**
 * Writes the first `byteLength` bytes of `bytes` to `file`, at `position` or else the current position: `write(2)` may
 * write fewer than requested, or be interrupted. Throws system errors unchanged.
 */
export function writeWhole(
  file: number,
  bytes: Uint8Array,
  byteLength = bytes.length,
  position: number | null = null,
): void {
  let written = 0;
  while (written < byteLength) {
    try {
      const at = position === null ? null : position + written;
      const taken = disk.write(file, bytes, written, byteLength - written, at);
      // Writing 0 bytes to a regular file means that the disk is full.
      if (taken === 0) throw Object.assign(new Error("no byte was taken"), { code: "ENOSPC" });
      written += taken;
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") throw thrown;
    }
  }
}

/**
 * Truncates `file` back to `byteLength` after a failed write. Ignores system errors: the caller's byte count
 * excludes the rest anyway.
 */
export function truncateTo(file: number, byteLength: number): void {
  ifPossible(() => disk.ftruncate(file, byteLength));
}

/**
 * Reads at most `length` bytes from the current position of the open `file`, also if a signal interrupts it; `path` is
 * used in failures. Returns the number read, 0 at the end.
 *
 * @throws {FdError} `read_error`.
 */
export function readSome(file: number, into: Uint8Array, length: number, path: string): number {
  for (;;) {
    try {
      return disk.read(file, into, 0, length, null);
    } catch (thrown) {
      if (systemCode(thrown) !== "EINTR") return fail(failureOfSystem(thrown, "read", "read", path));
    }
  }
}

/**
 * Fills `bytes` with those of `file` from `fromByte` on. Returns how many there are, fewer than wanted at the end of the file.
 * Throws system errors unchanged.
 */
export function readAt(file: number, bytes: Uint8Array | DataView, fromByte: number): number {
  let length = 0;
  while (length < bytes.byteLength) {
    const got = disk.read(file, bytes, length, bytes.byteLength - length, fromByte + length);
    if (got === 0) break;
    length += got;
  }
  return length;
}

/**
 * Closes a file whose close errors don't matter: it was only read, or given up. Files that were written are not closed
 * here: their close can fail with lost data (network file systems report a full disk there).
 */
export function closeReader(file: number): void {
  ifPossible(() => disk.close(file));
}

/** Calls `use` with an open file that is read, and closes it. */
export function inFile<Result>(file: number, use: (file: number) => Result, close = closeReader): Result {
  try {
    return use(file);
  } finally {
    close(file);
  }
}

/** Calls `use` with an open file that is written, and closes it, which may fail. */
export function inWritten<Result>(file: number, use: (file: number) => Result): Result {
  return inFile(file, use, disk.close);
}

/** Codes of a system that cannot sync a directory. */
const CANNOT_SYNC = ["EISDIR", "EINVAL", "ENOTSUP", "EPERM", "EACCES"] as const;

/**
 * Syncs the directory at `path`, which makes the names in it durable: those of files that were created or renamed
 * (fsync(2), Notes). Does nothing if the system cannot sync directories (Windows, some network mounts).
 */
export function syncDirectory(path: string): void {
  ifPossible(() => inWritten(disk.open(path, "r"), disk.fsync), ...CANNOT_SYNC);
}

/** Lists the names in a directory; none if it does not exist. */
export function namesIn(path: string): string[] {
  const list = () => disk.readdir(path) as string[];
  return attempt("read", "list", path, () => ifPossible(list, "ENOENT", "ENOTDIR")) ?? [];
}

/** Returns the status of `path` itself; undefined if it does not exist or the system refuses to say. */
export function statIfPossible(path: string): Stats | undefined {
  return ifPossible(() => disk.lstat(path, { throwIfNoEntry: false }));
}

/** Whether `path` itself exists. Throws system errors. */
export function isThere(path: string): boolean {
  return disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
}

/** Deletes a file. Returns whether it existed. */
export function unlinkIfExists(path: string): boolean {
  const unlink = () => (disk.unlink(path), true);
  return attempt("write", "remove", path, () => ifPossible(unlink, "ENOENT")) ?? false;
}

/** Deletes a temporary file if possible. What stays is deleted by a later cleanup. */
export function discard(path: string): void {
  ifPossible(() => unlinkIfExists(path));
}

/**
 * Moves a new index into place, ignoring system errors: an index that was not moved is rebuilt when needed,
 * and the leftover file is deleted by gc.
 */
export function moveIfPossible(from: string, to: string): void {
  ifPossible(() => disk.rename(from, to));
}

/** Returns 48 random bits as digits and lowercase letters, for use in file names. */
export function randomName(): string {
  return Math.floor(Math.random() * 2 ** 48).toString(36);
}
