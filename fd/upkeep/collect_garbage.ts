/**
 * Cleaning: what is too old goes, then, oldest first, what is over the quota (contract, The store). Named and live
 * fds stay, and so do backups younger than the age limit.
 *
 * @module
 */

import { join } from "node:path";
import { listNames } from "../store/bind_name.ts";
import { disk } from "../disk/disk.ts";
import { fail, FdError, type FdFailure } from "../disk/errors.ts";
import { dropDeadForks } from "../forks/fork_home.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { listContentIds, listFds, namesIn } from "../records/list_fds.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";
import { dropContent, type Removal, removeUnless } from "./remove_fd.ts";
import { listOpenTransactions } from "../store/transaction_marks.ts";
import { machineTime, nextNote, readClockNote, sweptMs, writeClockNote } from "./believed_clock.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { namesPath, temporaryDirectory } from "../store/store_paths.ts";

/** What cleaning did, or, as a dry run, would do. */
export interface GcReport {
  /** The fds that went, oldest first. */
  removed: Removal[];
  /** Bytes of content before and after. */
  bytesBefore: number;
  /** Bytes of content that are left. */
  bytesAfter: number;
  /** Files that interrupted work had left behind. */
  litterCount: number;
  /** Whether nothing else was to go. */
  isAll: boolean;
  /** What kept records from being read; their fds stay. */
  unreadable: FdFailure[];
  /** Fds that stay because only a clock that is not believed makes them too old. */
  doubtedCount: number;
  /** By how much the clock is ahead of what is believed. */
  clockAheadMs: number;
}

/** The source of fds that hold what a write replaced. They are kept for the whole age limit, whatever the quota. */
export const BACKUP_SOURCE = "backup";
/** The source of fds that hold a plan as it was applied. */
export const PLAN_SOURCE = "plan";
/** The source of fds that hold a request that waits for the answer to a question. */
export const INQUIRY_SOURCE = "inquiry";

/** What the writing side still needs stays for the whole age limit, whatever the quota. */
const NEEDED_SOURCES = [BACKUP_SOURCE, PLAN_SOURCE, INQUIRY_SOURCE];

/** Litter is what nobody can still be writing: older than a day. */
const LITTER_MS = 24 * 60 * 60 * 1000;

/** How to clean. */
export interface GcRequest {
  /** Only say what would go. */
  dryRun: boolean;
  /** Milliseconds since 1970. */
  nowMs: number;
  /** Ids that stay, whatever their age and size. */
  spared?: readonly number[] | undefined;
  /** Believe `nowMs`, however far the clock has jumped since the last cleaning. */
  trustClock?: boolean | undefined;
  /** When the store last cleaned itself, where its mark no longer says so. */
  lastSweptMs?: number | undefined;
  /** Removes no more once it has removed that many bytes of content, whose sha-256 takes time; any number unless given. */
  mostBytes?: number | undefined;
}

/**
 * Cleans the store. Ages go by the clock as far as it is believed (`believed_clock.ts`), and an fd is not older than
 * those
 * made before it. What keeps a record from being read keeps that fd, too, and nothing else.
 */
export async function collectGarbage(store: Store, request: GcRequest): Promise<GcReport> {
  const { dryRun, nowMs, spared = [], mostBytes = Infinity, trustClock = false } = request;
  const namedNow = namedIds(store);
  const named = namedNow();
  const unreadable: FdFailure[] = [];
  const entries = listFds(store, (failure) => unreadable.push(failure));
  const madeMs = timesMade(entries, nowMs);
  const time = machineTime(nowMs);
  const lastSeenMs = request.lastSweptMs ?? sweptMs(store) ?? lastMade(madeMs, nowMs);
  const note = trustClock
    ? { ...time, believedMs: nowMs, evenSinceMs: nowMs }
    : nextNote(time, readClockNote(store), lastSeenMs);
  const { believedMs } = note;
  if (!dryRun) writeClockNote(store, note);
  let litterCount = dryRun ? 0 : finishRemovals(store, entries);
  if (!dryRun) litterCount += dropLitter(store, believedMs) + dropDeadForks(store, believedMs);

  const hasOpenTransactions = listOpenTransactions(store).length > 0;
  const bytesBefore = entries.reduce((sum, entry) => sum + entry.byteCount, 0);
  const removed: Removal[] = [];
  let bytesAfter = bytesBefore;
  let isAll = true;
  let doubtedCount = 0;
  for (const [index, entry] of entries.entries()) {
    if (named.has(entry.id) || spared.includes(entry.id)) continue;
    const moment = { bytesHeld: bytesAfter, madeMs: madeMs[index]!, hasOpenTransactions };
    const why = reasonToRemove(store, entry, { ...moment, nowMs: believedMs });
    if (why === undefined) {
      if (reasonToRemove(store, entry, { ...moment, nowMs }) !== undefined) doubtedCount++;
      continue;
    }
    if (bytesBefore - bytesAfter >= mostBytes) {
      isAll = false;
      break;
    }
    const gone = dryRun
      ? planned(entry, why)
      : await removeIfThere(store, entry, why, () => namedNow().has(entry.id));
    if (gone === undefined) continue;
    removed.push(gone);
    bytesAfter -= entry.byteCount;
  }
  const clockAheadMs = nowMs - believedMs;
  return { removed, bytesBefore, bytesAfter, litterCount, isAll, unreadable, doubtedCount, clockAheadMs };
}

