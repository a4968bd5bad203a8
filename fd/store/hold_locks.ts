/**
 * One writer at a time for a thing that has a name, on one machine or on a shared store, without a lock that a dead
 * process can hold for ever.
 *
 * Everybody who wants the lock first makes a file of its own, whose name says what is locked and who wants it, and only
 * then looks who else has one. Whoever sees none that belongs to a living process holds the lock: of two that overlap,
 * the later one to make its file must see the earlier one's, so both can never hold it. Who sees another takes its own
 * file back, unless its name sorts first: that one stays and waits, so that somebody always gets on. Files of the dead
 * are removed by whoever meets them; their names are never used again, so there is no race about that.
 *
 * @module
 */

import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { basename, join } from "node:path";
import { Buffer } from "node:buffer";
import { blockSumText } from "../bytes/block_sum.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { makeStore, type Store } from "./open_store.ts";
import { randomName } from "../disk/random_name.ts";
import { locksPath } from "./store_paths.ts";
import { thisWriter, writerFate, type WriterIdentity } from "./writer_identity.ts";

/** Locks that are held, until `release` is called. */
export interface HeldLocks {
  /** Lets go of all of them. */
  release(): void;
}

/** A holder that cannot be looked up (another machine or container) is believed this long, by whichever clock is ahead. */
const UNKNOWN_HOLDER_MS = 10 * 60 * 1000;

/**
 * Takes the locks of all `keys`, waiting at most `waitMs` milliseconds for all of them together. They are taken in an
 * order that is the same for everybody, so two that want the same ones do not wait for each other. Undefined where the
 * time ran out; then none is held.
 *
 * @throws {FdError} where the store cannot be written.
 */
export async function holdLocks(
  store: Store,
  keys: readonly string[],
  waitMs: number,
): Promise<HeldLocks | undefined> {
  const names = [...new Set(keys.map(lockName))].sort();
  const deadlineMs = performance.now() + waitMs;
  const held: string[] = [];
  const release = () => held.forEach(giveUpLock);
  try {
    makeLocks(store);
    const free = takeFree(locksPath(store.path), names);
    held.push(...free ?? []);
    for (const name of free === undefined ? names : []) {
      const path = await takeLock(store, name, deadlineMs);
      if (path === undefined) {
        release();
        return undefined;
      }
      held.push(path);
    }
  } catch (thrown) {
    release();
    throw thrown;
  }
  return { release };
}

/**
 * Takes all locks with one look at the directory, which for thousands of them is long; undefined, and none is held, where
 * another has one of them.
 */
function takeFree(directory: string, names: readonly string[]): string[] | undefined {
  const paths: string[] = [];
  let isFree = false;
  try {
    for (const name of names) {
      const path = join(directory, ownFileName(name));
      paths.push(path);
      makeLock(path);
    }
    isFree = livingHolders(
      directory,
      new Set(names),
      new Set(paths.map((path) => basename(path))),
    ).length === 0;
  } finally {
    if (!isFree) paths.forEach(giveUpLock);
  }
  return isFree ? paths : undefined;
}

async function takeLock(store: Store, name: string, deadlineMs: number): Promise<string | undefined> {
  const directory = locksPath(store.path);
  let own: string | undefined;
  try {
    for (;;) {
      if (own === undefined) {
        own = ownFileName(name);
        makeLock(join(directory, own));
      }
      const others = livingHolders(directory, new Set([name]), new Set([own]));
      if (others.length === 0) return join(directory, own);
      const tooLate = performance.now() >= deadlineMs;
      if (tooLate || others.some((other) => other < own!)) {
        giveUpLock(join(directory, own));
        own = undefined;
      }
      if (tooLate) return undefined;
      await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 10));
    }
  } catch (thrown) {
    if (own !== undefined) giveUpLock(join(directory, own));
    throw thrown;
  }
}

/** Names of others' files for the locks `names`, those of the dead removed on the way. `own` are the caller's files. */
function livingHolders(directory: string, names: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  const living: string[] = [];
  for (const other of namesIn(directory)) {
    if (own.has(other) || !names.has(other.slice(0, other.indexOf(".")))) continue;
    if (isHeld(directory, other)) living.push(other);
    else dropLock(join(directory, other));
  }
  return living;
}

function isHeld(directory: string, fileName: string): boolean {
  const holder = parseHolder(fileName);
  // One of this process that it no longer holds, and that could not be removed.
  if (fileName.includes(`.${holderName(thisWriter())}.`)) return heldHere.has(fileName);
  const fate = holder === undefined ? "unknown" : writerFate(holder);
  if (fate !== "unknown") return fate === "alive";
  try {
    const stat = disk.lstat(join(directory, fileName), { throwIfNoEntry: false });
    return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < UNKNOWN_HOLDER_MS;
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "look at the lock", join(directory, fileName)));
  }
}

/** Sums collide once in 2³²; then two writers wait for each other that need not. */
function lockName(key: string): string {
  return blockSumText(Buffer.from(key));
}

/** The name of a file by which this process wants or holds the lock `name`. */
function ownFileName(name: string): string {
  return `${name}.${holderName(thisWriter())}.${randomName()}`;
}

/** Who holds it, as a part of the file's name, so that making the file says it in the same moment. */
function holderName(writer: WriterIdentity): string {
  const space = /[0-9]+/.exec(writer.space ?? "")?.[0] ?? "";
  return `${writer.pid}.${writer.started ?? ""}.${writer.boot ?? ""}.${space}`;
}

function parseHolder(fileName: string): WriterIdentity | undefined {
  const [, pid, started, boot, space] = fileName.split(".");
  if (pid === undefined || !/^[0-9]+$/.test(pid)) return undefined;
  return {
    pid: Number(pid),
    started: started || undefined,
    boot: boot || undefined,
    space: space ? `pid:[${space}]` : undefined,
  };
}

/** Makes the directory of locks where it is not there. */
function makeLocks(store: Store): void {
  makeStore(store);
  try {
    makePrivateDirectory(locksPath(store.path));
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "make the directory of locks", locksPath(store.path)));
  }
}

function makeLock(path: string): void {
  heldHere.add(basename(path));
  try {
    disk.close(
      openPrivate(path, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | NO_FOLLOW),
    );
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "lock", path));
  }
}

/** The names of the lock files that this process made and has not given up. */
const heldHere = new Set<string>();

function giveUpLock(path: string): void {
  heldHere.delete(basename(path));
  dropLock(path);
}

/** A lock that cannot be removed ends with its holder's process, or when that process gave it up. */
function dropLock(path: string): void {
  try {
    disk.unlink(path);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

function namesIn(directory: string): string[] {
  try {
    return disk.readdir(directory) as string[];
  } catch (thrown) {
    return fail(failureOfSystem(thrown, "read", "list the locks", directory));
  }
}
