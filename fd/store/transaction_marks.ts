/**
 * One empty file per transaction that has started but not ended. Listing one directory, which usually does not exist,
 * tells any command whether there may be something to recover. The journal is authoritative.
 */

import { constants } from "node:fs";
import type { Store } from "./open_store.ts";
import { openTransactionPath, openTransactionsPath } from "./store_paths.ts";
import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { disk } from "../disk/disk.ts";
import { syncDirectory, unlinkIfExists } from "../disk/file_calls.ts";
import { attempt, ifPossible } from "../disk/errors.ts";

/** Marks transaction `id` as started. */
export function markTransaction(store: Store, id: number): void {
  const directory = openTransactionsPath(store.path);
  const path = openTransactionPath(store.path, id);
  attempt("write", "mark the transaction", path, () => {
    makePrivateDirectory(directory);
    disk.close(openPrivate(path, constants.O_CREAT | constants.O_WRONLY | NO_FOLLOW));
    syncDirectory(directory);
  });
}

/** Returns whether transaction `id` is marked as open. */
export function isMarked(store: Store, id: number): boolean {
  return listOpenTransactions(store).includes(id);
}

/**
 * Returns the time when transaction `id` was marked, in milliseconds since 1970, or undefined if it is not marked.
 */
export function markedMs(store: Store, id: number): number | undefined {
  return disk.lstat(openTransactionPath(store.path, id), { throwIfNoEntry: false })?.mtimeMs;
}

/** Removes the mark of transaction `id`, if there is one. */
export function unmarkTransaction(store: Store, id: number): void {
  unlinkIfExists(openTransactionPath(store.path, id));
}

/** Lists the marked transactions in order; none if they cannot be read. */
export function listOpenTransactions(store: Store): number[] {
  const names = ifPossible(() => disk.readdir(openTransactionsPath(store.path)) as string[]) ?? [];
  return names.filter((name) => /^[1-9][0-9]*$/.test(name)).map(Number).sort((a, b) => a - b);
}