/** Clocks that are set right differ by less than this. */
const CLOCKS_DIFFER_MS = 60 * 60 * 1000;

/**
 * When each fd was made, as far as its clock can be right: not after `nowMs`, and not before those with lower ids,
 * since
 * ids are given in order. A clock that stood at 1970 for a while makes nothing old, one that stood at 2100 nothing
 * young.
 */
function timesMade(entries: readonly FdEntry[], nowMs: number): number[] {
  const madeMs = entries.map((entry) => entry.importedMs ?? entry.createdMs);
  let laterMs = nowMs;
  for (let index = madeMs.length - 1; index >= 0; index--) {
    if (madeMs[index]! > nowMs + CLOCKS_DIFFER_MS) madeMs[index] = laterMs;
    else laterMs = laterMs === nowMs ? madeMs[index]! : Math.max(laterMs, madeMs[index]!);
  }
  for (let index = 1; index < madeMs.length; index++) {
    madeMs[index] = Math.max(madeMs[index]!, madeMs[index - 1]!);
  }
  return madeMs;
}

/** When the store was last used before this hour, of which nothing says that its clock is right. */
function lastMade(madeMs: readonly number[], nowMs: number): number {
  return madeMs.findLast((each) => each < nowMs - CLOCKS_DIFFER_MS) ?? nowMs;
}

function planned({ id, source, command, byteCount, sha256 }: FdEntry, why: string): Removal {
  return { id, source, command, byteCount, sha256, why };
}

/** Removes an fd that still is to go when its sha-256 is known, and that nobody else has removed by then. */
async function removeIfThere(
  store: Store,
  entry: FdEntry,
  why: string,
  isKept: () => boolean,
): Promise<Removal | undefined> {
  try {
    return await removeUnless(store, entry, why, isKept);
  } catch (thrown) {
    if (thrown instanceof FdError && thrown.failure.kind === "removed") return undefined;
    throw thrown;
  }
}

/** A directory that was changed so lately may change once more without another date. */
const SAME_DATE_MS = 1000;

/**
 * The ids that names are bound to at the moment of each call. Names are read anew when their directory has changed, or
 * may have: cleaning takes long, and what is named meanwhile stays.
 */
function namedIds(store: Store): () => ReadonlySet<number> {
  let named: ReadonlySet<number> | undefined;
  let changedMs: number | undefined;
  let readMs = 0;
  return () => {
    const dateMs = disk.stat(namesPath(store.path), { throwIfNoEntry: false })?.mtimeMs;
    if (
      named === undefined || dateMs !== changedMs || (dateMs !== undefined && readMs - dateMs < SAME_DATE_MS)
    ) {
      readMs = Date.now();
      changedMs = dateMs;
      named = new Set(listNames(store, failDamaged).map(({ id }) => id));
    }
    return named;
  };
}

/** What a damaged name keeps cannot be known, and so nothing is taken away. */
function failDamaged(path: string): never {
  fail({ kind: "store_corrupt", fd: undefined, path, what: "the name does not say which fd it keeps" });
}

/** What cleaning knows when it comes to an fd. */
interface Moment {
  bytesHeld: number;
  nowMs: number;
  /** When the fd was made. */
  madeMs: number;
  hasOpenTransactions: boolean;
}

function reasonToRemove(
  store: Store,
  entry: FdEntry,
  { bytesHeld, nowMs, madeMs, hasOpenTransactions }: Moment,
): string | undefined {
  const { ttlMs, quotaBytes } = store.limits;
  if (entry.state === "live") return undefined;
  // An archive may call anything a backup: what came in one replaced no file here.
  const isNeeded = NEEDED_SOURCES.includes(entry.source) && entry.importedMs === undefined;
  // Nothing says how long a write that was interrupted waits for recover, which may need its backups.
  if (isNeeded && hasOpenTransactions) return undefined;
  if (ttlMs > 0 && nowMs - madeMs > ttlMs) return "older than the age limit";
  if (isNeeded && ttlMs > 0) return undefined;
  // What holds nothing frees nothing, and may be an fd that is claimed this moment.
  return entry.byteCount > 0 && quotaBytes > 0 && bytesHeld > quotaBytes
    ? "over the store's quota"
    : undefined;
}

/** Finishes removals that were interrupted after their tombstone. */
function finishRemovals(store: Store, entries: readonly FdEntry[]): number {
  const listed = new Set(entries.map((entry) => entry.id));
  return listContentIds(store)
    .filter((id) => !listed.has(id) && isRemoved(store, id) && dropContent(store, id))
    .length;
}

/** Whether there is a tombstone. A record that cannot be read has none, as far as can be known. */
function isRemoved(store: Store, id: number): boolean {
  try {
    return readLog(store, id)?.tomb !== undefined;
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return false;
  }
}

function dropLitter(store: Store, nowMs: number): number {
  let count = 0;
  // What a link in its place leads to is not the store's to clean.
  if (disk.lstat(temporaryDirectory(store.path), { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  for (const name of namesIn(temporaryDirectory(store.path))) {
    const path = join(temporaryDirectory(store.path), name);
    const stat = disk.lstat(path, { throwIfNoEntry: false });
    if (
      stat !== undefined && !stat.isDirectory() && nowMs - stat.mtimeMs > LITTER_MS && unlinkIfThere(path)
    ) count++;
  }
  return count;
}
