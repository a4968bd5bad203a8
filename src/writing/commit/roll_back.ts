/**
 * Restores the files of a transaction from its log alone, after a failure or a kill. It can be interrupted and run
 * again.
 */

import { formatFd, gatherBytes, momentNow, type Store, unmarkTransaction } from "../../../fd/mod.ts";
import {
  disk,
  fail,
  FdError,
  ifPossible,
  placeStaged,
  removeFile,
  removeStaged,
  stageFile,
  undefinedIf,
} from "../../../fd/system.ts";
import type { PinnedDirectories } from "./pin_directories.ts";
import { fileContent, type FileStamp, inspectFile, type PresentFile, stampNow } from "./present_file.ts";
import {
  type FileIdentity,
  journal,
  type JournaledFile,
  readTransaction,
  type Transaction,
} from "./journal.ts";
import { storedContent } from "./stored_content.ts";
import { WriteError } from "../../calls/terms/write_failure.ts";

/** The state of a file of a transaction. `foreign`: neither as before nor as after. */
type FileState = "before" | "after" | "foreign";

/**
 * Rolls transaction `id` back in pinned directories. Returns the files that another process changed meanwhile, which
 * are left alone.
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
    journal(store, id, { event: "rolling_back", why });
  }
  const left: string[] = [];
  for (const [index, file] of begin.files.entries()) {
    if (after === undefined) {
      // No file was changed according to the log; but it may have lost a line, so the files decide.
      const state = await stateOf(transaction, index, pinned).catch(undefinedIf(FdError, WriteError));
      if (state !== "before") left.push(file.path);
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
  journal(store, id, { event: "rolled_back", at: momentNow(), why, left });
  unmarkTransaction(store, id);
  return left;
}

/** The state of file number `index` of a prepared transaction; `before` if it was not to change. */
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
 * The old content of a file: its backup, or the start of the current file at `path`. Returns undefined if the file
 * did not exist. Reading it ends with `store_corrupt` if it is not the content that the journal recorded.
 */
export async function oldContent(
  store: Store,
  file: JournaledFile,
  path = file.path,
): Promise<{ chunks(): Iterable<Uint8Array> } | undefined> {
  const { backup, before } = file;
  if (backup === null) return undefined;
  const isStored = typeof backup === "number";
  const content = isStored
    ? storedContent(store, backup, file.path)
    : fileContent(path, file.path, undefined, backup.prefix_bytes);
  const fd = isStored ? formatFd(backup) : undefined;
  const { createHash } = await import("node:crypto");
  return {
    *chunks() {
      const hash = createHash("sha256");
      for (const chunk of content.chunks()) {
        hash.update(chunk);
        yield chunk;
      }
      if (hash.digest("hex") === before?.sha256) return;
      const what = "its content differs from the file before the step";
      fail({ kind: "store_corrupt", fd, path: isStored ? file.path : path, what });
    },
  };
}

/** All bytes of {@link oldContent}; none if the file did not exist. */
export async function oldBytes(store: Store, file: JournaledFile): Promise<Uint8Array> {
  return gatherBytes((await oldContent(store, file))?.chunks() ?? []);
}

/** Restores a file that is as the transaction left it. */
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

/** Removes the copies (`.bak`) that the transaction made, unless they were changed or replaced since. */
async function removeCopies({ begin, copies }: Transaction, pinned: PinnedDirectories): Promise<void> {
  for (const copy of copies) {
    const path = pinned.at(copy.path);
    if (!isOurs(path, { file: copy })) continue;
    const now = await inspectFile(path, copy.path);
    if (isContent(now, begin.files[copy.file]?.before ?? null)) removeFile(path);
  }
}

/**
 * Removes the temporary files, last of all: while such a name exists, its inode cannot be reused.
 *
 * @throws {FdError} for the first one that cannot be removed, after the others: the transaction stays open.
 */
export function removeTemporaries(files: readonly JournaledFile[], pinned: PinnedDirectories): void {
  const stuck = files.flatMap(({ temporary, copy_temporary }) =>
    [temporary, ...(copy_temporary === undefined ? [] : [copy_temporary])]
      .flatMap((path) => removeStaged(pinned.at(path)) ?? [])
  );
  if (stuck[0] !== undefined) throw stuck[0];
}

/** Identifies the file of `stamp` under any name. */
export function identityOf({ inode, modifiedNs }: FileStamp): FileIdentity {
  return { inode: String(inode), modified_ns: String(modifiedNs) };
}

/** Whether the file at `path` is the one that was written, not one that another process made in its place. */
function isOurs(path: string, written: { file?: FileIdentity | undefined } | null | undefined): boolean {
  const stamp = stampNow(path, path);
  if (stamp === undefined || written?.file === undefined) return false;
  const { inode, modified_ns } = identityOf(stamp);
  return inode === written.file.inode && modified_ns === written.file.modified_ns;
}

/** Removes directories that the transaction made, if they are empty. */
export function removeMadeDirectories(files: readonly JournaledFile[], pinned: PinnedDirectories): void {
  removeEmptyDirectories(files.flatMap((file) => file.made_directories), pinned);
}

/** Removes those of the directories that are empty, inner ones first. */
export function removeEmptyDirectories(directories: readonly string[], pinned: PinnedDirectories): void {
  for (const directory of new Set(directories.toSorted((a, b) => b.length - a.length))) {
    ifPossible(() => disk.rmdir(pinned.at(directory)));
  }
}
