/**
 * Cleanup: removes fds that are too old and then, oldest first, those over the quota (contract, The store). Named and
 * live fds are preserved, and so are backups younger than the age limit.
 */

import { NEEDED_SOURCES } from "../records/record_line.ts";
import { join } from "node:path";
import { listNames } from "../store/bind_name.ts";
import { disk } from "../disk/disk.ts";
import { attempt, failCorrupt, ifPossible, undefinedIf } from "../disk/errors.ts";
import type { FdFailure } from "../failures.ts";
import { dropDeadForks } from "../forks/fork_home.ts";
import type { FdEntry, Removal } from "../records/fd_entry.ts";
import { namesIn, statIfPossible, unlinkIfExists } from "../disk/file_calls.ts";
import { listContentIds, listFds } from "../records/list_fds.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";
import { dropContent, removeUnless } from "./remove_fd.ts";
import { takeBackImports } from "./unfinished_imports.ts";
import { machineTime, nextNote, readClockNote, sweptMs, writeClockNote } from "./believed_clock.ts";
import { tallyOf } from "../packing/disk_bytes.ts";
import type { PackReport, PackRequest } from "../packing/pack_store.ts";
import { dropUnusedPacks } from "../packing/shared_packs.ts";
import { namesPath, runsPath, temporaryDirectory } from "../store/store_paths.ts";
import { listOpenTransactions } from "../store/transaction_marks.ts";

/** The result of a cleanup or dry run. */
export interface GcReport {
  /** Removed fds, oldest first. */
  removed: Removal[];
  /** Plain bytes of content. */
  bytesBefore: number;
  /** The same after the cleanup. */
  bytesAfter: number;
  /** Bytes of content on the disk: packed content counts as packed, and once if several fds have it. */
  diskBytesBefore: number;
  /** The same after the cleanup. */
  diskBytesAfter: number;
  /** The result of packing; undefined if it was not requested. */
  packing: PackReport | undefined;
  /** Leftover files of interrupted operations that were deleted. */
  litterCount: number;
  /** Whether cleanup finished, rather than stopping at `mostBytes`. */
  isAll: boolean;
  /** Failures of records that could not be read; their fds are preserved. */
  unreadable: FdFailure[];
  /** Fds preserved because they are too old only by a clock that is not trusted. */
  doubtedCount: number;
  /** How far the clock is ahead of the estimated time. */
  clockAheadMs: number;
}

/** Age at which temporary files are leftovers: nothing writes to them for that long. */
const LITTER_MS = 24 * 60 * 60 * 1000;

export interface GcRequest {
  /** Only report what would be removed. */
  dryRun?: boolean | undefined;
  /** Milliseconds since 1970; default: now. */
  nowMs?: number | undefined;
  /** Ids to keep, whatever their age and size. */
  spared?: readonly number[] | undefined;
  /** Trust `nowMs`, however far the clock has jumped since the last cleanup. */
  trustClock?: boolean | undefined;
  /** When the store last cleaned itself, if its mark has been updated since. */
  lastSweptMs?: number | undefined;
  /** Pack what is left. */
  pack?: Omit<PackRequest, "nowMs" | "onPlan"> | undefined;
  /** Stop after removing this many bytes of content, since computing sha-256 takes time; unlimited by default. */
  mostBytes?: number | undefined;
}

/**
 * Cleans the store. Ages use the clock as far as it is trusted (`believed_clock.ts`), and an fd is not older than
 * those created before it. A record that cannot be read preserves only its own fd.
 */
