/**
 * THE one path to a user's file: backup, intent, new content beside the target, commit point, replace, outcome
 * (JOURNAL.md gives the order and what a kill at each point leads to). Everything that changes a user's file goes
 * through here, `to-file`, `undo` and `recover` included.
 *
 * @module
 */

import { dirname } from "node:path";
import {
  BACKUP_SOURCE,
  disk,
  fail,
  failureOfSystem,
  FdError,
  type FdFailure,
  holdLocks,
  placeStaged,
  putFile,
  removeFile,
  stageFile,
  type Store,
  syncDirectory,
  systemCode,
  temporaryPathFor,
  thisWriter,
  unmarkTransaction,
} from "../../../fd/mod.ts";
import {
  fileContent,
  identityOf,
  inspectFile,
  isSameStamp,
  stampNow,
  type Target,
} from "./inspect_target.ts";
import { pinDirectories, type PinnedDirectories } from "./pin_directories.ts";
import { beginTransaction, journal, type JournaledFile, type PreparedFile } from "./journal.ts";
import { rollBack } from "./roll_back.ts";
import { refuse, WriteError } from "../../terms/write_failure.ts";

/** New content, in pieces, never all in memory. */
export interface NewContent {
  chunks(): Iterable<Uint8Array>;
}

/** What shall become of one target, which passed all checks. */
export interface Change {
  target: Target;
  /** Undefined: the file goes. */
  content: NewContent | undefined;
  /** Old and new content where both are in memory anyway: lines are then looked at only around what differs. */
  inMemory?: { before: Uint8Array; after: Uint8Array } | undefined;
  /** The new content begins with all of the old: nothing is replaced, so no backup is needed. */
  extendsOld?: boolean | undefined;
  /** Permission bits, and whose it shall be, for a file that is not there, where that is known from before. */
  ifNew?: { mode: number; owner?: { uid: number; gid: number } | undefined } | undefined;
  /** Leave the old content beside the file too, as `FILE.bak`. */
  copyBeside?: boolean | undefined;
}

/** What the journal keeps of why. */
export interface Step {
  /** The tool's name: `rewrite_file`. */
  tool: string;
  intent?: string | undefined;
  /** The fd that holds the plan. */
  planId?: number | undefined;
  /** The transaction that this one undoes. */
  undoes?: number | undefined;
  cwd: string;
  /** What confines the write. */
  root: string | undefined;
}

/** One changed file. */
export interface CommittedFile {
  byteCount: number;
  backupId: number | undefined;
  /** The path of the `.bak`. */
  copyPath: string | undefined;
  /** False where the file could not be given back to its owner. */
  ownerKept: boolean;
}

/** What was done, file by file in the order of the changes. */
export interface Committed {
  transactionId: number;
  files: readonly CommittedFile[];
  /** What kept the journal from saying that it was done, if that is so: `recover` will say it. */
  closeFailure: FdFailure | undefined;
}

/** How long to wait for another fdtool that writes the same file. */
const LOCK_WAIT_MS = 15_000;

/** Files up to this size are compared by content too before they are replaced: times have a grain. */
const COMPARED_BYTES = 1_048_576;

/**
 * Runs `action` while no other fdtool of this store writes to the files at `realPaths`.
 *
 * @throws {WriteError} `stale_file` where another one does not end.
 */
export async function withTargetsLocked<T>(
  store: Store,
  realPaths: readonly string[],
  action: () => Promise<T>,
): Promise<T> {
  const locks = await holdLocks(store, realPaths.map((path) => `file ${path}`), LOCK_WAIT_MS);
  if (locks === undefined) {
    return refuse({
      kind: "stale_file",
      path: realPaths[0] ?? "",
      expectedSha256: undefined,
      actualSha256: undefined,
      what: "another fdtool is writing it",
    });
  }
  try {
    return await action();
  } finally {
    locks.release();
  }
}

/**
 * Changes all the files or none. The targets must be locked by the caller, and as they were inspected.
 *
 * @throws {FdError} what backup, staging or replacing met; {@link WriteError} `stale_file` where a target changed since
 * it was inspected. Whatever is thrown, every file is as it was; where even that could not be reached, the failure says
 * so by leaving the transaction open, for `recover`.
 */
