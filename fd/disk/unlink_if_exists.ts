import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";

/** Deletes a file. Returns whether it existed. */
export function unlinkIfExists(path: string): boolean {
  try {
    disk.unlink(path);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return false;
    return fail(failureOfSystem(thrown, "write", "remove", path));
  }
}
