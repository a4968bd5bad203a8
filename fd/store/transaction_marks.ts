/**
 * One empty file for each transaction that has begun and not ended, so that any command can see by one look at one
 * (usually absent) directory whether there is something to recover. The journal decides; a mark only says where to look.
 *
 * @module
 */

import { makePrivateDirectory, NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, systemCode } from "../disk/errors.ts";
import { type Store } from "./open_store.ts";
import { openTransactionPath, openTransactionsPath } from "./store_paths.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { syncDirectory } from "../disk/sync_directory.ts";

/** Marks transaction `id` as begun. */
export function markTransaction(store: Store, id: number): void {
  const directory = openTransactionsPath(store.path);
  const path = openTransactionPath(store.path, id);
  try {
    makePrivateDirectory(directory);
    disk.close(openPrivate(path, constants.O_CREAT | constants.O_WRONLY | NO_FOLLOW));
    syncDirectory(directory);
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "mark the transaction", path));
  }
}

/** Whether transaction `id` is marked. */
export function isMarked(store: Store, id: number): boolean {
  return listOpenTransactions(store).includes(id);
}

/** When transaction `id` was marked, in milliseconds since 1970; undefined where it is not. */
export function markedMs(store: Store, id: number): number | undefined {
  return disk.lstat(openTransactionPath(store.path, id), { throwIfNoEntry: false })?.mtimeMs;
}

/** Takes the mark away. */
export function unmarkTransaction(store: Store, id: number): void {
  unlinkIfThere(openTransactionPath(store.path, id));
}

/** The marked transactions, in order. None where the store has none, or cannot be read. */
export function listOpenTransactions(store: Store): number[] {
  try {
    return (disk.readdir(openTransactionsPath(store.path)) as string[])
      .filter((name) => /^[1-9][0-9]*$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return [];
  }
}