export async function collectGarbage(store: Store, request: GcRequest): Promise<GcReport> {
  const { dryRun = false, nowMs = Date.now(), spared = [] } = request;
  const { mostBytes = Infinity, trustClock = false } = request;
  let litterCount = dryRun ? 0 : await takeBackImports(store, nowMs);
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
  if (!dryRun) {
    litterCount += finishRemovals(store, entries) + dropCopies(entries, believedMs) +
      dropLitter(store, believedMs) + dropDeadForks(store, believedMs);
  }

  const hasOpenTransactions = listOpenTransactions(store).length > 0;
  const bytesBefore = entries.reduce((sum, entry) => sum + entry.byteCount, 0);
  let tally = tallyOf(entries);
  const diskBytesBefore = tally.bytes;
  const removed: Removal[] = [];
  let bytesAfter = bytesBefore;
  let isAll = true;
  /** Removes the fds for which `reasonOf` has one, and returns the others. */
  const removeFor = async (from: readonly FdEntry[], reasonOf: (entry: FdEntry) => string | undefined) => {
    const left: FdEntry[] = [];
    for (const entry of from) {
      const isSpared = named.has(entry.id) || spared.includes(entry.id);
      const why = isAll && !isSpared ? reasonOf(entry) : undefined;
      if (why !== undefined && bytesBefore - bytesAfter >= mostBytes) isAll = false;
      const gone = why === undefined || !isAll ? undefined : dryRun
        ? planned(entry, why)
        // It may have been removed, or must be preserved, once its sha-256 is computed.
        : await removeUnless(store, entry, why, () => namedNow().has(entry.id)).catch(undefinedIf("removed"));
      if (gone === undefined) {
        left.push(entry);
        continue;
      }
      removed.push(gone);
      bytesAfter -= entry.byteCount;
      tally.remove(entry);
    }
    return left;
  };
  const ageAt = new Map(entries.map(({ id }, index) => [id, madeMs[index]!]));
  const isAged = (entry: FdEntry, atMs: number) =>
    isTooOld(store, entry, { ageMs: atMs - ageAt.get(entry.id)!, hasOpenTransactions });
  const young = await removeFor(
    entries,
    (entry) => isAged(entry, believedMs) ? "older than the age limit" : undefined,
  );
  let packing: PackReport | undefined;
  if (request.pack !== undefined) {
    // Before the quota: what packing saves need not be removed.
    const { packFds } = await import("../packing/pack_store.ts");
    const onPlan = tally.plan;
    packing = await packFds(store, young, { ...request.pack, nowMs: believedMs, onPlan });
    if (request.pack.plan !== true && packing.packedCount > 0) tally = tallyOf(young);
  }
  const left = await removeFor(
    young,
    (entry) =>
      isOverQuota(store, entry, { diskBytes: tally.bytes, hasOpenTransactions })
        ? "over the store's quota"
        : undefined,
  );
  if (!dryRun) litterCount += dropUnusedPacks(store);
  const isDoubted = (entry: FdEntry) =>
    !named.has(entry.id) && !spared.includes(entry.id) && !isAged(entry, believedMs) && isAged(entry, nowMs);
  return {
    removed,
    bytesBefore,
    bytesAfter,
    diskBytesBefore,
    diskBytesAfter: tally.bytes,
    packing,
    litterCount,
    isAll,
    unreadable,
    doubtedCount: left.filter(isDoubted).length,
    clockAheadMs: nowMs - believedMs,
  };
}

/** Tolerance for correctly set clocks. */
const CLOCKS_DIFFER_MS = 60 * 60 * 1000;

/**
 * Returns when each fd was created, correcting for wrong clocks: not after `nowMs`, and not before fds with lower
 * ids, since ids are assigned in order. A clock that was at 1970 for a while makes nothing old, one at 2100 nothing
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

/**
 * Returns when the store was last used more than an hour ago; a more recent use may have had the same wrong clock.
 */
function lastMade(madeMs: readonly number[], nowMs: number): number {
  return madeMs.findLast((each) => each < nowMs - CLOCKS_DIFFER_MS) ?? nowMs;
}

function planned({ id, source, command, byteCount, sha256 }: FdEntry, why: string): Removal {
  return { id, source, command, byteCount, sha256, why };
}

/** A directory changed this recently may change again without a new date. */
const SAME_DATE_MS = 1000;

/**
 * Returns a function that returns the ids bound to names at that moment. Names are reread if their directory may have
 * changed: cleanup takes long, and an fd named meanwhile must be preserved.
 */
