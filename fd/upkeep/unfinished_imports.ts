/**
 * An import is whole or not at all (FORMAT.md, Archives). It has a directory with staged content and, once it claims ids, a log
 * of them, each noted before anything is written to it. Deleting that log ends the import: as long as it exists, its fds are
 * taken back. One import at a time claims ids, and gives their empty records a mode of its own until they are noted.
 */

import { constants } from "node:fs";
import { disk } from "../disk/disk.ts";
import { attempt, fail, ifPossible, undefinedIf } from "../disk/errors.ts";
import { isThere, statIfPossible, unlinkIfExists } from "../disk/file_calls.ts";
import { NEW_FILE, NO_FOLLOW, writePrivate } from "../disk/private_files.ts";
import { momentNow } from "../records/record_line.ts";
import { readDeadLog } from "../records/record_log.ts";
import { dropListing } from "../records/shard_listing.ts";
import { writeTomb } from "../records/write_tomb.ts";
import { listNames } from "../store/bind_name.ts";
import { checkedLines, encodeCheckedLine, readCheckedLog } from "../store/checked_log.ts";
import { highestId } from "../store/claim_id.ts";
import { importedIdsPath, importsStart } from "../store/further_paths.ts";
import { holdLocks } from "../store/hold_locks.ts";
import type { Store } from "../store/open_store.ts";
import { deadAt, dropOwned, makeOwned } from "../store/owned_directory.ts";
import { namePath, recordPath } from "../store/store_paths.ts";
import { dropContent } from "./remove_fd.ts";

const WHAT = "the files of an import";
const LOCK = ["import"];
/** How long an import waits for another one. */
const WAIT_MS = 10 * 60 * 1000;

/** The mode of a record that an import has created and not yet noted. */
export const CLAIMING_MODE = 0o700;

/** Calls `use` with a new directory for staged files, and deletes it. */
export async function withStaging<Result>(
  store: Store,
  use: (directory: string) => Promise<Result>,
): Promise<Result> {
  const directory = makeOwned(store, importsStart(store.path), WHAT);
  try {
    return await use(directory);
  } finally {
    ifPossible(() => isThere(importedIdsPath(directory)) || dropOwned(directory, WHAT));
  }
}

/**
 * Calls `claim`, which makes the fds of the import in `directory`, and `note`s each id before it writes to it. If it fails, all
 * that it made is taken back, now or by a later {@link takeBackImports}.
 */
export async function claimTogether<Result>(
  store: Store,
  directory: string,
  claim: (note: (id: number) => void) => Promise<Result>,
): Promise<Result> {
  const lock = await holdLocks(store, LOCK, WAIT_MS);
  if (lock === undefined) {
    return fail({ kind: "write_error", path: store.path, action: "import into", code: "EBUSY" });
  }
  try {
    await takeBackDead(store, Date.now());
    const path = importedIdsPath(directory);
    const write = (line: IdLine, flags: number) =>
      attempt(
        "write",
        "note an import in",
        path,
        () => writePrivate(path, encodeCheckedLine(line), { flags }),
      );
    write({ id: highestId(store), isBefore: true }, NEW_FILE);
    const result = await claim((id) => write({ id }, constants.O_WRONLY | constants.O_APPEND | NO_FOLLOW));
    attempt("write", "end the import in", directory, () => disk.unlink(path));
    return result;
  } catch (thrown) {
    await takeBack(store, directory).catch(undefinedIf());
    throw thrown;
  } finally {
    lock.release();
  }
}

/** Takes back the imports whose processes are gone, unless one is claiming ids. Returns how many were not whole. */
export async function takeBackImports(store: Store, nowMs: number): Promise<number> {
  if (deadAt(importsStart(store.path), nowMs).length === 0) return 0;
  const lock = await holdLocks(store, LOCK, 0);
  return lock === undefined ? 0 : await takeBackDead(store, nowMs).finally(lock.release);
}

async function takeBackDead(store: Store, nowMs: number): Promise<number> {
  let count = 0;
  for (const directory of deadAt(importsStart(store.path), nowMs)) {
    if (await takeBack(store, directory).catch(undefinedIf()) === true) count++;
    ifPossible(() => isThere(importedIdsPath(directory)) || dropOwned(directory, WHAT));
  }
  return count;
}

/** A line of the log: an id that the import has claimed, or the highest one before. */
interface IdLine {
  id: number;
  isBefore?: true;
}

/** Removes what an import has made. Returns whether it had not ended. */
async function takeBack(store: Store, directory: string): Promise<boolean> {
  const path = importedIdsPath(directory);
  const log = readCheckedLog(path, directory);
  if (log === undefined) return false;
  // Their sums say that fdtool wrote them.
  const lines = [...checkedLines(log)].flatMap(({ value }) => value === undefined ? [] : value as IdLine);
  const ids = lines.filter(({ isBefore }) => isBefore !== true).map(({ id }) => id);
  const lastId = lines.at(-1)?.id;
  if (lastId !== undefined && store.backend.host === undefined) ids.push(...claimedAfter(store, lastId));
  for (const { id, name } of ids.length === 0 ? [] : listNames(store)) {
    if (ids.includes(id)) unlinkIfExists(namePath(store.path, name));
  }
  for (const id of ids) await removeClaimed(store, id);
  unlinkIfExists(path);
  return true;
}

/** The ids above `id` whose records an import has created and not noted. */
function claimedAfter(store: Store, id: number): number[] {
  const above = Array.from({ length: Math.max(0, highestId(store) - id) }, (_, at) => id + 1 + at);
  return above.filter((each) => {
    const stat = statIfPossible(recordPath(store.path, each));
    return stat?.size === 0 && (stat.mode & 0o777) === CLAIMING_MODE;
  });
}

async function removeClaimed(store: Store, id: number): Promise<void> {
  const why = "its import did not end";
  await store.backend.removal(id)?.(why);
  const log = readDeadLog(store, id);
  if (log?.tomb === undefined) {
    dropListing(store, id);
    writeTomb(store, id, { event: "tomb", at: momentNow(), why, bytes: 0 }, false, log);
  }
  dropContent(store, id);
}
