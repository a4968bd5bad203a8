/**
 * Takes the next id. The record log of an fd is made with O_CREAT | O_EXCL, which one process alone can win, on a local
 * disk and on a shared POSIX file system alike, and no lock is left behind by a dead one. Logs stay for ever, so an id is
 * never free again. A hint says where to try first; it may lag far behind after a race, so the search gallops and
 * bisects instead of stepping.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { closeReader } from "./close_reader.ts";
import { disk } from "./disk.ts";
import { fail, failureOfSystem, systemCode } from "./errors.ts";
import { makeStore, NO_FOLLOW, type Store } from "./open_store.ts";
import { DIRECTORY_MODE, FILE_MODE, hintPath, recordPath, shardPath } from "./store_paths.ts";

/** A taken id, and its empty record log, open for appending. */
export interface Claim {
  id: number;
  recordFile: number;
}

/** Takes an id that nobody had before and nobody will have again. Makes the store if it is not there. */
export function claimId(store: Store): Claim {
  let id = firstToTry(store);
  for (;;) {
    const recordFile = createRecord(store, id);
    if (recordFile !== undefined) {
      writeHint(store, id + 1);
      return { id, recordFile };
    }
    id = freeAbove(store, id);
  }
}

/** The largest id that was ever claimed; 0 in a store that has none. */
export function highestId(store: Store): number {
  const hint = readHint(store);
  const lowest = hint > 1 && isClaimed(store, hint - 1) ? hint - 1 : 0;
  return freeAbove(store, lowest) - 1;
}

/** The hinted id, unless the one before it is free: then the hint is wrong, and would leave a gap. */
function firstToTry(store: Store): number {
  const hint = readHint(store);
  return hint === 1 || isClaimed(store, hint - 1) ? hint : freeAbove(store, 0);
}

/** The first free id above `claimed`, which is taken (or 0). Invariant: `taken` is taken, `free` is free. */
function freeAbove(store: Store, claimed: number): number {
  let taken = claimed;
  let step = 1;
  while (isClaimed(store, taken + step)) {
    taken += step;
    step *= 2;
  }
  let free = taken + step;
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isClaimed(store, middle)) taken = middle;
    else free = middle;
  }
  return free;
}

function isClaimed(store: Store, id: number): boolean {
  try {
    return disk.lstat(recordPath(store.path, id), { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "look for a record", recordPath(store.path, id)));
  }
}

/** Makes the record log of `id`; undefined where somebody else has it. */
function createRecord(store: Store, id: number): number | undefined {
  const path = recordPath(store.path, id);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW;
  try {
    return disk.open(path, flags, FILE_MODE);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "EEXIST") return undefined;
    if (code !== "ENOENT") fail(failureOfSystem(thrown, "write", "create a record", path));
  }
  // The first fd of a store or of a shard: make the directories, then try again.
  makeStore(store);
  try {
    disk.mkdir(shardPath(store.path, id), { recursive: true, mode: DIRECTORY_MODE });
    return disk.open(path, flags, FILE_MODE);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return undefined;
    return fail(failureOfSystem(thrown, "write", "create a record", path));
  }
}

/** The hint as a fixed number of digits, so that a write replaces all of the one before. */
const HINT_DIGITS = 15;

function readHint(store: Store): number {
  try {
    const file = disk.open(hintPath(store.path), constants.O_RDONLY | NO_FOLLOW);
    try {
      const bytes = Buffer.alloc(HINT_DIGITS);
      const length = disk.read(file, bytes, 0, HINT_DIGITS, 0);
      const text = bytes.toString("latin1", 0, length);
      return /^[0-9]{15}$/.test(text) ? Math.max(1, Number(text)) : 1;
    } finally {
      closeReader(file);
    }
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return 1;
  }
}

/** A hint that cannot be written costs the next claim some look-ups and nothing else, so no failure is reported. */
function writeHint(store: Store, id: number): void {
  try {
    const file = disk.open(
      hintPath(store.path),
      constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW,
      FILE_MODE,
    );
    try {
      disk.write(file, Buffer.from(String(id).padStart(HINT_DIGITS, "0")), 0, HINT_DIGITS, 0);
    } finally {
      disk.close(file);
    }
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
