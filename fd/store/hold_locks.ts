/**
 * Locks by name, on one machine or a shared store, that a dead process cannot hold forever.
 *
 * To take a lock, a process first creates a file of its own whose name says what is locked and by whom, and only then
 * looks for other such files. If no living process has one, it holds the lock: of two overlapping attempts, the later
 * one to create its file must see the earlier one's, so both can never hold it. Otherwise it deletes its own file,
 * unless its name sorts first: then it keeps the file and waits, so that one process always makes progress. Files of
 * dead processes are deleted by whichever process finds them; their names are never reused, so that cannot race.
 */

import { makePrivateDirectory, writePrivate } from "../disk/private_files.ts";
import { basename, join } from "node:path";
import { blockSumText } from "../bytes/block_sum.ts";
import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, attempt, ifPossible } from "../disk/errors.ts";
import { makeStore, type Store } from "./open_store.ts";
import { namesIn, randomName } from "../disk/file_calls.ts";
import { locksPath } from "./further_paths.ts";
import { thisWriter, writerFate, type WriterIdentity } from "./writer_identity.ts";

/**
 * How long a holder that cannot be checked (on another machine or in another container) counts as alive, whichever
 * clock is ahead.
 */
const UNKNOWN_HOLDER_MS = 10 * 60 * 1000;

/**
 * Takes the locks of all `keys`, waiting at most `waitMs` milliseconds in total. All processes take them in the same
 * order, so two that need the same locks do not deadlock. Returns undefined on timeout; then none is held.
 * `release` releases all.
 *
 * @throws {FdError} if the store cannot be written.
 */
export async function holdLocks(
  store: Store,
  keys: readonly string[],
  waitMs: number,
): Promise<{ release(): void } | undefined> {
  // Sums collide once in 2³²; then two writers wait for each other unnecessarily.
  const names = [...new Set(keys.map((key) => blockSumText(utf8Bytes(key))))].sort();
  const deadlineMs = performance.now() + waitMs;
  const held: string[] = [];
  const release = () => held.forEach(giveUpLock);
  let areHeld = false;
  using _held = atEnd(() => areHeld || release());
  makeStore(store);
  const path = locksPath(store.path);
  attempt("write", "create the lock directory", path, () => makePrivateDirectory(path));
  const free = takeFree(path, names);
  held.push(...free ?? []);
  for (const name of free === undefined ? names : []) {
    const path = await takeLock(store, name, deadlineMs);
    if (path === undefined) return undefined;
    held.push(path);
  }
  areHeld = true;
  return { release };
}

/**
 * Takes all locks with a single directory listing, which matters for thousands of them. Returns undefined, holding
 * none, if any of them is taken.
 */
function takeFree(directory: string, names: readonly string[]): string[] | undefined {
  const paths: string[] = [];
  let isFree = false;
  using _paths = atEnd(() => isFree || paths.forEach(giveUpLock));
  for (const name of names) {
    const path = join(directory, ownFileName(name));
    paths.push(path);
    makeLock(path);
  }
  const own = new Set(paths.map((path) => basename(path)));
  isFree = livingHolders(directory, new Set(names), own).length === 0;
  return isFree ? paths : undefined;
}

async function takeLock(store: Store, name: string, deadlineMs: number): Promise<string | undefined> {
  const directory = locksPath(store.path);
  let own: string | undefined;
  let isOurs = false;
  using _own = atEnd(() => isOurs || own === undefined || giveUpLock(join(directory, own)));
  for (;;) {
    if (own === undefined) {
      own = ownFileName(name);
      makeLock(join(directory, own));
    }
    const others = livingHolders(directory, new Set([name]), new Set([own]));
    isOurs = others.length === 0;
    if (isOurs) return join(directory, own);
    if (performance.now() >= deadlineMs) return undefined;
    if (others.some((other) => other < own!)) {
      giveUpLock(join(directory, own));
      own = undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 10));
  }
}

/**
 * Returns other processes' files for the locks `names`, and deletes those of dead ones. `own` are the caller's files.
 */
function livingHolders(directory: string, names: ReadonlySet<string>, own: ReadonlySet<string>): string[] {
  const living: string[] = [];
  for (const other of namesIn(directory)) {
    if (own.has(other) || !names.has(other.slice(0, other.indexOf(".")))) continue;
    if (isHeld(directory, other)) living.push(other);
    else ifPossible(() => disk.unlink(join(directory, other)));
  }
  return living;
}

function isHeld(directory: string, fileName: string): boolean {
  const holder = parseHolder(fileName);
  // A file of this process counts only if it still holds the lock: deleting a released one may have failed.
  if (fileName.includes(`.${holderName(thisWriter())}.`)) return heldHere.has(fileName);
  const fate = holder === undefined ? "unknown" : writerFate(holder);
  if (fate !== "unknown") return fate === "alive";
  return attempt("read", "look at the lock", join(directory, fileName), () => {
    const stat = disk.lstat(join(directory, fileName), { throwIfNoEntry: false });
    return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < UNKNOWN_HOLDER_MS;
  });
}

/** Names a file with which this process requests or holds the lock `name`. */
function ownFileName(name: string): string {
  return `${name}.${holderName(thisWriter())}.${randomName()}`;
}

/** Encodes the holder in the file name, so that creating the file records the holder atomically. */
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

function makeLock(path: string): void {
  heldHere.add(basename(path));
  attempt("write", "lock", path, () => writePrivate(path, new Uint8Array()));
}

/** Lock files created by this process and not released. */
const heldHere = new Set<string>();

/** Ignores system errors: a lock that cannot be deleted expires when its process ends or has released it. */
function giveUpLock(path: string): void {
  heldHere.delete(basename(path));
  ifPossible(() => disk.unlink(path));
}
