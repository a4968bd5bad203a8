/** The permission bits of what is published. @module */

import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const EXECUTABLE_BY_OWNER = 0o100;

/**
 * Makes all that is in `directory` readable for everybody and writable for its owner, whatever the umask of who releases
 * and of who checked the sources out: archives keep these bits, and are to be the same bytes everywhere.
 */
export function setPublishedModes(directory: string): void {
  chmodSync(directory, 0o755);
  for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    const path = join(directory, name);
    const stat = statSync(path);
    chmodSync(path, stat.isDirectory() || (stat.mode & EXECUTABLE_BY_OWNER) !== 0 ? 0o755 : 0o644);
  }
}
