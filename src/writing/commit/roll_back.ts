/**
 * Puts the files of a transaction back as they were, by its log alone, so that it serves a step that failed and one that
 * was killed. It can itself be interrupted and run again.
 *
 * @module
 */

import {
  disk,
  fail,
  FdError,
  formatFd,
  placeStaged,
  removeFile,
  removeStaged,
  stageFile,
  type Store,
  systemCode,
  unmarkTransaction,
} from "../../../fd/mod.ts";
import type { PinnedDirectories } from "./pin_directories.ts";
import { fileContent, identityOf, inspectFile, type PresentFile, stampNow } from "./inspect_target.ts";
import {
  type FileIdentity,
  journal,
  type JournaledFile,
  readTransaction,
  type Transaction,
} from "./journal.ts";
import { storedContent } from "./stored_content.ts";
import { WriteError } from "../../terms/write_failure.ts";

/** What a file of a transaction is now. `foreign`: neither as before nor as afterwards. */
export type FileState = "before" | "after" | "foreign";

/**
 * Rolls transaction `id` back, in the directories that are pinned; answers the files that somebody else changed meanwhile,
 * which are left alone.
 */
export async function rollBack(
  store: Store,
  id: number,
  why: string,
  pinned: PinnedDirectories,
): Promise<readonly string[]> {
  const transaction = readTransaction(store, id);
  if (transaction === undefined || transaction.outcome !== undefined) return [];
  const { begin, after } = transaction;
  if (after !== undefined && transaction.rollingBack === undefined) {
    journal(store, id, { event: "rolling_back", why }, true);
  }
  const left: string[] = [];
  for (const [index, file] of begin.files.entries()) {
    if (after === undefined) {
      // No file was touched yet, by what the log says; it may have lost a line, and the file itself is what counts.
      if (!await isAsBefore(transaction, index, pinned)) left.push(file.path);
      continue;
    }
    const state = await stateOf(transaction, index, pinned);
    const isTheirs = state === "after" && file.before === null && !isOurs(pinned.at(file.path), after[index]);
    if (state === "foreign" || isTheirs) left.push(file.path);
    else if (state === "after") await putBack(store, file, pinned);
  }
  await removeCopies(transaction, pinned);
  removeTemporaries(begin.files, pinned);
  removeMadeDirectories(begin.files, pinned);
  journal(store, id, { event: "rolled_back", at: Date.now(), why, left }, true);
  unmarkTransaction(store, id);
  return left;
}

/** Whether file number `index` is as it was before the transaction; what cannot be looked at is not. */
async function isAsBefore(
  transaction: Transaction,
  index: number,
  pinned: PinnedDirectories,
): Promise<boolean> {
  try {
    return await stateOf(transaction, index, pinned) === "before";
  } catch (thrown) {
    if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
    return false;
  }
}

/** What file number `index` of a prepared transaction is now. One that was to stay the same is `before`. */
export async function stateOf(
  transaction: Transaction,
  index: number,
  pinned: PinnedDirectories,
): Promise<FileState> {
  const file = transaction.begin.files[index]!;
  const now = await inspectFile(pinned.at(file.path), file.path);
  if (isContent(now, file.before)) return "before";
  return isContent(now, transaction.after?.[index] ?? null) ? "after" : "foreign";
}

function isContent(now: PresentFile | undefined, then: { bytes: number; sha256: string } | null): boolean {
  if (now === undefined || then === null) return now === undefined && then === null;
  return now.sha256 === then.sha256 && now.stamp.byteCount === then.bytes;
}

/**
 * The old content of a file: its backup, or the beginning of what it is now, reached by `path`. Undefined where it was not
 * there. Walking it ends with `store_corrupt` where it is not what the journal says of it.
 */
export async function oldContent(
  store: Store,
  file: JournaledFile,
  path = file.path,
): Promise<{ chunks(): Iterable<Uint8Array> } | undefined> {
  const { backup, before } = file;
  if (backup === null) return undefined;
  if (typeof backup !== "number") {
    return await sameAs(before, fileContent(path, file.path, backup.prefix_bytes), path);
  }
  return await sameAs(before, storedContent(store, backup, file.path), file.path, formatFd(backup));
}

/** `content`, which fails at its end where it did not come to what was there `before`. */
async function sameAs(
  before: JournaledFile["before"],
  content: { chunks(): Iterable<Uint8Array> },
  path: string,
  fd?: string,
): Promise<{ chunks(): Iterable<Uint8Array> }> {
  const { createHash } = await import("node:crypto");
  return {
    *chunks() {
      const hash = createHash("sha256");
      for (const chunk of content.chunks()) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest("hex") !== before?.sha256) {
        fail({
          kind: "store_corrupt",
          fd,
          path,
          what: "its content differs from the file before the step",
        });
      }
    },
  };
}

/** Puts back a file that is as the transaction left it. */
async function putBack(store: Store, file: JournaledFile, pinned: PinnedDirectories): Promise<void> {
  const path = pinned.at(file.path);
  const temporaryPath = pinned.at(file.temporary);
  const content = await oldContent(store, file, path);
  if (content === undefined || file.before === null) return removeFile(path);
  const { mode, uid, gid } = file.before;
  removeStaged(temporaryPath);
  stageFile({ temporaryPath, content, mode, owner: { uid, gid } });
  placeStaged(temporaryPath, path, { mustBeNew: file.removes });
}

/**
 * Removes the copies beside files (`.bak`) that the transaction made, unless somebody changed them since. What else stands
 * there is somebody's, whatever it holds.
 */
async function removeCopies({ begin, copies }: Transaction, pinned: PinnedDirectories): Promise<void> {
  for (const copy of copies) {
    const path = pinned.at(copy.path);
    if (!isOurs(path, { file: copy })) continue;
    const now = await inspectFile(path, copy.path);
    if (isContent(now, begin.files[copy.file]?.before ?? null)) removeFile(path);
  }
}

/**
 * Removes what was to be placed, after all else: while such a name is there, its inode is no other file's.
 *
 * @throws {FdError} for the first one that cannot go, when the others are gone: the transaction stays open for it.
 */
export function removeTemporaries(files: readonly JournaledFile[], pinned: PinnedDirectories): void {
  const stuck = files.flatMap(({ temporary, copy_temporary }) =>
    [temporary, ...(copy_temporary === undefined ? [] : [copy_temporary])]
      .flatMap((path) => removeStaged(pinned.at(path)) ?? [])
  );
  if (stuck[0] !== undefined) throw stuck[0];
}

/** Whether what is at `path` is the very file that was written, and not one that somebody else made in its place. */
function isOurs(path: string, written: { file?: FileIdentity | undefined } | null | undefined): boolean {
  const stamp = stampNow(path, path);
  if (stamp === undefined || written?.file === undefined) return false;
  const { inode, modified_ns } = identityOf(stamp);
  return inode === written.file.inode && modified_ns === written.file.modified_ns;
}

/** Removes the directories that were made for files that are not there now, as far as they are empty. */
export function removeMadeDirectories(files: readonly JournaledFile[], pinned: PinnedDirectories): void {
  const directories = new Set(files.flatMap((file) => file.made_directories));
  for (const directory of [...directories].sort((a, b) => b.length - a.length)) {
    try {
      disk.rmdir(pinned.at(directory));
    } catch (thrown) {
      if (systemCode(thrown) === undefined) throw thrown;
    }
  }
}