function namedIds(store: Store): () => ReadonlySet<number> {
  let named: ReadonlySet<number> | undefined;
  let changedMs: number | undefined;
  let readMs = 0;
  return () => {
    const dateMs = dateOfNames(store);
    if (
      named === undefined || dateMs !== changedMs || (dateMs !== undefined && readMs - dateMs < SAME_DATE_MS)
    ) {
      readMs = Date.now();
      changedMs = dateMs;
      // A damaged name may protect any fd, so nothing is removed.
      const what = "the name's file is damaged; which fd it protects is unknown";
      named = new Set(listNames(store, (path) => failCorrupt(path, what)).map(({ id }) => id));
    }
    return named;
  };
}

/** Without it, nothing is removed: an fd named meanwhile could be lost. */
function dateOfNames({ path }: Store): number | undefined {
  return attempt(
    "read",
    "list",
    namesPath(path),
    () => disk.stat(namesPath(path), { throwIfNoEntry: false })?.mtimeMs,
  );
}

/** Whether fdtool itself may still need the fd. */
function isNeeded(entry: FdEntry): boolean {
  // An archive can call anything a backup; an imported one replaced no file here.
  return NEEDED_SOURCES.includes(entry.source) && entry.importedMs === undefined;
}

function isTooOld(
  { limits: { ttlMs } }: Store,
  entry: FdEntry,
  { ageMs, hasOpenTransactions }: { ageMs: number; hasOpenTransactions: boolean },
): boolean {
  if (entry.state === "live" || ttlMs === 0) return false;
  // An interrupted write may wait for `recover`, and need its backups, for any time.
  return ageMs > ttlMs && !(hasOpenTransactions && isNeeded(entry));
}

function isOverQuota(
  { limits: { ttlMs, quotaBytes } }: Store,
  entry: FdEntry,
  { diskBytes, hasOpenTransactions }: { diskBytes: number; hasOpenTransactions: boolean },
): boolean {
  if (entry.state === "live" || quotaBytes === 0 || diskBytes <= quotaBytes) return false;
  if (isNeeded(entry) && (hasOpenTransactions || ttlMs > 0)) return false;
  // Removing an empty fd frees nothing, and it may have been claimed just now.
  return entry.byteCount > 0;
}

/** Finishes removals that were interrupted after their tombstone. */
function finishRemovals(store: Store, entries: readonly FdEntry[]): number {
  const listed = new Set(entries.map((entry) => entry.id));
  return listContentIds(store)
    .filter((id) => !listed.has(id) && ifPossible(() => readLog(store, id))?.tomb !== undefined)
    .filter((id) => dropContent(store, id)).length;
}

/** Deletes plain files that `path` made of content in the record, if they were not read for a while. */
function dropCopies(entries: readonly FdEntry[], nowMs: number): number {
  let count = 0;
  for (const { contentPath, inRecord } of entries) {
    if (inRecord === undefined) continue;
    const copy = statIfPossible(contentPath);
    if (copy !== undefined && nowMs - Math.max(copy.mtimeMs, copy.atimeMs) > LITTER_MS) {
      if (unlinkIfExists(contentPath)) count++;
    }
  }
  return count;
}

/** Deletes temporary files older than a day, and notes about runs that the age limit has passed. */
function dropLitter(store: Store, nowMs: number): number {
  const { ttlMs } = store.limits;
  return dropOlder(temporaryDirectory(store.path), nowMs - LITTER_MS) +
    (ttlMs === 0 ? 0 : dropOlder(runsPath(store.path), nowMs - ttlMs));
}

function dropOlder(directory: string, beforeMs: number): number {
  let count = 0;
  // A symlink in place of the directory leads to foreign files.
  if (statIfPossible(directory)?.isDirectory() !== true) return 0;
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    const stat = statIfPossible(path);
    if (stat !== undefined && !stat.isDirectory() && stat.mtimeMs < beforeMs && unlinkIfExists(path)) count++;
  }
  return count;
}
