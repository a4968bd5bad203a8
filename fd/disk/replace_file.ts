/**
 * Atomically replaces files; the only code that does (contract, Writing files). It has two halves, so that a
 * plan over many files can do everything that may run out of space before it changes the first file:
 *
 * 1. {@link stageFile}: a temporary file in the same directory (a rename across file systems would be a copy)
 *    is written, its length checked, given its owner and mode, synced and closed;
 * 2. {@link placeStaged}: it is renamed (or, if the file must be new, linked, since a rename would overwrite
 *    a file that appeared meanwhile), then the directory is synced.
 *
 * On any failure the file keeps its old content and the temporary file is deleted. If the process was killed,
 * `recover` deletes temporary files listed in the journal, and no others. A replace cannot preserve other
 * hard links (they keep the old content), extended attributes or access lists.
 */

import { dirname, join } from "node:path";
import type { Stats } from "node:fs";
import { closeReader, randomName, syncDirectory, writeWhole } from "./file_calls.ts";
import { disk } from "./disk.ts";
import { attempt, fail, failureOfSystem, FdError, ifPossible, systemCode } from "./errors.ts";
import { NEW_FILE } from "./private_files.ts";

/** Bytes to write, in chunks that need not fit in memory together. */
interface StagedContent {
  /** Iterates over the bytes; called once. */
  chunks(): Iterable<Uint8Array>;
}

/** A file to stage. `mode` and `owner` are copied from the file being replaced; absent for a new file. */
interface StageRequest {
  /** Made by {@link temporaryPathFor}. Must not exist. */
  temporaryPath: string;
  /** The path shown in failures; defaults to the temporary path. */
  shownPath?: string | undefined;
  content: StagedContent;
  /**
   * Permission bits to set. The set-user bit is dropped if the owner cannot be set, the set-group bit if the
   * group cannot. Absent: the default for new files (0666 less the umask).
   */
  mode?: number | undefined;
  /** Owner to set, if the system allows it. */
  owner?: { uid: number; gid: number } | undefined;
  /** Fed with each chunk after it was written. */
  hash?: { update(chunk: Uint8Array): unknown } | undefined;
}

/** The result of staging. */
interface Staged {
  /** Bytes written, checked against the file's size. */
  byteCount: number;
  /** False if the system refused to set the owner. */
  ownerKept: boolean;
}

/** Returns a random temporary path beside `path`. */
export function temporaryPathFor(path: string): string {
  return join(dirname(path), `.fdtool-${process.pid}-${randomName()}.tmp`);
}

/**
 * Writes the content to the temporary file and syncs it. Deletes the temporary file on any failure.
 *
 * Throws `storage_full`, `permission_error` or `write_error` for the temporary path, and whatever the content
 * throws.
 */
export function stageFile(request: StageRequest): Staged {
  const { temporaryPath, shownPath = temporaryPath, content, mode, hash } = request;
  let action = mode === undefined ? "create" : "create a file beside";
  let handle: number | undefined;
  try {
    handle = disk.open(temporaryPath, NEW_FILE, mode === undefined ? 0o666 : 0o600);
    action = "write";
    let byteCount = 0;
    for (const chunk of content.chunks()) {
      writeWhole(handle, chunk);
      hash?.update(chunk);
      byteCount += chunk.length;
    }
    action = "check";
    const made = disk.fstat(handle);
    if (made.size !== byteCount) fail({ kind: "write_error", path: shownPath, action, code: "ESHORT" });
    action = "set the permissions of";
    const ownerKept = mode === undefined || giveBack(handle, made, mode, request);
    action = "sync";
    disk.fsync(handle);
    action = "close";
    disk.close(handle);
    return { byteCount, ownerKept };
  } catch (thrown) {
    if (handle !== undefined) {
      if (action !== "close") closeReader(handle);
      removeStaged(temporaryPath);
    }
    const place = request.shownPath === undefined ? undefined : "file";
    return fail(failureOfSystem(thrown, "write", action, shownPath, place));
  }
}

/**
 * Moves a staged file to `path` and syncs the directory. With `mustBeNew`, fails with `file_exists` if `path`
 * exists, even if it was created at the last moment. On failure the caller removes the temporary file.
 */
export function placeStaged(temporaryPath: string, path: string, options: { mustBeNew: boolean }): void {
  const isLinked = options.mustBeNew && linkNew(temporaryPath, path);
  let action = isLinked ? "clean up" : options.mustBeNew ? "create" : "replace";
  let place = path;
  try {
    if (isLinked) disk.unlink(temporaryPath);
    else disk.rename(temporaryPath, path);
    action = "sync";
    place = dirname(path);
    syncDirectory(place);
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", action, place));
  }
}

/** Removes the file at `path` and syncs the directory. */
export function removeFile(path: string): void {
  attempt("write", "remove", path, () => disk.unlink(path));
  const directory = dirname(path);
  attempt("write", "sync", directory, () => syncDirectory(directory));
}

/**
 * Removes a staged file that will not be placed. Returns the error if it could not be removed, and undefined
 * if it no longer exists (even if its directory is gone).
 */
export function removeStaged(temporaryPath: string): FdError | undefined {
  try {
    disk.unlink(temporaryPath);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    // A read-only disk also refuses to delete files that do not exist.
    if (!isGone(temporaryPath)) return new FdError(failureOfSystem(thrown, "write", "remove", temporaryPath));
  }
  return undefined;
}

function isGone(path: string): boolean {
  const isThere = () => disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
  return ifPossible(() => ifPossible(isThere, "ENOTDIR") !== true) ?? false;
}

/**
 * Links instead of renaming, so that a file created meanwhile is not overwritten. Returns false if the file
 * system has no hard links.
 */
function linkNew(temporaryPath: string, path: string): boolean {
  try {
    disk.link(temporaryPath, path);
    return true;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "EEXIST") fail({ kind: "file_exists", path });
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") {
      fail(failureOfSystem(thrown, "write", "create", path));
    }
  }
  if (disk.lstat(path, { throwIfNoEntry: false }) !== undefined) fail({ kind: "file_exists", path });
  return false;
}

const SET_USER = 0o4000;
const SET_GROUP = 0o2000;

/** Gives the file that was made its owner and mode. Returns false if the system refused to set the owner. */
function giveBack(handle: number, made: Stats, mode: number, request: StageRequest): boolean {
  const { uid, gid } = request.owner ?? made;
  let bits = mode & 0o7777;
  let isKept = uid === made.uid && gid === made.gid;
  if (!isKept) {
    const give = () => (disk.fchown(handle, uid, gid), true);
    const path = request.shownPath ?? request.temporaryPath;
    isKept = attempt("write", "set the owner of", path, () => ifPossible(give, "EPERM")) === true;
    // Under a different owner or group these bits would give users who run the file new rights.
    if (!isKept && uid !== made.uid) bits &= ~SET_USER;
    if (!isKept && gid !== made.gid) bits &= ~SET_GROUP;
  }
  // After the owner: changing it clears the set-user and set-group bits.
  disk.fchmod(handle, bits);
  return isKept;
}
