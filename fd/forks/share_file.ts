/**
 * One file of a store in another store, without copying it where that can be. Only files that are never written again
 * in place may be shared so: sealed content, its index, names. Two stores that hold such a file hold the same bytes
 * under two names; removing one name leaves the other.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** How a file came to be in the other store. `code` is why it could not be linked: EXDEV for another file system. */
export type Shared =
  | { how: "linked" }
  | { how: "copied"; byteCount: number; code: string }
  /** The file is not there. */
  | { how: "missing" };

/**
 * Makes `to` name the content of the file `from`: a hard link, or, where the system has none to give, a copy. `to` must
 * not exist.
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
    // What a copy will meet too, it reports better.
    const byteCount = copyFile(from, to, Infinity);
    return byteCount === undefined ? { how: "missing" } : { how: "copied", byteCount, code };
  }
}

const COPY_BYTES = 262_144;

/**
 * Copies the first bytes of a file, `mostBytes` at most, to a new private one. Blocks of a file system that shares them
 * are shared (a whole file's), and holes stay holes: a run of zeros is never written. Answers how many bytes there are;
 * undefined where `from` is not there.
 */
export function copyFile(from: string, to: string, mostBytes: number): number | undefined {
  let source: number;
  try {
    source = disk.open(from, constants.O_RDONLY | NO_FOLLOW);
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

/** Deno copies, and fills holes, where it is told to clone or to fail. */
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
    target = openPrivate(to, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
    /** Whether the last bytes were skipped, and the file does not reach to them yet. */
    let endsInHole = false;
    while (byteCount < mostBytes) {
      const length = readPiece(source, piece, Math.min(piece.length, mostBytes - byteCount), byteCount, from);
      if (length === 0) break;
      const bytes = piece.subarray(0, length);
      const isZero = bytes.equals(zeros.subarray(0, length));
      if (!isZero) {
        // Writes go on at the end of the file, so a hole is made first.
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

/** The same file, opened for appending once it is `byteCount` long. */
function reopenAt(target: number, path: string, byteCount: number): number {
  disk.ftruncate(target, byteCount);
  disk.close(target);
  return disk.open(path, constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW);
}

function readPiece(source: number, into: Buffer, byteLength: number, at: number, path: string): number {
  try {
    return disk.read(source, into, 0, byteLength, at);
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "copy", path));
  }
}