export async function commitChanges(
  store: Store,
  changes: readonly Change[],
  step: Step,
): Promise<Committed> {
  const pinned = pinDirectories(step);
  try {
    return await commitIn(pinned, store, changes, step);
  } catch (thrown) {
    throw pinned.named(thrown);
  } finally {
    pinned.release();
  }
}

async function commitIn(
  pinned: PinnedDirectories,
  store: Store,
  changes: readonly Change[],
  step: Step,
): Promise<Committed> {
  const files = changes.map((change): JournaledFile => ({
    path: change.target.realPath,
    shown: change.target.path,
    temporary: temporaryPathFor(change.target.realPath),
    copy_temporary: isCopied(change) ? temporaryPathFor(change.target.realPath) : undefined,
    before: beforeOf(change.target),
    backup: backUp(store, change, pinned),
    removes: change.content === undefined,
    made_directories: missingDirectories(change.target.realPath),
  }));
  const { planId: plan, tool, intent, undoes, cwd } = step;
  const begin = { at: Date.now(), tool, intent, plan, undoes, cwd, writer: thisWriter(), files };
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
  return { transactionId: id, files: staged, closeFailure: recordDone(store, id) };
}

/** Says in the journal that all is done. Where that fails the files are new all the same: it is answered why. */
function recordDone(store: Store, id: number): FdFailure | undefined {
  try {
    // Synced before the mark goes: a step that neither is marked nor says how it ended could not be taken back.
    journal(store, id, { event: "done", at: Date.now() }, true);
    unmarkTransaction(store, id);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return thrown.failure;
  }
}

/** Rolls back after a failure. Where that fails too, the transaction stays open: `recover` ends it, and every command says so. */
async function rollBackQuietly(
  store: Store,
  id: number,
  cause: unknown,
  pinned: PinnedDirectories,
): Promise<void> {
  const why = cause instanceof FdError || cause instanceof WriteError ? cause.failure.kind : String(cause);
  const code = cause instanceof FdError && "code" in cause.failure ? cause.failure.code : undefined;
  if (code === "EMFILE" || code === "ENFILE") pinned.closeAll();
  try {
    await rollBack(store, id, `the write failed: ${why}`, pinned);
  } catch (thrown) {
    if (!(thrown instanceof FdError || thrown instanceof WriteError)) throw thrown;
  }
}

function beforeOf(target: Target): JournaledFile["before"] {
  const { file } = target;
  if (file === undefined) return null;
  return { bytes: file.stamp.byteCount, sha256: file.sha256, mode: file.mode, ...file.owner };
}

/** Keeps what the change replaces or removes. Whatever the store's cap on captures, a backup is whole. */
function backUp(store: Store, change: Change, pinned: PinnedDirectories): JournaledFile["backup"] {
  const { file, realPath } = change.target;
  if (file === undefined) return null;
  if (change.extendsOld === true) return { prefix_bytes: file.stamp.byteCount };
  const entry = putFile(store, pinned.at(realPath), {
    source: BACKUP_SOURCE,
    command: ["backup of", realPath],
    durable: true,
    maxBytes: 0,
  });
  if (entry.byteCount !== file.stamp.byteCount) failStale(change.target, "it changed during its backup");
  return entry.id;
}

function isCopied({ copyBeside, target }: Change): boolean {
  return copyBeside === true && target.file !== undefined;
}

/** The directories that must be made for a file at `path`, outermost first. */
function missingDirectories(path: string): string[] {
  const missing: string[] = [];
  for (let directory = dirname(path); !isThere(directory); directory = dirname(directory)) {
    missing.unshift(directory);
  }
  return missing;
}

