/**
 * THE one path to a user's file: backup, intent, new content beside the target, commit point, replace, outcome
 * (JOURNAL.md gives the order, and the result of a kill at each point). Every change of a user's file goes through
 * here, those of `to-file`, `undo` and `recover` included.
 */

import { dirname } from "node:path";
import {
  BACKUP_SOURCE,
  momentNow,
  putOpen,
  sha256Of,
  type Store,
  thisWriter,
  unmarkTransaction,
} from "../../../fd/mod.ts";
import {
  attempt,
  disk,
  fail,
  failureIn,
  FdError,
  type FdFailure,
  ifPossible,
  inFile,
  placeStaged,
  removeFile,
  stageFile,
  syncDirectory,
  temporaryPathFor,
  undefinedIf,
} from "../../../fd/system.ts";
import { fileContent, isSameStamp, type NewContent, stampNow } from "./present_file.ts";
import type { Target } from "./inspect_target.ts";
import { openInside } from "./open_inside.ts";
import { type PinnedDirectories, withPinned } from "./pin_directories.ts";
import {
  beginTransaction,
  formatTransaction,
  journal,
  type JournaledFile,
  type PreparedFile,
} from "./journal.ts";
import { identityOf, rollBack } from "./roll_back.ts";
import { refuseStale, WriteError } from "../../calls/terms/write_failure.ts";

/** A change of one target that passed all checks. */
export interface Change {
  target: Target;
  /** Undefined: the file is removed. */
  content: NewContent | undefined;
  /** The new content begins with the old, so no backup is needed. */
  extendsOld?: boolean | undefined;
  /** Permission bits and owner of a file that does not exist but did (undo). */
  ifNew?: { mode: number; owner?: { uid: number; gid: number } | undefined } | undefined;
  /** Also keep the old content beside the file, as `FILE.bak`. */
  copyBeside?: boolean | undefined;
}

/** The reason for a transaction, for the journal. */
export interface Step {
  /** Such as `rewrite_file`. */
  tool: string;
  intent?: string | undefined;
  /** The fd with the plan. */
  planId?: number | undefined;
  /** The transaction that this one undoes. */
  undoes?: number | undefined;
  cwd: string;
  /** The root of the call. */
  root: string | undefined;
}

interface CommittedFile {
  byteCount: number;
  backupId: number | undefined;
  /** The path of the `.bak`. */
  copyPath: string | undefined;
  /** False if the file could not be given back to its owner. */
  ownerKept: boolean;
}

/** The result, file by file in the order of the changes. */
export interface Committed {
  transactionId: number;
  files: readonly CommittedFile[];
  /** Says so if the journal could not record the end; `recover` will. */
  notes: string[];
}

/** Whether every file would get the content that it has: then no step is made. */
export async function isUnchanged(changes: readonly Change[]): Promise<boolean> {
  for (const { target: { file }, content } of changes) {
    if (file === undefined || content === undefined) return false;
    if (await sha256Of(content.chunks()) !== file.sha256) return false;
  }
  return true;
}

/** Files up to this size are compared by content too before they are replaced, since timestamps are coarse. */
const COMPARED_BYTES = 1_048_576;

/**
 * Changes all the files or none. The caller must have locked the targets before inspecting them.
 *
 * @throws {FdError} for a failed backup, staging or replacement; {@link WriteError} `stale_file` if a target changed
 * since it was inspected. Every file is then as before; if that was impossible too, the transaction stays open for
 * `recover`.
 */
export async function commitChanges(
  store: Store,
  changes: readonly Change[],
  step: Step,
): Promise<Committed> {
  return await withPinned(step, async (pinned) => {
    const files = changes.map((change) => journaled(store, change, pinned));
    const { planId: plan, tool, intent, undoes, cwd } = step;
    const begin = { at: momentNow(), tool, intent, plan, undoes, cwd, writer: thisWriter(), files };
    const id = beginTransaction(store, begin);
    let staged: CommittedFile[];
    try {
      staged = await stageAll(store, id, changes, files, pinned);
      for (const [index, change] of changes.entries()) {
        await place(change, files[index]!, pinned);
      }
    } catch (thrown) {
      await rollBackQuietly(store, id, thrown, pinned);
      throw thrown;
    }
    const notes: string[] = [];
    try {
      // Synced before the mark is removed: an unmarked step without an outcome could not be undone.
      journal(store, id, { event: "done", at: momentNow() });
      unmarkTransaction(store, id);
    } catch (thrown) {
      notes.push(unclosedStepNote(id, failureIn(thrown)));
    }
    return { transactionId: id, files: staged, notes };
  });
}

