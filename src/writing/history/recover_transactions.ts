/**
 * Ends interrupted transactions: forward if all new content is on the disk and the files were not changed since,
 * otherwise back (JOURNAL.md, "After a kill").
 */

import {
  leaveUnstarted,
  listOpenTransactions,
  logCondition,
  logPath,
  markedMs,
  momentNow,
  type Store,
  unmarkTransaction,
  writerFate,
} from "../../../fd/mod.ts";
import { fail, FdError, ifPossible, placeStaged, removeFile, statIfPossible } from "../../../fd/system.ts";
import { sep } from "node:path";
import { type PinnedDirectories, withPinned } from "../commit/pin_directories.ts";
import { inspectFile } from "../commit/present_file.ts";
import type { Place } from "../commit/target_path.ts";
import { withTargetsLocked } from "../commit/inspect_target.ts";
import { formatTransaction, journal, readTransaction, type Transaction } from "../commit/journal.ts";
import { isInside, resolveRealPath } from "../commit/resolve_path.ts";
import { removeTemporaries, rollBack, stateOf } from "../commit/roll_back.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";

/** A transaction that began and has not ended. */
interface OpenTransaction {
  transaction: Transaction;
  /** Whether its writer died, so that it can be recovered. */
  interrupted: boolean;
}

/** The outcome for an interrupted transaction. `left` are files that another process changed meanwhile. */
interface Recovery {
  transaction: Transaction;
  how: "finished" | "rolled back";
  left: readonly string[];
}

/** An interrupted transaction that is still open, and the failure. */
interface FailedRecovery {
  id: number;
  /** Undefined if its log does not describe it. */
  transaction: Transaction | undefined;
  failure: FdError | WriteError;
}

/** A writer that cannot be checked (another machine or container) counts as alive this long after its last sign. */
const UNKNOWN_WRITER_MS = 10 * 60 * 1000;

/** The open transactions, in order. Reads one directory if there are none. */
export function openTransactions(store: Store, nowMs: number): OpenTransaction[] {
  const found: OpenTransaction[] = [];
  for (const id of listOpenTransactions(store)) {
    const transaction = readableTransaction(store, id);
    if (transaction === undefined || transaction.outcome !== undefined) continue;
    const interrupted = isInterrupted(transaction, nowMs);
    // Its writer may have ended it between the two checks.
    if (interrupted && readTransaction(store, id)?.outcome !== undefined) continue;
    found.push({ transaction, interrupted });
  }
  return found;
}

/** Returns undefined also if the log cannot be read: {@link lostTransactions} has those. */
function readableTransaction(store: Store, id: number): Transaction | undefined {
  return ifPossible(() => readTransaction(store, id), FdError);
}

/** The open transactions whose logs do not describe them. */
function lostTransactions(store: Store): number[] {
  return listOpenTransactions(store).filter((id) =>
    logCondition(store, "tx", id) !== "unstarted" && readableTransaction(store, id) === undefined
  );
}

/** Whether the writer of an open transaction died. */
export function isInterrupted(transaction: Transaction, nowMs: number): boolean {
  const fate = writerFate(transaction.begin.writer);
  if (fate !== "unknown") return fate === "gone";
  const touchedMs = transaction.begin.files.map((file) => statIfPossible(file.temporary)?.mtimeMs ?? 0);
  return nowMs - Math.max(transaction.begin.at, ...touchedMs) > UNKNOWN_WRITER_MS;
}

/**
 * Recovers every interrupted transaction by itself: one that fails does not stop the others. It fails with
 * `outside_root` if one of its files is outside of the root, or with the failure of the disk.
 */
export async function recoverTransactions(
  store: Store,
  place: Place,
  nowMs: number,
): Promise<{ recoveries: Recovery[]; failed: FailedRecovery[] }> {
  const recoveries: Recovery[] = [];
  const failed: FailedRecovery[] = [];
  // Newest first: its leftovers may be in directories that an older one made.
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

/** Whether a mark is of a transaction that ended, or whose writer never wrote its first line. */
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
    if (!isInside(path, realRoot)) fail({ kind: "outside_root", path, root: realRoot });
  }
}

/** Ends transaction `id`, whose writer must be dead, within the root. Returns undefined if it has ended. */
export async function recoverTransaction(
  store: Store,
  id: number,
  place: Place = { cwd: sep, root: undefined },
): Promise<Recovery | undefined> {
  const begin = readTransaction(store, id)?.begin;
  if (begin === undefined) return undefined;
  return await withTargetsLocked(store, begin.files.map((file) => file.path), async () => {
    const transaction = readTransaction(store, id);
    // Another `recover` was faster.
    if (transaction === undefined || transaction.outcome !== undefined) return undefined;
    return await withPinned(place, (pinned) => endTransaction(store, transaction, pinned));
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
  journal(store, id, { event: "done", at: momentNow(), recovered: true, left: forward.left });
  unmarkTransaction(store, id);
  return { transaction, how: "finished", left: forward.left };
}

/**
 * The numbers of the files still to be moved into place, and the paths of those that another process changed after
 * they were. Returns undefined if the transaction cannot go forward.
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
      // Its new content is still staged, so this change is not the transaction's.
      if (wanted === null || staged !== undefined) return undefined;
      left.push(file.path);
      continue;
    }
    const whole = wanted === null || staged?.sha256 === wanted.sha256;
    const unchanged = wanted !== null && file.before?.sha256 === wanted.sha256;
    if (!whole && !unchanged) return undefined;
    if (whole) pending.push(index);
  }
  // A transaction whose files were all in place is done, whatever changed since. Otherwise the rest must not be mixed
  // with another process's changes.
  return left.length > 0 && pending.length > 0 ? undefined : { pending, left };
}

function finish(transaction: Transaction, index: number, pinned: PinnedDirectories): void {
  const file = transaction.begin.files[index]!;
  const path = pinned.at(file.path);
  if (file.removes) removeFile(path);
  else placeStaged(pinned.at(file.temporary), path, { mustBeNew: file.before === null });
}
