/**
 * Names for fds: `ref:NAME` (contract, The store). A name is a file that holds an id, replaced by renaming, so that
 * it is bound to the old fd or to the new one at every moment. The last binding wins.
 *
 * @module
 */

import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { blockSumText } from "../bytes/block_sum.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { checkName, isName } from "./fd_id.ts";
import { makeStore, type Store } from "./open_store.ts";
import { namePath, namesPath, temporaryPath } from "./store_paths.ts";
import { syncDirectory } from "../disk/sync_directory.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** A name, the id it is bound to, and when it was bound, in milliseconds since 1970. */
export interface BoundName {
  /** Without `ref:`. */
  name: string;
  /** The fd that it names, which may have been removed since. */
  id: number;
  /** Milliseconds since 1970. */
  boundMs: number;
}

/**
 * Binds `name` to fd `id`; answers the id that it was bound to before. The binding is on the disk when this returns.
 *
 * @throws {FdError} `invalid_parameter` for a bad name; `storage_full`, `permission_error`, `write_error`.
 */
export function bindName(store: Store, name: string, id: number): number | undefined {
  checkName(name);
  const before = readName(store, name)?.id;
  const fresh = temporaryPath(store.path, "name");
  try {
    makeStore(store);
    makePrivateDirectory(namesPath(store.path));
    const file = openPrivate(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    try {
      writeWhole(file, utf8Bytes(nameLine(name, id)));
      disk.fsync(file);
    } finally {
      disk.close(file);
    }
    disk.rename(fresh, namePath(store.path, name));
    syncDirectory(namesPath(store.path));
  } catch (thrown) {
    try {
      unlinkIfThere(fresh);
    } catch (stuck) {
      // It is litter then; what kept the name from being bound is what is told.
      if (!(stuck instanceof FdError)) throw stuck;
    }
    fail(failureOfSystem(thrown, "write", "bind the name", namePath(store.path, name)));
  }
  return before;
}

/** What the file of `name` holds when it is bound to fd `id` (FORMAT.md, "Names"). */
export function nameLine(name: string, id: number): string {
  return `${id} ${sumOf(name, id)}\n`;
}

function sumOf(name: string, id: number): string {
  return blockSumText(utf8Bytes(`${name} ${id}`));
}

/** What `name` is bound to; undefined where it is not bound, or its file holds no id. */
export function readName(store: Store, name: string): BoundName | undefined {
  let file;
  try {
    file = disk.open(namePath(store.path, name), constants.O_RDONLY | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    return fail(failureOfSystem(thrown, "read", "read the name", namePath(store.path, name)));
  }
  try {
    const bytes = new Uint8Array(32);
    const text = utf8Text(bytes.subarray(0, disk.read(file, bytes, 0, bytes.length, 0)));
    const [, id, sum] = /^([1-9][0-9]{0,14})(?: ([0-9a-f]{8}))?\n$/.exec(text) ?? [];
    const isRight = sum === undefined || sum === sumOf(name, Number(id));
    return id === undefined || !isRight
      ? undefined
      : { name, id: Number(id), boundMs: Math.floor(disk.fstat(file).mtimeMs) };
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "read the name", namePath(store.path, name)));
  } finally {
    closeReader(file);
  }
}

/**
 * All names, in the order of their spelling. One whose file holds no id, or is no file, is bound to nothing: `onDamaged` is
 * told its path.
 */
export function listNames(store: Store, onDamaged: (path: string) => void = () => {}): BoundName[] {
  let names: string[];
  try {
    names = disk.readdir(namesPath(store.path)) as string[];
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return [];
    return fail(failureOfSystem(thrown, "read", "list the names", namesPath(store.path)));
  }
  return names.filter(isName).sort().flatMap((name) => {
    const path = namePath(store.path, name);
    const isFile = () => disk.lstat(path, { throwIfNoEntry: false })?.isFile();
    try {
      const bound = readName(store, name);
      if (bound !== undefined) return bound;
      // It may have been taken away since the names were listed.
      if (isFile() === undefined) return [];
    } catch (thrown) {
      if (!(thrown instanceof FdError) || isFile() !== false) throw thrown;
    }
    onDamaged(path);
    return [];
  });
}
