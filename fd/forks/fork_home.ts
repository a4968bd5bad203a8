/**
 * Where the store of a forked command lives while the command runs: a directory inside of the store it was forked from,
 * so that its files can be shared. Its owners are the process that made it and the command; when neither runs any more
 * (somebody killed the first, so that nobody was left to tidy up) it is litter.
 *
 * @module
 */

import { constants } from "node:fs";
import * as v from "valibot";
import {
  appendCheckedLine,
  readCheckedLines,
  readCheckedLog,
  writeCheckedLine,
} from "../store/checked_log.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { namesIn } from "../records/list_fds.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { randomName } from "../disk/random_name.ts";
import { forkOwnersPath, forkPath, forksPath } from "../store/store_paths.ts";
import { identityOf, thisWriter, writerFate, type WriterIdentity } from "../store/writer_identity.ts";

const ownerLine = v.object({
  event: v.literal("owner"),
  writer: v.object({
    pid: v.number(),
    started: v.optional(v.string()),
    boot: v.optional(v.string()),
    space: v.optional(v.string()),
  }),
});

/** Makes an empty directory for a forked store, owned by this process; answers its path. */
export function makeForkHome(store: Store): string {
  const name = `${process.pid}-${randomName()}`;
  const path = forkPath(store.path, name);
  try {
    makeStore(store);
    makePrivateDirectory(forksPath(store.path));
    makePrivateDirectory(path);
    const file = openPrivate(
      forkOwnersPath(path),
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
    );
    try {
      writeCheckedLine(file, ownership(thisWriter()));
    } finally {
      disk.close(file);
    }
    return path;
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "write", "make the store", path));
  }
}

/** Writes down that the process `pid` uses the forked store at `path` too. */
export function addForkOwner(path: string, pid: number): void {
  appendCheckedLine(forkOwnersPath(path), ownership(identityOf(pid)), false);
}

function ownership(writer: WriterIdentity): v.InferOutput<typeof ownerLine> {
  return { event: "owner", writer };
}

/** Removes a forked store, and all in it. What is shared with other stores stays in them. */
export function dropForkHome(path: string): void {
  try {
    disk.removeTree(path, { recursive: true, force: true });
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "remove the forked store", path));
  }
}

/** One whose owners cannot be looked up (another machine or container) is left alone this long. */
const UNKNOWN_OWNER_MS = 24 * 60 * 60 * 1000;

/** Removes the forked stores that nobody is left to use; answers how many. */
export function dropDeadForks(store: Store, nowMs: number): number {
  return namesIn(forksPath(store.path))
    .map((name) => forkPath(store.path, name))
    .filter((path) => isDead(path, nowMs) && isDropped(path))
    .length;
}

/** Somebody else may be about the same; then it is done, and what is left is tried again next time. */
function isDropped(path: string): boolean {
  try {
    dropForkHome(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof FdError) return false;
    throw thrown;
  }
}

function isDead(path: string, nowMs: number): boolean {
  const owners = ownersOf(path);
  if (owners === undefined) return false;
  const fates = owners.map(writerFate);
  if (fates.includes("alive")) return false;
  if (owners.length > 0 && !fates.includes("unknown")) return true;
  return nowMs - changedMs(path) > UNKNOWN_OWNER_MS;
}

/** Who uses the forked store; undefined where that cannot be read now. What is no log names nobody, and is no reason to stop. */
function ownersOf(path: string): WriterIdentity[] | undefined {
  const owners: WriterIdentity[] = [];
  const onLine = (value: unknown) => {
    const parsed = v.safeParse(ownerLine, value);
    if (parsed.success) owners.push(parsed.output.writer);
  };
  try {
    if (disk.lstat(forkOwnersPath(path), { throwIfNoEntry: false })?.isFile() !== true) return [];
    const log = readCheckedLog(forkOwnersPath(path), path);
    if (log !== undefined) readCheckedLines(log, onLine);
    return owners;
  } catch (thrown) {
    if (thrown instanceof FdError || systemCode(thrown) !== undefined) return undefined;
    throw thrown;
  }
}

function changedMs(path: string): number {
  try {
    return disk.lstat(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return Infinity;
  }
}
