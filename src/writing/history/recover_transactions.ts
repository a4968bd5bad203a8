/**
 * Ends what a kill interrupted: forward where all new content was on the disk and nobody changed the files since, back
 * otherwise (JOURNAL.md, "After a kill").
 *
 * @module
 */

import {
  disk,
  fail,
  FdError,
  leaveUnstarted,
  listOpenTransactions,
  logCondition,
  logPath,
  markedMs,
  placeStaged,
  removeFile,
  type Store,
  systemCode,
  unmarkTransaction,
  writerFate,
} from "../../../fd/mod.ts";
import { sep } from "node:path";
import { withTargetsLocked } from "../commit/commit_changes.ts";
import { pinDirectories, type PinnedDirectories } from "../commit/pin_directories.ts";
import { inspectFile, type Place } from "../commit/inspect_target.ts";
import { formatTransaction, journal, readTransaction, type Transaction } from "../commit/journal.ts";
import { isInside, resolveRealPath } from "../commit/resolve_path.ts";
import { removeTemporaries, rollBack, stateOf } from "../commit/roll_back.ts";
import { WriteError } from "../../terms/write_failure.ts";

/** A transaction that has begun and not ended. */
export interface OpenTransaction {
  transaction: Transaction;
  /** Whether its writer is gone, so that it can be recovered. */
  interrupted: boolean;
}

/** What became of an interrupted transaction. `left` are files that somebody else changed meanwhile. */
export interface Recovery {
  transaction: Transaction;
  how: "finished" | "rolled back";
  left: readonly string[];
}

/** An interrupted transaction that is still open, and why. */
export interface FailedRecovery {
  id: number;
  /** Undefined where its log does not say what it was to do. */
  transaction: Transaction | undefined;
  failure: FdError | WriteError;
}

/** A writer that cannot be looked up (another machine or container) is believed this long without a sign of it. */
const UNKNOWN_WRITER_MS = 10 * 60 * 1000;

/** The transactions that have begun and not ended, in order. One look at one directory where there are none. */
export function openTransactions(store: Store, nowMs: number): OpenTransaction[] {
  const found: OpenTransaction[] = [];
  for (const id of listOpenTransactions(store)) {
    const transaction = readableTransaction(store, id);
    if (transaction === undefined || transaction.outcome !== undefined) continue;
    const interrupted = isInterrupted(transaction, nowMs);
    // A writer that is gone may have ended its transaction as it should, between the look at that and the look at it.
    if (interrupted && readTransaction(store, id)?.outcome !== undefined) continue;
    found.push({ transaction, interrupted });
  }
  return found;
}

/** Undefined, too, where the log cannot be read: {@link lostTransactions} tells those. */
function readableTransaction(store: Store, id: number): Transaction | undefined {
  try {
    return readTransaction(store, id);
  } catch (thrown) {
    if (thrown instanceof FdError) return undefined;
    throw thrown;
  }
}

/** The transactions that have begun, and whose logs do not say what they were to do. */
function lostTransactions(store: Store): number[] {
  return listOpenTransactions(store).filter((id) =>
    logCondition(store, "tx", id) !== "unstarted" && readableTransaction(store, id) === undefined
  );
}

/** Whether the writer of an open transaction is gone. */
export function isInterrupted(transaction: Transaction, nowMs: number): boolean {
  const fate = writerFate(transaction.begin.writer);
  if (fate !== "unknown") return fate === "gone";
  const touchedMs = transaction.begin.files.map((file) => lastTouchedMs(file.temporary));
  return nowMs - Math.max(transaction.begin.at, ...touchedMs) > UNKNOWN_WRITER_MS;
}