/**
 * Rolls back after a failure. If that fails too, the transaction stays open: every command reports it, and `recover`
 * ends it.
 */
async function rollBackQuietly(
  store: Store,
  id: number,
  cause: unknown,
  pinned: PinnedDirectories,
): Promise<void> {
  const why = cause instanceof FdError || cause instanceof WriteError ? cause.failure.kind : String(cause);
  const code = cause instanceof FdError && "code" in cause.failure ? cause.failure.code : undefined;
  if (code === "EMFILE" || code === "ENFILE") pinned.closeOldest(0);
  await rollBack(store, id, `the write failed: ${why}`, pinned).catch(undefinedIf(FdError, WriteError));
}

/**
 * A file as it is before the change, for the journal. The content that the change replaces is backed up, whole whatever the cap
 * on captures. The file is read again, in its pinned directory: the backup is of the file that is replaced.
 */
function journaled(store: Store, change: Change, pinned: PinnedDirectories): JournaledFile {
  const { realPath, path, file } = change.target;
  let backup: JournaledFile["backup"] = null;
  if (file !== undefined && change.extendsOld === true) backup = { prefix_bytes: file.stamp.byteCount };
  else if (file !== undefined) {
    const command = ["backup of", realPath];
    const options = { source: BACKUP_SOURCE, command, durable: true, maxBytes: 0 };
    const entry = inFile(
      openInside(pinned.at(realPath), path),
      (file) => putOpen(store, file, options, path),
    );
    if (entry.byteCount !== file.stamp.byteCount) {
      refuseStale(path, "it changed during its backup", file.sha256);
    }
    backup = entry.id;
  }
  const isCopied = change.copyBeside === true && file !== undefined;
  return {
    path: realPath,
    shown: path,
    temporary: temporaryPathFor(realPath),
    copy_temporary: isCopied ? temporaryPathFor(realPath) : undefined,
    before: file === undefined
      ? null
      : { bytes: file.stamp.byteCount, sha256: file.sha256, mode: file.mode, ...file.owner },
    backup,
    removes: change.content === undefined,
    made_directories: file === undefined ? missingDirectories(realPath) : [],
  };
}

/** The missing directories above `path`, outermost first. */
function missingDirectories(path: string): string[] {
  const missing: string[] = [];
  for (let above = dirname(path); stampNow(above, above) === undefined; above = dirname(above)) {
    missing.unshift(above);
  }
  return missing;
}

/** Does everything that can run out of space, before any target is touched. Ends with the commit point. */
async function stageAll(
  store: Store,
  id: number,
  changes: readonly Change[],
  files: readonly JournaledFile[],
  pinned: PinnedDirectories,
): Promise<CommittedFile[]> {
  const { createHash } = await import("node:crypto");
  const after: (PreparedFile | null)[] = [];
  const staged: CommittedFile[] = [];
  for (const [index, change] of changes.entries()) {
    const file = files[index]!;
    const { target } = change;
    for (const directory of file.made_directories) makeDirectory(directory, pinned);
    const backupId = typeof file.backup === "number" ? file.backup : undefined;
    const copyPath = file.copy_temporary === undefined
      ? undefined
      : copyBeside(store, id, { index, changes, temporaryPath: file.copy_temporary }, pinned);
    if (change.content === undefined) {
      after.push(null);
      staged.push({ byteCount: 0, backupId, copyPath, ownerKept: true });
      continue;
    }
    const attributes = target.file ?? change.ifNew;
    const hash = createHash("sha256");
    const { byteCount, ownerKept } = stageFile({
      temporaryPath: pinned.at(file.temporary),
      shownPath: target.path,
      content: change.content,
      mode: attributes?.mode,
      owner: attributes?.owner,
      hash,
    });
    const stamp = stampNow(pinned.at(file.temporary), target.path);
    after.push({
      bytes: byteCount,
      sha256: hash.digest("hex"),
      file: stamp === undefined ? undefined : identityOf(stamp),
    });
    staged.push({ byteCount, backupId, copyPath, ownerKept });
  }
  journal(store, id, { event: "prepared", after });
  return staged;
}

