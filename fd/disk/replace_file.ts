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
import { constants } from "node:fs";
import { closeReader, randomName, syncDirectory, writeWhole } from "./file_calls.ts";
import { disk } from "./disk.ts";
import { attempt, fail, failureOfSystem, FdError, ifPossible, systemCode } from "./errors.ts";
import { NO_FOLLOW } from "./private_files.ts";

/** Bytes to write, in chunks that need not fit in memory together. */
export interface StagedContent {
  /** Iterates over the bytes; called once. */
  chunks(): Iterable<Uint8Array>;
}

/** A file to stage. `mode` and `owner` are copied from the file being replaced; absent for a new file. */
export interface StageRequest {
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
  /** Called with each chunk after it was written, for computing sums. */
  observe?: ((chunk: Uint8Array) => void) | undefined;
}

/** The result of staging. */
export interface Staged {
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
  const path = request.temporaryPath;
  const shownPath = request.shownPath ?? path;
  const firstMode = request.mode === undefined ? 0o666 : 0o600;
  const handle = attempt(
    "write",
    "create",
    shownPath,
    () => disk.open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW, firstMode),
  );
  let closed = false;
  try {
    let byteCount = 0;
    for (const chunk of request.content.chunks()) {
      attempt("write", "write", shownPath, () => writeWhole(handle, chunk));
      request.observe?.(chunk);
      byteCount += chunk.length;
    }
    const actual = attempt("write", "check", shownPath, () => disk.fstat(handle).size);
    if (actual !== byteCount) fail({ kind: "write_error", path: shownPath, action: "check", code: "ESHORT" });
    const ownerKept = giveBack(handle, request, shownPath);
    attempt("write", "sync", shownPath, () => disk.fsync(handle));
    closed = true;
    attempt("write", "close", shownPath, () => disk.close(handle));
    return { byteCount, ownerKept };
  } catch (thrown) {
    if (!closed) closeReader(handle);
    removeStaged(path);
    throw thrown;
  }
}

/**
 * Moves a staged file to `path` and syncs the directory. With `mustBeNew`, fails with `file_exists` if `path`
 * exists, even if it was created at the last moment. On failure the caller removes the temporary file.
 */
export function placeStaged(temporaryPath: string, path: string, options: { mustBeNew: boolean }): void {
  if (!options.mustBeNew) attempt("write", "replace", path, () => disk.rename(temporaryPath, path));
  else if (linkNew(temporaryPath, path)) attempt("write", "clean up", path, () => disk.unlink(temporaryPath));
  else attempt("write", "create", path, () => disk.rename(temporaryPath, path));
  const directory = dirname(path);
  attempt("write", "sync", directory, () => syncDirectory(directory));
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

function giveBack(handle: number, request: StageRequest, path: string): boolean {
  if (request.mode === undefined) return true;
  const { mode, owner } = request;
  const lost = owner === undefined ? undefined : giveToOwner(handle, owner, path);
  // Under a different owner or group these bits would give users who run the file new rights.
  const lentBits = (lost?.owner === true ? SET_USER : 0) | (lost?.group === true ? SET_GROUP : 0);
  // After the owner: changing it clears the set-user and set-group bits.
  attempt("write", "set the permissions of", path, () => disk.fchmod(handle, mode & 0o7777 & ~lentBits));
  return lost === undefined;
}

const SET_USER = 0o4000;
const SET_GROUP = 0o2000;

/** Returns undefined if owner and group are set; otherwise which of the two the system refused to set. */
function giveToOwner(
  handle: number,
  owner: { uid: number; gid: number },
  path: string,
): { owner: boolean; group: boolean } | undefined {
  const now = attempt("write", "check", path, () => disk.fstat(handle));
  const lost = { owner: now.uid !== owner.uid, group: now.gid !== owner.gid };
  if (!lost.owner && !lost.group) return undefined;
  const give = () => (disk.fchown(handle, owner.uid, owner.gid), true);
  const isGiven = attempt("write", "set the owner of", path, () => ifPossible(give, "EPERM"));
  return isGiven === true ? undefined : lost;
}
