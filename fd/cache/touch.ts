/** Marks whose modification time is all that they say. */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import type { Store } from "../store/open_store.ts";
import { pinsDirectory } from "../store/store_paths.ts";

/** Pins the files of an fd. Ignores system errors: then they are dropped and fetched like others. */
export function pin(store: Store, id: number): void {
  try {
    makePrivateDirectories(pinsDirectory(store.path));
    touch(`${pinsDirectory(store.path)}/${id}`);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/** Dates a mark, which is created if it does not exist. */
export function touch(path: string): void {
  disk.close(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW));
  const now = Date.now() / 1000;
  disk.utimes(path, now, now);
}