/** 0 where nothing is, or where its directory is no more. */
function lastTouchedMs(path: string): number {
  try {
    return disk.lstat(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return 0;
  }
}

/**
 * Recovers every interrupted transaction, each by itself: one that cannot be ended is in nobody's way. Its failure is
 * `outside_root` where a file of it lies outside the root that confines writes, or what the disk met.
 */
export async function recoverTransactions(
  store: Store,
  place: Place,
  nowMs: number,
): Promise<{ recoveries: Recovery[]; failed: FailedRecovery[] }> {
  const recoveries: Recovery[] = [];
  const failed: FailedRecovery[] = [];
  // The newest first: what it left behind stands in directories that an older one made.
  for (const { transaction, interrupted } of openTransactions(store, nowMs).reverse()) {
    if (!interrupted) continue;
    try {
      checkRoot(transaction, place);
      const recovery = await recoverTransaction(store, transaction.id, place);
      if (recovery !== undefined) recoveries.push(recovery);
    } catch (thrown) {
      if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
      failed.push({ id: transaction.id, transaction, failure: thrown });
    }
  }
  for (const id of lostTransactions(store).reverse()) {
    const path = logPath(store, "tx", id);
    const what = "its record has no valid first line";
    const failure = new FdError({ kind: "store_corrupt", fd: formatTransaction(id), path, what });
    failed.push({ id, transaction: undefined, failure });
  }
  for (const id of listOpenTransactions(store)) {
    if (isMarkLeft(store, id, nowMs)) unmarkTransaction(store, id);
  }
  return { recoveries: recoveries.reverse(), failed: failed.reverse() };
}

/** Whether a mark stands for a transaction that has ended, or whose writer never came to its first line. */
function isMarkLeft(store: Store, id: number, nowMs: number): boolean {
  const age = Math.abs(nowMs - (markedMs(store, id) ?? nowMs));
  if (logCondition(store, "tx", id) !== "unstarted") {
    return readableTransaction(store, id)?.outcome !== undefined;
  }
  if (age <= UNKNOWN_WRITER_MS) return false;
  leaveUnstarted(store, "tx", id);
  return true;
}

function checkRoot(transaction: Transaction, place: Place): void {
  if (place.root === undefined) return;
  const realRoot = resolveRealPath(place.root, place.cwd);
  for (const { path } of transaction.begin.files) {
    if (!isInside(path, realRoot)) fail({ kind: "outside_root", path, root: place.root });
  }
}

/** Ends transaction `id`, whose writer must be gone, within what confines writes; undefined where it has ended. */
export async function recoverTransaction(
  store: Store,
  id: number,
  place: Place = { cwd: sep, root: undefined },
): Promise<Recovery | undefined> {
  const begin = readTransaction(store, id)?.begin;
  if (begin === undefined) return undefined;
  return await withTargetsLocked(store, begin.files.map((file) => file.path), async () => {
    const transaction = readTransaction(store, id);
    // Another recover was faster.
    if (transaction === undefined || transaction.outcome !== undefined) return undefined;
    const pinned = pinDirectories(place);
    try {
      return await endTransaction(store, transaction, pinned);
    } catch (thrown) {
      throw pinned.named(thrown);
    } finally {
      pinned.release();
    }
  });
}

async function endTransaction(
  store: Store,
  transaction: Transaction,
  pinned: PinnedDirectories,
): Promise<Recovery> {
  const { id, begin } = transaction;
  const forward = await wayForward(transaction, pinned);
  if (forward === undefined) {
    const why = transaction.rollingBack ?? "it was interrupted";
    return { transaction, how: "rolled back", left: await rollBack(store, id, why, pinned) };
  }
  for (const index of forward.pending) finish(transaction, index, pinned);
  removeTemporaries(begin.files, pinned);
  journal(store, id, { event: "done", at: Date.now(), recovered: true, left: forward.left }, true);
  unmarkTransaction(store, id);
  return { transaction, how: "finished", left: forward.left };
}

/**
 * The numbers of the files that are still to be put in place, and those that somebody else changed after they had been;
 * undefined where the transaction cannot go forward.
 */
async function wayForward(
  transaction: Transaction,
  pinned: PinnedDirectories,
): Promise<{ pending: number[]; left: string[] } | undefined> {
  const { begin, after, rollingBack } = transaction;
  if (after === undefined || rollingBack !== undefined) return undefined;
  const pending: number[] = [];
  const left: string[] = [];
  for (const [index, file] of begin.files.entries()) {
    const state = await stateOf(transaction, index, pinned);
    if (state === "after") continue;
    const wanted = after[index] ?? null;
    const staged = wanted === null ? undefined : await inspectFile(pinned.at(file.temporary), file.temporary);
    if (state === "foreign") {
      // Where its new content still waits, it never came to that file.
      if (wanted === null || staged !== undefined) return undefined;
      left.push(file.path);
      continue;
    }
    const whole = wanted === null || staged?.sha256 === wanted.sha256;
    const unchanged = wanted !== null && file.before?.sha256 === wanted.sha256;
    if (!whole && !unchanged) return undefined;
    if (whole) pending.push(index);
  }
  // What was all in place is done, whatever became of it since; the rest is not put beside what somebody made of a part.
  return left.length > 0 && pending.length > 0 ? undefined : { pending, left };
}

function finish(transaction: Transaction, index: number, pinned: PinnedDirectories): void {
  const file = transaction.begin.files[index]!;
  const path = pinned.at(file.path);
  if (file.removes) removeFile(path);
  else placeStaged(pinned.at(file.temporary), path, { mustBeNew: file.before === null });
}