function makeDirectory(directory: string, pinned: PinnedDirectories): void {
  const path = pinned.at(directory);
  const make = () => {
    disk.mkdir(path);
    syncDirectory(dirname(path));
  };
  // Another file of the transaction, or another process, may have made it.
  attempt("write", "create the directory", directory, () => ifPossible(make, "EEXIST"), "file");
}

/**
 * Keeps the old content as `FILE.bak`, or the first of `.bak.1`, `.bak.2` … that neither exists nor is another
 * target. The journal identifies the file before it gets its name, so that `recover` never takes another file for it.
 */
function copyBeside(
  store: Store,
  id: number,
  { index, changes, temporaryPath }: { index: number; changes: readonly Change[]; temporaryPath: string },
  pinned: PinnedDirectories,
): string {
  const { realPath, path, file } = changes[index]!.target;
  stageFile({
    temporaryPath: pinned.at(temporaryPath),
    shownPath: path,
    content: fileContent(pinned.at(realPath), path),
    mode: file?.mode,
    owner: file?.owner,
  });
  const stamp = stampNow(pinned.at(temporaryPath), temporaryPath);
  if (stamp === undefined) refuseStale(path, "its .bak copy was removed during the write", file?.sha256);
  for (let number = 0;; number++) {
    const copyPath = number === 0 ? `${realPath}.bak` : `${realPath}.bak.${number}`;
    const isWanted = changes.some((other) => other.target.realPath === copyPath);
    if (isWanted || stampNow(pinned.at(copyPath), copyPath) !== undefined) continue;
    journal(store, id, { event: "copy", file: index, path: copyPath, ...identityOf(stamp) });
    const from = pinned.at(temporaryPath);
    const place = () => (placeStaged(from, pinned.at(copyPath), { mustBeNew: true }), copyPath);
    if (ifPossible(place, "file_exists") !== undefined) return copyPath;
  }
}

/** Moves a staged file into place if the target is unchanged. */
async function place(
  { target, content }: Change,
  { temporary }: JournaledFile,
  pinned: PinnedDirectories,
): Promise<void> {
  const { file, path } = target;
  const pinnedPath = pinned.at(target.realPath);
  const now = stampNow(pinnedPath, path);
  // By its own path too: if the directory was swapped, the content that was checked was not that of the pinned one.
  let isAsSeen = isSameStamp(stampNow(target.realPath, path), now) && isSameStamp(now, file?.stamp);
  if (isAsSeen && file !== undefined && file.stamp.byteCount <= COMPARED_BYTES) {
    isAsSeen = await sha256Of(fileContent(pinnedPath, path).chunks()) === file.sha256;
  }
  if (!isAsSeen && file === undefined) fail({ kind: "file_exists", path });
  if (!isAsSeen) {
    refuseStale(path, `it ${now === undefined ? "was removed" : "changed"} during the write`, file?.sha256);
  }
  if (content === undefined) removeFile(pinnedPath);
  else placeStaged(pinned.at(temporary), pinnedPath, { mustBeNew: file === undefined });
}

/** The note on a step whose end could not be recorded. */
function unclosedStepNote(id: number, failure: FdFailure): string {
  return `The files were written, but ${formatTransaction(id)} could not be closed in the journal${
    codeNote(failure)
  }. Run \`fdtool recover\`.`;
}

/** The system's code of a failure, as it follows a word: ` (ENOSPC)`. */
export function codeNote(failure: FdFailure): string {
  return "code" in failure ? ` (${failure.code})` : "";
}
