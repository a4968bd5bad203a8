/**
 * Puts fetched parts into the files of a cache. A part that is only partly there is a hole, which fails its sum.
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { shardPath, temporaryPath } from "../store/store_paths.ts";
import { writeWhole } from "../disk/file_calls.ts";

/** Creates the directory of an fd's files. */
export function makeShard(store: Store, id: number): void {
  makeStore(store);
  makePrivateDirectories(shardPath(store.path, id));
}

/** Replaces the file at `path`, so that readers see the file before or this one. */
export function placeFile(store: Store, path: string, bytes: Uint8Array): void {
  const fresh = temporaryPath(store.path, "fetched");
  const file = openPrivate(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
  try {
    writeWhole(file, bytes);
  } finally {
    disk.close(file);
  }
  disk.rename(fresh, path);
}

/** Creates an empty sparse file unless a file of that length exists. */
export function placeHoles(path: string, byteLength: number): void {
  const stat = disk.lstat(path, { throwIfNoEntry: false });
  if (stat?.isFile() === true && stat.size === byteLength) return;
  const file = openPrivate(path, constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW);
  try {
    disk.ftruncate(file, byteLength);
  } finally {
    disk.close(file);
  }
}

/** Writes a part into its place in a file of `byteLength` bytes, which is made of holes if it does not exist. */
export function placePart(path: string, byteLength: number, fromByte: number, bytes: Uint8Array): void {
  const file = openPrivate(path, constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW);
  try {
    // Another process may have dropped the file a moment ago.
    if (disk.fstat(file).size < byteLength) disk.ftruncate(file, byteLength);
    writeWhole(file, bytes, bytes.length, fromByte);
  } finally {
    disk.close(file);
  }
}
