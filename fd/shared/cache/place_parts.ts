/**
 * Puts fetched parts and names into the files of a cache. A part that is only partly there is a hole, which fails its sum.
 */

import { constants } from "node:fs";
import { utf8Bytes } from "../../bytes/utf8_bytes.ts";
import { disk } from "../../disk/disk.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate, replacePrivate } from "../../disk/private_files.ts";
import { type BoundName, nameLine } from "../../store/bind_name.ts";
import { isName } from "../../store/fd_id.ts";
import { makeStore, type Store } from "../../store/open_store.ts";
import { namePath, namesPath, shardPath, temporaryPath } from "../../store/store_paths.ts";
import { inWritten, namesIn, unlinkIfExists, writeWhole } from "../../disk/file_calls.ts";

/** Creates the directory of an fd's files. */
export function makeShard(store: Store, id: number): void {
  makeStore(store);
  makePrivateDirectories(shardPath(store.path, id));
}

/** Replaces the file at `path`, so that readers see the file before or this one. */
export function placeFile(store: Store, path: string, bytes: Uint8Array): void {
  replacePrivate(temporaryPath(store.path, "fetched"), path, bytes);
}

/** Creates an empty sparse file unless a file of that length exists. */
export function placeHoles(path: string, byteLength: number): void {
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size === byteLength) return;
  inPart(path, (file) => disk.ftruncate(file, byteLength));
}

/** Writes a part into its place in a file of `byteLength` bytes, which is made of holes if it does not exist. */
export function placePart(path: string, byteLength: number, fromByte: number, bytes: Uint8Array): void {
  inPart(path, (file) => {
    // Another process may have dropped the file a moment ago.
    if (disk.fstat(file).size < byteLength) disk.ftruncate(file, byteLength);
    writeWhole(file, bytes, bytes.length, fromByte);
  });
}

function inPart(path: string, use: (file: number) => void): void {
  inWritten(openPrivate(path, constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW), use);
}

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
