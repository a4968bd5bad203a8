/**
 * Takes the next id. The record log of an fd is made with O_CREAT | O_EXCL, which one process alone can win, on a local
 * disk and on a shared POSIX file system alike, and no lock is left behind by a dead one. Logs stay for ever, so an id is
 * never free again. A hint says where to try first; it may lag far behind after a race, so the search gallops and
 * bisects instead of stepping.
 *
 * @module
 */

import { makePrivateDirectories, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { parseDecimal } from "../bytes/decimal.ts";
import { fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { makeStore, type Store } from "./open_store.ts";
import { fdNumbers, type Numbering } from "./store_paths.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** A taken id, and its empty record log, open for appending. */
export interface Claim {
  id: number;
  recordFile: number;
}

/** Takes an id that nobody had before and nobody will have again. Makes the store if it is not there. */
export function claimId(store: Store, numbers: Numbering = fdNumbers()): Claim {
  const hintFile = openHint(store, numbers, constants.O_RDWR);
  try {
    let id = firstToTry(store, numbers, hintFile);
    for (;;) {
      const recordFile = createRecord(store, numbers, id);
      if (recordFile !== undefined) {
        if (hintFile === undefined) writeHint(store, numbers, id + 1);
        else putHint(hintFile, id + 1);
        return { id, recordFile };
      }
      id = freeAbove(store, numbers, id);
    }
  } finally {
    if (hintFile !== undefined) closeReader(hintFile);
  }
}

/** The largest id of an fd that was ever claimed; 0 in a store that has none. */
export function highestId(store: Store): number {
  return highestNumber(store, fdNumbers());
}

/** The same for any numbering. */
export function highestNumber(store: Store, numbers: Numbering): number {
  const hinted = lastHinted(store, numbers);
  const lowest = hinted > 0 && isClaimed(store, numbers, hinted) ? hinted : readFloor(store, numbers);
  return freeAbove(store, numbers, lowest) - 1;
}

/** The number that was taken last, by the hint alone; 0 where it says none. */
export function lastHinted(store: Store, numbers: Numbering): number {
  const hintFile = openHint(store, numbers, constants.O_RDONLY);
  if (hintFile === undefined) return 0;
  try {
    return hintIn(hintFile) - 1;
  } finally {
    closeReader(hintFile);
  }
}

/** The hinted id, unless the one before it is free: then the hint is wrong, and would leave a gap. */
function firstToTry(store: Store, numbers: Numbering, hintFile: number | undefined): number {
  const hint = hintFile === undefined ? 1 : hintIn(hintFile);
  if (hint > 1 && isClaimed(store, numbers, hint - 1)) return hint;
  const floor = readFloor(store, numbers);
  return hint === 1 ? floor + 1 : freeAbove(store, numbers, floor);
}

/**
 * The largest id that counts as taken without a record: a forked store goes on where the other one was, also where it
 * was given only some of its fds. 0 in any other store.
 */
export function readFloor(store: Store, numbers: Numbering = fdNumbers()): number {
  const path = numbers.floorPath(store.path);
  try {
    return readNumber(path) ?? 0;
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return 0;
    // To go on without it could give an id away a second time.
    return fail(failureOfSystem(thrown, "read", "read the lowest free id", path));
  }
}

/** Writes the floor of a store that is being made. Throws the system's error as it came. */
export function writeFloor(store: Store, numbers: Numbering, id: number): void {
  const file = openPrivate(
    numbers.floorPath(store.path),
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
  );
  try {
    writeWhole(file, encodeNumber(id));
  } finally {
    disk.close(file);
  }
}

/** The first free id above `claimed`, which is taken (or 0). Invariant: `taken` is taken, `free` is free. */
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
  try {
    return disk.lstat(numbers.recordPath(store.path, id), { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "look for a record", numbers.recordPath(store.path, id)));
  }
}

/** Makes the record log of `id`; undefined where somebody else has it. */
function createRecord(store: Store, numbers: Numbering, id: number): number | undefined {
  const path = numbers.recordPath(store.path, id);
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW;
  try {
    return openPrivate(path, flags);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "EEXIST") return undefined;
    if (code !== "ENOENT") fail(failureOfSystem(thrown, "write", "create a record", path));
  }
  // The first fd of a store or of a shard: make the directories, then try again.
  makeStore(store);
  try {
    makePrivateDirectories(numbers.shardPath(store.path, id));
    return openPrivate(path, flags);
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return undefined;
    return fail(failureOfSystem(thrown, "write", "create a record", path));
  }
}

/** Hint and floor are a fixed number of digits, so that a write replaces all of the one before. */
const NUMBER_DIGITS = 15;

function encodeNumber(id: number): Uint8Array {
  return utf8Bytes(String(id).padStart(NUMBER_DIGITS, "0"));
}

/** Opens the hint; undefined where there is none, or none that can be had. */
function openHint(store: Store, numbers: Numbering, access: number): number | undefined {
  try {
    return disk.open(numbers.hintPath(store.path), access | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return undefined;
  }
}

/** The id that an open hint hints at. */
function hintIn(file: number): number {
  try {
    const id = Number(digitsIn(file));
    return Number.isSafeInteger(id) && id > 0 ? id : 1;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return 1;
  }
}

/** What an open file holds in a number's place, none where it is too short. Throws the system's error as it came. */
function digitsIn(file: number): string {
  const bytes = new Uint8Array(NUMBER_DIGITS);
  return disk.read(file, bytes, 0, NUMBER_DIGITS, 0) === NUMBER_DIGITS ? utf8Text(bytes) : "";
}

/** The number in the file at `path`; undefined where it holds none. Throws the system's error as it came. */
function readNumber(path: string): number | undefined {
  const file = disk.open(path, constants.O_RDONLY | NO_FOLLOW);
  try {
    return parseDecimal(digitsIn(file));
  } finally {
    closeReader(file);
  }
}

/** A hint that cannot be written costs the next claim some look-ups and nothing else, so no failure is reported. */
function putHint(file: number, id: number): void {
  try {
    disk.write(file, encodeNumber(id), 0, NUMBER_DIGITS, 0);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

/** The same where there may be no hint yet. */
export function writeHint(store: Store, numbers: Numbering, id: number): void {
  let file: number;
  try {
    file = openPrivate(numbers.hintPath(store.path), constants.O_WRONLY | constants.O_CREAT | NO_FOLLOW);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return;
  }
  putHint(file, id);
  closeReader(file);
}
