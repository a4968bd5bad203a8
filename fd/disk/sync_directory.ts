/**
 * Makes names durable: after a file is made or renamed, its directory must reach the disk too (fsync(2), Notes).
 *
 * @module
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Syncs the directory at `path`. Systems that cannot sync a directory (Windows, some network mounts) are passed over. */
export function syncDirectory(path: string): void {
  let file;
  try {
    file = disk.open(path, "r");
  } catch (thrown) {
    if (CANNOT.has(systemCode(thrown) ?? "")) return;
    throw thrown;
  }
  try {
    disk.fsync(file);
  } catch (thrown) {
    if (!CANNOT.has(systemCode(thrown) ?? "")) throw thrown;
  } finally {
    disk.close(file);
  }
}

const CANNOT = new Set(["EISDIR", "EINVAL", "ENOTSUP", "EPERM", "EACCES"]);
