/** Finds what other versions of fdtool wrote into the same directory. */

import { basename } from "node:path";
import { namesIn } from "../disk/names_in.ts";
import type { Store } from "../store/open_store.ts";
import { versionPath } from "../store/store_paths.ts";

/** Lists the directories of format versions that this process does not use, such as `v1`. */
export function otherVersions(store: Store): string[] {
  const used = basename(versionPath(store.path));
  return namesIn(store.path).filter((name) => /^v[0-9]+$/.test(name) && name !== used);
}
