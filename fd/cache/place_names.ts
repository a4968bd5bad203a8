/** Puts names of a shared store into the directory of names of its cache. */

import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { makePrivateDirectories } from "../disk/private_files.ts";
import { namesIn, unlinkIfExists } from "../disk/file_calls.ts";
import { type BoundName, nameLine } from "../store/bind_name.ts";
import { isName } from "../store/fd_id.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { namePath, namesPath } from "../store/store_paths.ts";
import { placeFile } from "./place_parts.ts";

/** Writes the binding of `name` into the cache, or removes it if the name is not bound. */
export function placeName(store: Store, name: string, bound: BoundName | undefined): void {
  if (!isName(name)) return;
  const path = namePath(store.path, name);
  if (bound === undefined) {
    unlinkIfExists(path);
    return;
  }
  makeStore(store);
  makePrivateDirectories(namesPath(store.path));
  placeFile(store, path, utf8Bytes(nameLine(name, bound.id)));
  disk.utimes(path, bound.boundMs / 1000, bound.boundMs / 1000);
}

/** Writes all names of the store into the cache, and deletes others. */
export function placeNames(store: Store, names: readonly BoundName[]): void {
  const bound = new Set(names.map(({ name }) => name));
  for (const name of namesIn(namesPath(store.path))) if (!bound.has(name)) placeName(store, name, undefined);
  for (const each of names) placeName(store, each.name, each);
}
