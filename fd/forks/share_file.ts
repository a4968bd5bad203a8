/**
 * Shares a file of a store with another store, without copying if possible. Only files that are never written in
 * place may be shared: sealed content, its index, names. Both stores then have the file under their own name;
 * deleting one name does not affect the other.
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { closeReader, writeWhole } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { attempt, fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { NEW_FILE, NO_FOLLOW, openPrivate, openReader } from "../disk/private_files.ts";

/** How a file was shared. `code` is the error that prevented linking: EXDEV for another file system. */
export type Shared =
  | { how: "linked" }
  | { how: "copied"; byteCount: number; code: string }
  /** The file does not exist. */
  | { how: "missing" };

/**
 * Creates `to` with the content of the file `from`: as a hard link or, if the file system cannot link, as a copy.
 * `to` must not exist.
 *
 * @throws {FdError} `storage_full`, `permission_error`, `write_error`, `read_error`.
 */
export function shareFile(from: string, to: string): Shared {
  try {
    disk.link(from, to);
    return { how: "linked" };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    if (code === "EEXIST") fail(failureOfSystem(thrown, "write", "create", to));
    // Errors that also affect a copy are reported by it, in more detail.
    const byteCount = copyFile(from, to, Infinity);
    return byteCount === undefined ? { how: "missing" } : { how: "copied", byteCount, code };
  }
}

const COPY_BYTES = 262_144;

/**
 * Copies the first `mostBytes` bytes of a file, at most, to a new private one. Clones the file if the file system can
 * (whole files only), and preserves holes: runs of zeros are not written. Returns the size of the copy, or undefined
 * if `from` does not exist.
 */
export function copyFile(from: string, to: string, mostBytes: number): number | undefined {
  let source: number;
  try {
    source = openReader(from);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    return fail(failureOfSystem(thrown, "read", "open", from));
  }
  try {
    if (mostBytes === Infinity && cloneFile(from, to)) return disk.stat(to).size;
    return copyBytes(source, from, to, mostBytes);
  } finally {
    closeReader(source);
  }
}

/** Deno copies, and fills holes, even if told to clone or fail. */
const CLONES = process.versions["deno"] === undefined;

function cloneFile(from: string, to: string): boolean {
  if (!CLONES) return false;
  try {
    disk.copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    if (code !== "EEXIST") disk.removeTree(to, { force: true });
    return false;
  }
}

function copyBytes(source: number, from: string, to: string, mostBytes: number): number {
  const piece = Buffer.allocUnsafe(COPY_BYTES);
  const zeros = Buffer.alloc(COPY_BYTES);
  let target: number | undefined;
  let byteCount = 0;
  try {
    target = openPrivate(to, NEW_FILE);
    /** Whether the last bytes were skipped, so that the file is shorter than `byteCount`. */
    let endsInHole = false;
    while (byteCount < mostBytes) {
      const length = readPiece(source, piece, Math.min(piece.length, mostBytes - byteCount), byteCount, from);
      if (length === 0) break;
      const bytes = piece.subarray(0, length);
      const isZero = bytes.equals(zeros.subarray(0, length));
      if (!isZero) {
        // Writes append, so the hole must be created first.
        if (endsInHole) target = reopenAt(target, to, byteCount);
        writeWhole(target, bytes);
      }
      endsInHole = isZero;
      byteCount += length;
    }
    if (endsInHole) disk.ftruncate(target, byteCount);
    disk.close(target);
    return byteCount;
  } catch (thrown) {
    if (target !== undefined) closeReader(target);
    return fail(failureOfSystem(thrown, "write", "copy", to));
  }
}

/** Extends the file to `byteCount` bytes and reopens it for appending. */
function reopenAt(target: number, path: string, byteCount: number): number {
  disk.ftruncate(target, byteCount);
  disk.close(target);
  return disk.open(path, constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW);
}

function readPiece(source: number, into: Buffer, byteLength: number, at: number, path: string): number {
  return attempt("read", "copy", path, () => disk.read(source, into, 0, byteLength, at));
}
