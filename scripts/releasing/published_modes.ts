/** Permission bits of published files. */

import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const EXECUTABLE_BY_OWNER = 0o100;

/**
 * Makes everything in `directory` readable for all and writable for its owner, regardless of the umask at checkout and
 * release: archives store these bits and must be the same bytes everywhere.
 */
export function setPublishedModes(directory: string): void {
  chmodSync(directory, 0o755);
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const path = join(directory, name);
    const stat = statSync(path);
    chmodSync(path, stat.isDirectory() || (stat.mode & EXECUTABLE_BY_OWNER) !== 0 ? 0o755 : 0o644);
  }
}
