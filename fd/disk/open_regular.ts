/**
 * Opens what a caller names by its path, if it is a regular file. A pipe would wait for a writer that may never come, a
 * device may have no end, and looking first is not enough: what is opened must be what was looked at.
 *
 * @module
 */

import { constants, type Stats } from "node:fs";
import { checkPath } from "./check_path.ts";
import { closeReader } from "./close_reader.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/** Does not wait for the other end of a pipe that takes the place of the file. Windows has no such flag. */
const NO_WAIT = constants.O_NONBLOCK ?? 0;

/**
 * Opens the regular file at `path` to be read. Failures call it `shown`.
 *
 * @throws {FdError} `file_not_found`, `not_regular`, `permission_error`, `read_error`.
 */
export function openRegular(path: string, shown = path): number {
  checkPath(path);
  try {
    // A device is not even opened: that alone can make it act.
    refuseOther(disk.stat(path), shown);
    const file = disk.open(path, constants.O_RDONLY | NO_WAIT);
    try {
      refuseOther(disk.fstat(file), shown);
    } catch (thrown) {
      closeReader(file);
      throw thrown;
    }
    return file;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") fail({ kind: "file_not_found", path: shown, action: "read" });
    return fail(failureOfSystem(thrown, "read", "open", shown));
  }
}

function refuseOther(stat: Stats, path: string): void {
  const what = otherKind(stat);
  if (what !== undefined) fail({ kind: "not_regular", path, what });
}

/** What a file is that is not a regular one; undefined for a regular file. */
export function otherKind(stat: Pick<Stats, KindTest>): string | undefined {
  if (stat.isFile()) return undefined;
  if (stat.isDirectory()) return "a directory";
  if (stat.isSocket()) return "a socket";
  if (stat.isFIFO()) return "a pipe";
  if (stat.isCharacterDevice() || stat.isBlockDevice()) return "a device";
  return "not a regular file";
}

type KindTest = "isFile" | "isDirectory" | "isSocket" | "isFIFO" | "isCharacterDevice" | "isBlockDevice";
