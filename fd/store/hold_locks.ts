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
import { join } from "node:path";
import { blockSumText } from "../bytes/block_sum.ts";
import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { attempt, ifPossible } from "../disk/errors.ts";
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
  const names = new Set(keys.map((key) => blockSumText(utf8Bytes(key))).sort());
  const deadlineMs = performance.now() + waitMs;
  makeStore(store);
  const directory = locksPath(store.path);
  attempt("write", "create the lock directory", directory, () => makePrivateDirectory(directory));
  const held = new Set<string>();
  let areHeld = false;
  try {
    areHeld = takeFree(directory, names, held) || await takeInTurn(directory, names, held, deadlineMs);
  } finally {
    if (!areHeld) giveUpLocks(directory, held);
  }
  return areHeld ? { release: () => giveUpLocks(directory, held) } : undefined;
}

/**
 * Takes all locks with a single directory listing, which matters for thousands of them. Returns false, holding none, if
 * any of them is taken.
 */
function takeFree(directory: string, names: ReadonlySet<string>, held: Set<string>): boolean {
  for (const name of names) makeLock(directory, name, held);
  const isFree = livingHolders(directory, names, held).length === 0;
  if (!isFree) giveUpLocks(directory, held);
  return isFree;
}

/** Takes the locks one after the other. Returns false on timeout. */
async function takeInTurn(
  directory: string,
  names: ReadonlySet<string>,
  held: Set<string>,
  deadlineMs: number,
): Promise<boolean> {
  for (const name of names) {
    let own: string | undefined;
    for (;;) {
      own ??= makeLock(directory, name, held);
      const others = livingHolders(directory, new Set([name]), held);
      if (others.length === 0) break;
      if (performance.now() >= deadlineMs) return false;
      if (others.some((other) => other < own!)) {
        giveUpLocks(directory, held, [own]);
        own = undefined;
      }
      await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 10));
    }
  }
  return true;
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

/** Makes the file with which this process requests or holds the lock `name`, and adds it to `held`. */
function makeLock(directory: string, name: string, held: Set<string>): string {
  const file = `${name}.${holderName(thisWriter())}.${randomName()}`;
  const path = join(directory, file);
  held.add(file);
  heldHere.add(file);
  attempt("write", "lock", path, () => writePrivate(path, new Uint8Array()));
  return file;
}

/** Lock files created by this process and not released. */
const heldHere = new Set<string>();

/** Ignores system errors: a lock that cannot be deleted expires when its process ends or has released it. */
function giveUpLocks(directory: string, held: Set<string>, files: Iterable<string> = held): void {
  for (const file of files) {
    held.delete(file);
    heldHere.delete(file);
    ifPossible(() => disk.unlink(join(directory, file)));
  }
}
