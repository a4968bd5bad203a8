/**
 * The directory of a forked command's store while the command runs. It is inside the store it was forked from, so
 * that files can be shared. Its owners are the process that created it and the command.
 */

import { ifPossible } from "../disk/errors.ts";
import { addOwner, deadAt, dropOwned, makeOwned } from "../store/owned_directory.ts";
import type { Store } from "../store/open_store.ts";
import { forksPath } from "../store/further_paths.ts";

/** Creates an empty directory for a forked store, owned by this process. Returns its path. */
export function makeForkHome(store: Store): string {
  return makeOwned(store, `${forksPath(store.path)}/`, "the child's store");
}

/** Records that process `pid` also uses the forked store at `path`. */
export const addForkOwner: (path: string, pid: number) => void = addOwner;

/** Deletes a forked store. Files shared with other stores remain in them. */
export function dropForkHome(path: string): void {
  dropOwned(path, "the forked store");
}

/** Deletes the forked stores whose owners are gone. Returns how many. */
export function dropDeadForks(store: Store, nowMs: number): number {
  // Another process may be deleting the same fork; the rest is retried next time.
  const drop = (path: string) => ifPossible(() => (dropForkHome(path), true)) === true;
  return deadAt(`${forksPath(store.path)}/`, nowMs).filter(drop).length;
}
