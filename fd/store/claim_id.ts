/**
 * Claims the next id. The record log of an fd is created with O_CREAT | O_EXCL, which only one process can win, on
 * local disks and on shared POSIX file systems, and a dead process leaves no lock behind. Logs are never deleted, so
 * ids are never reused. A hint says where to start; it may lag far behind after a race, so the search gallops and
 * bisects instead of stepping.
 */

import {
  makePrivateDirectories,
  NO_FOLLOW,
  openIfPossible,
  openPrivate,
  openReader,
  writePrivate,
} from "../disk/private_files.ts";
import { constants } from "node:fs";
import { closeReader, inFile, isThere } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, attempt, fail, failureOfSystem, ifPossible, systemCode } from "../disk/errors.ts";
import { makeStore, type Store } from "./open_store.ts";
import { FD_NUMBERS, type Numbering, numberPath, recordPath, shardPath } from "./store_paths.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";

/** A claimed id and its empty record log, open for appending. */
export interface Claim {
  id: number;
  recordFile: number;
}

/**
 * Claims an id for a new fd from `source`, that was never used and never will be again. Creates the store if it does not exist.
 * The record of an import has another `mode` at first (`unfinished_imports.ts`).
 */
export function claimFd(store: Store, source: string, mode?: number): Claim {
  for (;;) {
    const id = store.backend.takeId(source);
    if (id === undefined) return claimNumber(store, FD_NUMBERS, mode);
    const recordFile = createRecord(store, FD_NUMBERS, id);
    if (recordFile !== undefined) return { id, recordFile };
  }
}

/** Claims the next number of any numbering. */
export function claimNumber(store: Store, numbers: Numbering, mode?: number): Claim {
  const hintFile = openIfPossible(numberPath(store.path, numbers.hint), constants.O_RDWR | NO_FOLLOW);
  using _hint = atEnd(() => hintFile !== undefined && closeReader(hintFile));
  for (let id = firstToTry(store, numbers, hintFile);; id = freeAbove(store, numbers, id)) {
    const recordFile = createRecord(store, numbers, id, mode);
    if (recordFile === undefined) continue;
    if (hintFile === undefined) writeHint(store, numbers, id + 1);
    else putHint(hintFile, id + 1);
    return { id, recordFile };
  }
}

/** Returns the highest fd id ever claimed, or 0 if there are none. */
export function highestId(store: Store): number {
  return store.backend.highestId() ?? highestNumber(store, FD_NUMBERS);
}

/** Returns the highest number ever claimed of any numbering, or 0. */
export function highestNumber(store: Store, numbers: Numbering): number {
  const hinted = lastHinted(store, numbers);
  const lowest = hinted > 0 && isClaimed(store, numbers, hinted) ? hinted : readFloor(store, numbers);
  return freeAbove(store, numbers, lowest) - 1;
}

/** Returns the last number claimed according to the hint alone, or 0. */
export function lastHinted(store: Store, numbers: Numbering): number {
  const hint = ifPossible(() => inFile(openReader(numberPath(store.path, numbers.hint)), numberIn));
  return hint === undefined ? 0 : hint - 1;
}

/**
 * Returns the hinted id. If the one before it is free, the hint is wrong and would leave a gap, so it searches
 * instead.
 */
function firstToTry(store: Store, numbers: Numbering, hintFile: number | undefined): number {
  const hint = hintFile === undefined ? 1 : ifPossible(() => numberIn(hintFile)) ?? 1;
  if (hint > 1 && isClaimed(store, numbers, hint - 1)) return hint;
  const floor = readFloor(store, numbers);
  return hint === 1 ? floor + 1 : freeAbove(store, numbers, floor);
}

/**
 * Returns the highest id that counts as claimed without a record; 0 in a store that is not forked. A forked store
 * continues after the ids of its source, even if it received only some of its fds.
 */
export function readFloor(store: Store, numbers: Numbering = FD_NUMBERS): number {
  const path = numberPath(store.path, numbers.floor);
  const read = () => ifPossible(() => inFile(openReader(path), numberIn), "ENOENT", "ENOTDIR");
  // Continuing without a floor that cannot be read could reuse an id.
  return attempt("read", "read the id floor", path, read) ?? 0;
}

/** Writes the floor of a store being created. Throws system errors unchanged. */
export function writeFloor(store: Store, numbers: Numbering, id: number): void {
  writePrivate(numberPath(store.path, numbers.floor), encodeNumber(id));
}

/** Returns the first free id above `claimed`, which is taken (or 0). Invariant: `taken` is taken, `free` is free. */
function freeAbove(store: Store, numbers: Numbering, claimed: number): number {
  let taken = claimed;
  let step = 1;
  while (isClaimed(store, numbers, taken + step)) {
    taken += step;
    step *= 2;
  }
  let free = taken + step;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isClaimed(store, numbers, middle)) taken = middle;
    else free = middle;
  }
  return free;
}

function isClaimed(store: Store, numbers: Numbering, id: number): boolean {
  const path = recordPath(store.path, id, numbers);
  return attempt("read", "look for a record", path, () => isThere(path));
}

/** Creates the record log of `id`. Returns undefined if it already exists. */
function createRecord(store: Store, numbers: Numbering, id: number, mode?: number): number | undefined {
  const path = recordPath(store.path, id, numbers);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW;
  for (let isMade = false;; isMade = true) {
    try {
      // First fd of a store or shard: create the directories and retry.
      if (isMade) makePrivateDirectories(shardPath(store.path, id, numbers));
      return openPrivate(path, flags, mode);
    } catch (thrown) {
      const code = systemCode(thrown);
      if (code === "EEXIST") return undefined;
      if (isMade || code !== "ENOENT") {
        fail(failureOfSystem(thrown, "write", "create a record", path, "content"));
      }
    }
    makeStore(store);
  }
}

/** Hint and floor have a fixed width, so that a write replaces the previous number completely. */
const NUMBER_DIGITS = 15;

function encodeNumber(id: number): Uint8Array {
  return utf8Bytes(String(id).padStart(NUMBER_DIGITS, "0"));
}

/** Returns the number in an open hint or floor, or undefined if it is invalid. Throws system errors unchanged. */
function numberIn(file: number): number | undefined {
  const bytes = new Uint8Array(NUMBER_DIGITS);
  const isWhole = disk.read(file, bytes, 0, NUMBER_DIGITS, 0) === NUMBER_DIGITS;
  const id = isWhole ? Number(utf8Text(bytes)) : 0;
  return Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** Ignores system errors: without the hint the next claim only needs a few more look-ups. */
function putHint(file: number, id: number): void {
  ifPossible(() => disk.write(file, encodeNumber(id), 0, NUMBER_DIGITS, 0));
}

/** Writes the hint, creating it if it does not exist. Ignores system errors. */
export function writeHint(store: Store, numbers: Numbering, id: number): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW;
  const file = openIfPossible(numberPath(store.path, numbers.hint), flags);
  if (file === undefined) return;
  putHint(file, id);
  closeReader(file);
}
