/**
 * Puts the files of a transaction back as they were, by its log alone, so that it serves a step that failed and one that
 * was killed. It can itself be interrupted and run again.
 *
 * @module
 */

import {
  disk,
  findFd,
  formatFd,
  placeStaged,
  readSlice,
  removeFile,
  removeStaged,
  stageFile,
  type Store,
  systemCode,
  unmarkTransaction,
} from "../../fd/mod.ts";
import { fileContent, inspectFile, type PresentFile } from "./inspect_target.ts";
import { journal, type JournaledFile, readTransaction, type Transaction } from "./journal.ts";

/** What a file of a transaction is now. `foreign`: neither as before nor as afterwards. */
export type FileState = "before" | "after" | "foreign";

/** Rolls transaction `id` back; answers the files that somebody else changed meanwhile, which are left alone. */
export async function rollBack(store: Store, id: number, why: string): Promise<readonly string[]> {
  const transaction = readTransaction(store, id);
  if (transaction === undefined || transaction.outcome !== undefined) return [];
  const { begin, after } = transaction;
  if (after !== undefined && transaction.rollingBack === undefined) {
    journal(store, id, { event: "rolling_back", why }, true);
  }
  const left: string[] = [];
  for (const [index, file] of begin.files.entries()) {
    removeStaged(file.temporary);
    if (after === undefined) continue;
    const state = await stateOf(transaction, index);
    if (state === "after") putBack(store, file);
    if (state === "foreign") left.push(file.shown);
  }
  await removeCopies(transaction);
  removeMadeDirectories(begin.files);
  journal(store, id, { event: "rolled_back", at: Date.now(), why, left }, false);
  unmarkTransaction(store, id);
  return left;
}

/** What file number `index` of a prepared transaction is now. One that was to stay the same is `before`. */
export async function stateOf(transaction: Transaction, index: number): Promise<FileState> {
  const file = transaction.begin.files[index]!;
  const now = await inspectFile(file.path, file.shown);
  if (isContent(now, file.before)) return "before";
  return isContent(now, transaction.after?.[index] ?? null) ? "after" : "foreign";
}

function isContent(now: PresentFile | undefined, then: { bytes: number; sha256: string } | null): boolean {
  if (now === undefined || then === null) return now === undefined && then === null;
  return now.sha256 === then.sha256 && now.stamp.byteCount === then.bytes;
}

/** The old content of a file: its backup, or the beginning of what it is now. Undefined where it was not there. */
export function oldContent(
  store: Store,
  file: JournaledFile,
): { chunks(): Iterable<Uint8Array> } | undefined {
  const { backup, path, shown } = file;
  if (backup === null) return undefined;
  if (typeof backup !== "number") return fileContent(path, shown, backup.prefix_bytes);
  const entry = findFd(store, formatFd(backup));
  return readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
}

/** Puts back a file that is as the transaction left it. */
function putBack(store: Store, file: JournaledFile): void {
  const content = oldContent(store, file);
  if (content === undefined || file.before === null) return removeFile(file.path);
  const { mode, uid, gid } = file.before;
  stageFile({ temporaryPath: file.temporary, content, mode, owner: { uid, gid } });
  placeStaged(file.temporary, file.path, { mustBeNew: file.removes });
}

/** Removes the copies beside files (`.bak`) that the transaction made, unless somebody changed them since. */
async function removeCopies(transaction: Transaction): Promise<void> {
  for (const copy of transaction.copies) {
    removeStaged(copy.temporary);
    const now = await inspectFile(copy.path, copy.path);
    if (now !== undefined && isContent(now, transaction.begin.files[copy.file]?.before ?? null)) {
      removeFile(copy.path);
    }
  }
}

/** Removes the directories that were made for files that are not there now, as far as they are empty. */
export function removeMadeDirectories(files: readonly JournaledFile[]): void {
  const directories = new Set(files.flatMap((file) => file.made_directories));
  for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
    try {
      disk.rmdir(directory);
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
    }
  }
}