function isThere(path: string): boolean {
  try {
    return disk.lstat(path, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    if (systemCode(thrown) === "ENOTDIR") return true;
    return fail(failureOfSystem(thrown, "read", "read the status of", path));
  }
}

/** Everything that may fail for want of space, before any target is touched. Ends with the commit point. */
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
    makeDirectories(file.made_directories, pinned);
    const backupId = typeof file.backup === "number" ? file.backup : undefined;
    const copyPath = file.copy_temporary === undefined
      ? undefined
      : copyBeside(store, id, { index, changes, temporaryPath: file.copy_temporary }, pinned);
    if (change.content === undefined) {
      after.push(null);
      staged.push({ byteCount: 0, backupId, copyPath, ownerKept: true });
      continue;
    }
    const kept = target.file ?? change.ifNew;
    const hash = createHash("sha256");
    const { byteCount, ownerKept } = stageFile({
      temporaryPath: pinned.at(file.temporary),
      shownPath: target.path,
      content: change.content,
      mode: kept?.mode,
      owner: kept?.owner,
      observe: (chunk) => hash.update(chunk),
    });
    const stamp = stampNow(pinned.at(file.temporary), target.path);
    after.push({
      bytes: byteCount,
      sha256: hash.digest("hex"),
      file: stamp === undefined ? undefined : identityOf(stamp),
    });
    staged.push({ byteCount, backupId, copyPath, ownerKept });
  }
  journal(store, id, { event: "prepared", after }, true);
  return staged;
}

function makeDirectories(directories: readonly string[], pinned: PinnedDirectories): void {
  for (const directory of directories) {
    const path = pinned.at(directory);
    try {
      disk.mkdir(path);
      syncDirectory(dirname(path));
    } catch (thrown) {
      // Another file of the same transaction, or somebody else, made it.
      if (systemCode(thrown) !== "EEXIST") {
        fail(failureOfSystem(thrown, "write", "create the directory", directory));
      }
    }
  }
}

/**
 * `FILE.bak`, or the first of `.bak.1`, `.bak.2` … that is free, and that no other change is to make. Which file it is stands in the
 * journal before it has that name, so that nobody else's is ever taken for it.
 */
function copyBeside(
  store: Store,
  id: number,
  { index, changes, temporaryPath }: { index: number; changes: readonly Change[]; temporaryPath: string },
  pinned: PinnedDirectories,
): string {
  const { target } = changes[index]!;
  const { realPath, path, file } = target;
  stageFile({
    temporaryPath: pinned.at(temporaryPath),
    content: fileContent(pinned.at(realPath), path),
    mode: file?.mode,
    owner: file?.owner,
  });
  const stamp = stampNow(pinned.at(temporaryPath), temporaryPath);
  if (stamp === undefined) failStale(target, "its .bak copy was removed during the write");
  for (let number = 0;; number++) {
    const copyPath = number === 0 ? `${realPath}.bak` : `${realPath}.bak.${number}`;
    const isWanted = changes.some((other) => other.target.realPath === copyPath);
    if (isWanted || isThere(pinned.at(copyPath))) continue;
    journal(store, id, { event: "copy", file: index, path: copyPath, ...identityOf(stamp) }, true);
    try {
      placeStaged(pinned.at(temporaryPath), pinned.at(copyPath), { mustBeNew: true });
      return copyPath;
    } catch (thrown) {
      if (!(thrown instanceof FdError) || thrown.failure.kind !== "file_exists") throw thrown;
    }
  }
}

/** Puts one staged file in place, if the target is still what was inspected. */
async function place(change: Change, file: JournaledFile, pinned: PinnedDirectories): Promise<void> {
  const { target } = change;
  const path = pinned.at(target.realPath);
  await checkUnchanged(target, path);
  if (change.content === undefined) removeFile(path);
  else placeStaged(pinned.at(file.temporary), path, { mustBeNew: target.file === undefined });
}

async function checkUnchanged(target: Target, realPath: string): Promise<void> {
  const { file, path } = target;
  const now = stampNow(realPath, path);
  // By its own path too: what was read of a directory that was swapped meanwhile is not to be written to this one.
  const isElsewhere = !isSameStamp(stampNow(target.realPath, path), now);
  if (isElsewhere || !isSameStamp(now, file?.stamp)) {
    if (file === undefined) fail({ kind: "file_exists", path });
    failStale(target, now === undefined ? "it was removed during the write" : "it changed during the write");
  }
  if (file === undefined || file.stamp.byteCount > COMPARED_BYTES) return;
  const again = await inspectFile(realPath, path);
  if (again?.sha256 !== file.sha256) failStale(target, "it changed during the write");
}

function failStale(target: Target, what: string): never {
  refuse({
    kind: "stale_file",
    path: target.path,
    expectedSha256: target.file?.sha256,
    actualSha256: undefined,
    what,
  });
}
