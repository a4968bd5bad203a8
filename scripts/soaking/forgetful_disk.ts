/**
 * A disk that loses unsynced data. It passes calls through and records the state after a power cut: a file's bytes and a
 * directory's names at the last sync, and the changes since, of which any may have reached the disk, in any order.
 * `cutPower` puts the directory in such a state.
 */

import { Buffer } from "node:buffer";
import {
  chmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type DiskMember, watchDisk } from "../../tests/watched_disk.ts";
import type { Choices } from "./random_choices.ts";

/** A file's content at its last sync, and its permission bits. */
interface Held {
  synced: Uint8Array;
  mode: number;
}

/** An unsynced change in one directory (an inode): a name added, with its file or directory, or removed. */
interface Change {
  directory: number;
  set?: { name: string; node: number } | undefined;
  unset?: { directory: number; name: string } | undefined;
}

/** Thrown by every call after the power cut. */
export class PowerCut extends Error {
  /** A system error, which the code under test converts to a typed failure. */
  readonly code = "EIO";
  constructor() {
    super("EIO: the power went");
  }
}

/** A directory tree under observation. */
export interface ForgetfulDisk {
  /** Calls that were let through. */
  readonly callCount: number;
  /** From the call of this number on, every call fails. */
  failFrom(callNumber: number): void;
  /** Ends the observation, and leaves under the root what a power cut could leave. */
  cutPower(choices: Choices): void;
}

