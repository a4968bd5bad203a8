/**
 * The one atomic replace of the project (contract, Writing files). A file is replaced in two halves, so that a plan
 * over many files can do everything that may fail for want of space before it changes the first of them:
 *
 * 1. {@link stageFile}: a temporary file in the same directory (a rename across file systems would be a copy), written
 *    whole, its length checked, given the owner and mode it shall have, synced, closed;
 * 2. {@link placeStaged}: renamed (or, for a file that must be new, linked, since a rename would overwrite what
 *    appeared meanwhile), then the directory synced.
 *
 * Whatever fails, the file has its old content and the temporary file is gone, unless the process was killed: `recover`
 * removes those that the journal names, and no others, whatever they are called. What a replace cannot keep: other hard links go on naming the
 * old content, and extended attributes and access lists are those of a new file.
 *
 * @module
 */

import { dirname, join } from "node:path";
import { constants } from "node:fs";
import { closeReader } from "./close_reader.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "./errors.ts";
import { randomName } from "./random_name.ts";
import { syncDirectory } from "./sync_directory.ts";
import { writeWhole } from "./write_whole.ts";
import { NO_FOLLOW } from "./private_files.ts";

/** Bytes to write, in chunks, never all in memory. */
export interface StagedContent {
  /** Walks the bytes, once. */
  chunks(): Iterable<Uint8Array>;
}

/** What to stage: `mode` and `owner` are those of the file that is replaced; absent for a new file. */
export interface StageRequest {
  /** Made by {@link temporaryPathFor}. Must not exist. */
  temporaryPath: string;
  /** What failures call the file; the temporary path unless given. */
  shownPath?: string | undefined;
  /** What the file shall hold. */
  content: StagedContent;
  /**
   * Permission bits to keep, but for the set-user bit where the owner, and the set-group bit where the group could not
   * be. Absent: those that any new file gets (0666 less the umask).
   */
  mode?: number | undefined;
  /** Whose the file shall be, as far as the system allows it. */
  owner?: { uid: number; gid: number } | undefined;
  /** Sees each chunk once, after it was written; for sums. */
  observe?: ((chunk: Uint8Array) => void) | undefined;
}

/** What was staged. */
export interface Staged {
  /** How many bytes were written, and found to be there. */
  byteCount: number;
  /** False where the system did not allow to give the file back to its owner. */
  ownerKept: boolean;
}

/** A fresh name beside `path`, for its next content. */
export function temporaryPathFor(path: string): string {
  return join(dirname(path), `.fdtool-${process.pid}-${randomName()}.tmp`);
}

/**
 * Writes the content to the temporary file and syncs it. On any failure the temporary file is removed.
 *
 * Throws `storage_full`, `permission_error` or `write_error` for the temporary path, and whatever the content throws.
 */
export function stageFile(request: StageRequest): Staged {
  const path = request.temporaryPath;
  const shownPath = request.shownPath ?? path;
  const firstMode = request.mode === undefined ? 0o666 : 0o600;
  const handle = attempt("create", shownPath, () =>
    disk.open(
      path,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
      firstMode,
    ));
  let closed = false;
  try {
    let byteCount = 0;
    for (const chunk of request.content.chunks()) {
      attempt("write", shownPath, () => writeWhole(handle, chunk));
      request.observe?.(chunk);
      byteCount += chunk.length;
    }
    const actual = attempt("check", shownPath, () => disk.fstat(handle).size);
    if (actual !== byteCount) fail({ kind: "write_error", path: shownPath, action: "check", code: "ESHORT" });
    const ownerKept = giveBack(handle, request, shownPath);
    attempt("sync", shownPath, () => disk.fsync(handle));
    closed = true;
    attempt("close", shownPath, () => disk.close(handle));
    return { byteCount, ownerKept };
  } catch (thrown) {
    if (!closed) closeReader(handle);
    removeStaged(path);
    throw thrown;
  }
}

/**
 * Puts a staged file in the place of `path` and syncs the directory. With `mustBeNew`, fails with `file_exists` where
 * something stands at `path`, whenever it appeared. The temporary file stays where this fails: the caller removes it.
 */
export function placeStaged(temporaryPath: string, path: string, options: { mustBeNew: boolean }): void {
  if (!options.mustBeNew) attempt("replace", path, () => disk.rename(temporaryPath, path));
  else if (linkNew(temporaryPath, path)) attempt("tidy up", path, () => disk.unlink(temporaryPath));
  else attempt("create", path, () => disk.rename(temporaryPath, path));
  const directory = dirname(path);
  attempt("sync", directory, () => syncDirectory(directory));
}

/** Removes the file at `path` and syncs the directory. */
export function removeFile(path: string): void {
  attempt("remove", path, () => disk.unlink(path));
  const directory = dirname(path);
  attempt("sync", directory, () => syncDirectory(directory));
}

/**
 * Removes a staged file that is not to be placed. Answers what keeps it from going, for who has to see to that; undefined
 * where it is gone, by itself or with its directory.
 */
export function removeStaged(temporaryPath: string): FdError | undefined {
  try {
    disk.unlink(temporaryPath);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    // A disk that takes no change refuses to remove what is not there, too.
    if (!isGone(temporaryPath)) return new FdError(failureOfSystem(thrown, "write", "remove", temporaryPath));
  }
  return undefined;
}

function isGone(path: string): boolean {
  try {
    return disk.lstat(path, { throwIfNoEntry: false }) === undefined;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return code === "ENOTDIR";
  }
}

/** Links instead of renaming, so that what appeared meanwhile is never clobbered. False where links are not to be had. */
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
  // They would lend whoever runs the file another's rights than before.
  const lentBits = (lost?.owner === true ? SET_USER : 0) | (lost?.group === true ? SET_GROUP : 0);
  // After the owner: changing it clears the set-user and set-group bits.
  attempt("set the permissions of", path, () => disk.fchmod(handle, mode & 0o7777 & ~lentBits));
  return lost === undefined;
}

const SET_USER = 0o4000;
const SET_GROUP = 0o2000;

/** Undefined where owner and group are as wanted; else which of the two the system did not allow to set. */
function giveToOwner(
  handle: number,
  owner: { uid: number; gid: number },
  path: string,
): { owner: boolean; group: boolean } | undefined {
  const now = attempt("check", path, () => disk.fstat(handle));
  const lost = { owner: now.uid !== owner.uid, group: now.gid !== owner.gid };
  if (!lost.owner && !lost.group) return undefined;
  try {
    disk.fchown(handle, owner.uid, owner.gid);
    return undefined;
  } catch (thrown) {
    if (systemCode(thrown) === "EPERM") return lost;
    return fail(failureOfSystem(thrown, "write", "set the owner of", path));
  }
}

function attempt<T>(action: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", action, path));
  }
}
