import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/** Lists the names in a directory; none if it does not exist. */
export function namesIn(path: string): string[] {
  try {
    return disk.readdir(path) as string[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT" || systemCode(thrown) === "ENOTDIR") return [];
    return fail(failureOfSystem(thrown, "read", "list", path));
  }
}
