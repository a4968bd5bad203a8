/**
 * Opens a user-supplied path if it is a regular file. A pipe could block waiting for a writer and a device
 * may be endless. Checking before opening is not enough, because the path can change in between, so the open
 * file is checked too.
 */

import { constants, type Stats } from "node:fs";
import { checkPath } from "./check_argument.ts";
import { closeReader } from "./file_calls.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/** Prevents blocking if a pipe replaces the file. Windows has no such flag. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/**
 * Opens the regular file at `path` for reading, with further `flags` if any. Failures show the path as `shown`.
 *
 * @throws {FdError} `file_not_found`, `not_regular`, `permission_error`, `read_error`.
 */
export function openRegular(path: string, shown = path, flags = 0): number {
  checkPath(path);
  let file: number | undefined;
  try {
    // Checked before opening: opening a device can have side effects.
    refuseOther(disk.stat(path), shown);
    file = disk.open(path, constants.O_RDONLY | NO_WAIT | flags);
    refuseOther(disk.fstat(file), shown);
    return file;
  } catch (thrown) {
    if (file !== undefined) closeReader(file);
    if (systemCode(thrown) === "ENOENT") fail({ kind: "file_not_found", path: shown, action: "read" });
    return fail(failureOfSystem(thrown, "read", "open", shown));
  }
}

function refuseOther(stat: Stats, path: string): void {
  const what = otherKind(stat);
  if (what !== undefined) fail({ kind: "not_regular", path, what });
}

/** Names the kind of a file that is not regular; returns undefined for a regular file. */
export function otherKind(stat: Pick<Stats, KindTest>): string | undefined {
  if (stat.isFile()) return undefined;
  if (stat.isDirectory()) return "a directory";
  if (stat.isSocket()) return "a socket";
  if (stat.isFIFO()) return "a pipe";
  if (stat.isCharacterDevice() || stat.isBlockDevice()) return "a device";
  return "not a regular file";
}

type KindTest = "isFile" | "isDirectory" | "isSocket" | "isFIFO" | "isCharacterDevice" | "isBlockDevice";
