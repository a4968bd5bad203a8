/**
 * Makes names durable: after a file is created or renamed, its directory must be synced too (fsync(2),
 * Notes).
 */

import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/**
 * Syncs the directory at `path`. Does nothing if the system cannot sync directories (Windows, some network
 * mounts).
 */
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
