/** Looks at a file that may be missing or out of reach. */

import type { Stats } from "node:fs";
import { disk } from "./disk.ts";
import { systemCode } from "./errors.ts";

/** Returns the status of `path` itself; undefined if it does not exist or the system refuses to say. */
export function statIfPossible(path: string): Stats | undefined {
  try {
    return disk.lstat(path, { throwIfNoEntry: false });
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}
