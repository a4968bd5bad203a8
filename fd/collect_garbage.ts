/**
 * Cleaning: what is too old goes, then, oldest first, what is over the quota (the contract's section 3). Named and live
 * fds stay, and so do backups younger than the age limit.
 *
 * @module
 */

import { join } from "node:path";
import { listNames } from "./bind_name.ts";
import { disk } from "./disk.ts";
import { dropDeadForks } from "./fork_home.ts";
import type { FdEntry } from "./fd_entry.ts";
import { listContentIds, listFds, namesIn } from "./list_fds.ts";
import type { Store } from "./open_store.ts";
import { readLog } from "./record_log.ts";
import { dropContent, type Removal, removeFd } from "./remove_fd.ts";
import { unlinkIfThere } from "./unlink_if_there.ts";
import { temporaryDirectory } from "./store_paths.ts";

/** What cleaning did, or, as a dry run, would do. */
export interface GcReport {
  /** The fds that went, oldest first. */
  removed: Removal[];
  /** Bytes of content before and after. */
  bytesBefore: number;
  /** Bytes of content that are left. */
  bytesAfter: number;
  /** Files that interrupted work had left behind. */
  litterCount: number;
}

/** The source of fds that hold what a write replaced. They are kept for the whole age limit, whatever the quota. */
export const BACKUP_SOURCE = "backup";

/** Litter is what nobody can still be writing: older than a day. */
const LITTER_MS = 24 * 60 * 60 * 1000;

/** Cleans the store. `nowMs` in milliseconds since 1970. */
export async function collectGarbage(
  store: Store,
  how: { dryRun: boolean; nowMs: number },
): Promise<GcReport> {
  const named = new Set(listNames(store).map((bound) => bound.id));
  const entries = listFds(store);
  let litterCount = how.dryRun ? 0 : finishRemovals(store, entries);
  if (!how.dryRun) litterCount += dropLitter(store, how.nowMs) + dropDeadForks(store, how.nowMs);

  const bytesBefore = entries.reduce((sum, entry) => sum + entry.byteCount, 0);
  const removed: Removal[] = [];
  let bytesAfter = bytesBefore;
  for (const entry of entries) {
    const why = reasonToRemove(store, entry, named, bytesAfter, how.nowMs);
    if (why === undefined) continue;
    const { id, source, command, byteCount, sha256 } = entry;
    removed.push(
      how.dryRun ? { id, source, command, byteCount, sha256, why } : await removeFd(store, entry, why),
    );
    bytesAfter -= entry.byteCount;
  }
  return { removed, bytesBefore, bytesAfter, litterCount };
}

function reasonToRemove(
  store: Store,
  entry: FdEntry,
  named: ReadonlySet<number>,
  bytesHeld: number,
  nowMs: number,
): string | undefined {
  const { ttlMs, quotaBytes } = store.limits;
  if (named.has(entry.id) || entry.state === "live") return undefined;
  if (ttlMs > 0 && nowMs - (entry.importedMs ?? entry.createdMs) > ttlMs) return "older than the age limit";
  if (entry.source === BACKUP_SOURCE && ttlMs > 0) return undefined;
  return quotaBytes > 0 && bytesHeld > quotaBytes ? "over the store's quota" : undefined;
}

/** Finishes removals that were interrupted after their tombstone. */
function finishRemovals(store: Store, entries: readonly FdEntry[]): number {
  const listed = new Set(entries.map((entry) => entry.id));
  return listContentIds(store)
    .filter((id) => !listed.has(id) && readLog(store, id)?.tomb !== undefined && dropContent(store, id))
    .length;
}

function dropLitter(store: Store, nowMs: number): number {
  let count = 0;
  // What a link in its place leads to is not the store's to clean.
  if (disk.lstat(temporaryDirectory(store.path), { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  for (const name of namesIn(temporaryDirectory(store.path))) {
    const path = join(temporaryDirectory(store.path), name);
    const stat = disk.lstat(path, { throwIfNoEntry: false });
    if (
      stat !== undefined && !stat.isDirectory() && nowMs - stat.mtimeMs > LITTER_MS && unlinkIfThere(path)
    ) count++;
  }
  return count;
}