/** Observes `root`, which is taken as wholly synced. The disk of `fd/` is replaced until `cutPower`. */
export function forgetfulDisk(root: string): ForgetfulDisk {
  const files = new Map<number, Held>();
  /** Names that are safe, and the inode behind each, by the inode of their directory. */
  const safe = new Map<number, Map<string, number>>();
  let pending: Change[] = [];
  let callCount = 0;
  let failingFrom = Infinity;

  const isWatched = (path: string) => path === root || path.startsWith(`${root}/`);
  const placeOf = (path: string) => {
    const parent = realpathSync(dirname(path));
    return { directory: lstatSync(parent).ino, name: basename(path), path: join(parent, basename(path)) };
  };
  const nodeAt = (path: string) => {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? undefined : stat.ino;
  };
  const walk = (directory: string) => {
    const names = new Map<string, number>();
    safe.set(lstatSync(directory).ino, names);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      const stat = lstatSync(path);
      names.set(entry.name, stat.ino);
      if (entry.isDirectory()) walk(path);
      else files.set(stat.ino, { synced: readFileSync(path), mode: stat.mode & 0o7777 });
    }
  };
  walk(root);
  /** Returns a file's content after the power cut, which may include unsynced bytes. */
  const current = new Map<number, Uint8Array>();

  const noteFile = (path: string) => {
    const stat = statSync(path);
    if (!stat.isFile()) return;
    current.set(stat.ino, readFileSync(path));
    const held = files.get(stat.ino);
    if (held === undefined) files.set(stat.ino, { synced: new Uint8Array(), mode: stat.mode & 0o7777 });
  };
  const noteRemoval = (removed: string) => {
    const { directory, name, path } = placeOf(removed);
    if (isWatched(path)) pending.push({ directory, unset: { directory, name } });
  };
  const effects: Partial<
    Record<DiskMember, (parameters: unknown[], before: unknown, result: unknown) => void>
  > = {
    open([path, flags], before) {
      if (typeof path !== "string" || typeof flags !== "number" || (flags & constants.O_CREAT) === 0) return;
      const place = placeOf(path);
      if (!isWatched(place.path) || before !== undefined) return;
      const node = nodeAt(place.path)!;
      // The number of a deleted inode may be reused.
      files.set(node, { synced: new Uint8Array(), mode: lstatSync(place.path).mode & 0o7777 });
      current.set(node, new Uint8Array());
      pending.push({ directory: place.directory, set: { name: place.name, node } });
    },
    mkdir([path]) {
      const place = placeOf(String(path));
      if (!isWatched(place.path)) return;
      const node = nodeAt(place.path)!;
      safe.set(node, new Map());
      pending.push({ directory: place.directory, set: { name: place.name, node } });
    },
    rename([from, to], node) {
      const old = placeOf(String(from));
      const place = placeOf(String(to));
      if (!isWatched(place.path)) return;
      pending.push({
        directory: place.directory,
        set: { name: place.name, node: node as number },
        unset: { directory: old.directory, name: old.name },
      });
    },
    link([_from, to]) {
      const place = placeOf(String(to));
      if (!isWatched(place.path)) return;
      pending.push({ directory: place.directory, set: { name: place.name, node: nodeAt(place.path)! } });
    },
    unlink: ([path]) => noteRemoval(String(path)),
    rmdir: ([path]) => noteRemoval(String(path)),
    fsync([handle]) {
      const path = `/proc/self/fd/${handle}`;
      const stat = fstatSync(handle as number);
      if (stat.isFile()) files.set(stat.ino, { synced: readFileSync(path), mode: stat.mode & 0o7777 });
      else if (stat.isDirectory()) syncNames(stat.ino);
    },
    fchmod([handle]) {
      const stat = fstatSync(handle as number);
      const held = files.get(stat.ino);
      if (held !== undefined) held.mode = stat.mode & 0o7777;
    },
    write: ([handle]) => noteFile(`/proc/self/fd/${handle}`),
    ftruncate: ([handle]) => noteFile(`/proc/self/fd/${handle}`),
  };

  const apply = (change: Change) => {
    if (change.unset !== undefined) {
      const names = safe.get(change.unset.directory);
      // A later file of that name has another inode.
      if (change.set === undefined || names?.get(change.unset.name) === change.set.node) {
        names?.delete(change.unset.name);
      }
    }
    if (change.set !== undefined) safe.get(change.directory)?.set(change.set.name, change.set.node);
  };
  const syncNames = (directory: number) => {
    const touches = ({ directory: one, unset }: Change) =>
      one === directory || unset?.directory === directory;
    pending.filter(touches).forEach(apply);
    pending = pending.filter((change) => !touches(change));
  };

  const putBack = watchDisk((member, call, parameters) => {
    callCount++;
    if (callCount >= failingFrom) {
      if (member === "close") call(...parameters);
      throw new PowerCut();
    }
    const [path] = parameters;
    const before = (member === "rename" || member === "open") && typeof path === "string"
      ? nodeAt(path)
      : undefined;
    const result = call(...parameters);
    effects[member]?.(parameters, before, result);
    return result;
  });

  return {
    get callCount() {
      return callCount;
    },
    failFrom(callNumber) {
      failingFrom = callNumber;
    },
    cutPower(choices) {
      putBack();
      for (const change of pending) if (choices.onceIn(2)) apply(change);
      const gone = `${root}-before-the-cut`;
      const node = lstatSync(root).ino;
      renameSync(root, gone);
      lay(root, node, pathsByNode(gone), choices);
      rmSync(gone, { recursive: true });
    },
  };

  /** A file that is still there stays the same inode, under all of its names, and keeps its time unless it lost bytes. */
  function lay(directory: string, inode: number, paths: ReadonlyMap<number, string>, choices: Choices): void {
    mkdirSync(directory, { mode: 0o700 });
    for (const [name, node] of safe.get(inode) ?? []) {
      const path = join(directory, name);
      const held = files.get(node);
      if (held === undefined) {
        lay(path, node, paths, choices);
        continue;
      }
      const was = paths.get(node);
      if (was !== undefined) linkSync(was, path);
      const bytes = survivingBytes(held.synced, current.get(node) ?? held.synced, choices);
      if (was === undefined || Buffer.compare(readFileSync(path), bytes) !== 0) writeFileSync(path, bytes);
      chmodSync(path, held.mode);
    }
  }
}

/** A path of every file below `directory`, by inode. */
function pathsByNode(directory: string): Map<number, string> {
  const paths = new Map<number, string>();
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) paths.set(lstatSync(path).ino, path);
  }
  return paths;
}

const DISK_BLOCK = 512;

/** Returns possible bytes after a power cut: the synced ones, all, or some of the unsynced blocks. */
function survivingBytes(synced: Uint8Array, current: Uint8Array, choices: Choices): Uint8Array {
  switch (choices.whole(0, 3)) {
    case 0:
      return synced;
    case 1:
      return current;
    case 2:
      return current.length > synced.length
        ? current.subarray(0, choices.whole(synced.length, current.length))
        : synced;
    default: {
      // The length was written, but not every block: missing blocks read as zeros.
      const mixed = Uint8Array.from(current);
      for (let at = 0; at < mixed.length; at += DISK_BLOCK) {
        if (!choices.onceIn(2)) continue;
        for (let byte = at; byte < Math.min(at + DISK_BLOCK, mixed.length); byte++) {
          mixed[byte] = synced[byte] ?? 0;
        }
      }
      return mixed;
    }
  }
}
