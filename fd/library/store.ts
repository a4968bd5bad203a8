/** Opens stores, removes fds from them, cleans, verifies, archives and forks them. @module */

import { exportFds as exportAll } from "../archive/export_fds.ts";
import { type Imported, importFds as importAll, type ReadArchive } from "../archive/import_fds.ts";
import { nodePath } from "../disk/loaded_late.ts";
import { type ForkOptions, type ForkReport, forkStore as fork } from "../forks/fork_store.ts";
import { aFlag, aFunction, aText, fields, optional, textsByName } from "./argument_checks.ts";
import { checkArguments, forkOptions, garbageRequest, storeLimits } from "./known_records.ts";
import type { FdEntry, Removal } from "../records/fd_entry.ts";
import type { ByteSource } from "../slices/read_slice.ts";
import {
  DEFAULT_LIMITS,
  type Environment,
  openStore as open,
  openUserStore as openOfUser,
  type Store,
  type StoreLimits,
} from "../store/open_store.ts";
import type { CheckReport } from "../upkeep/check_report.ts";
import { checkStore as check } from "../upkeep/check_store.ts";
import { collectGarbage as collect, type GcReport, type GcRequest } from "../upkeep/collect_garbage.ts";
import { listRemoved as allRemoved, type RemovedFd, removeFd as remove } from "../upkeep/remove_fd.ts";
import { sweepSometimes as sweep } from "../upkeep/sweep_sometimes.ts";

/**
 * Removes an fd and leaves its tombstone, which keeps `why`. The id is never used again.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `removed` if it is already; `permission_error`, `write_error`.
 */
export async function removeFd(store: Store, entry: FdEntry, why: string): Promise<Removal> {
  checkArguments({ store, entry, why }, { why: aText });
  return await remove(store, entry, why);
}

/** Lists the removed fds, oldest first, with what their tombstones say. */
export function listRemoved(store: Store): RemovedFd[] {
  checkArguments({ store });
  return allRemoved(store);
}

/** A request to {@link collectGarbage}. */
export type CleaningRequest = Pick<GcRequest, "dryRun" | "nowMs" | "spared" | "trustClock">;

/**
 * Removes the fds that are older than the store's `ttlMs` and then, oldest first, those beyond its `quotaBytes`. Keeps
 * named and live ones. Nothing is removed for its age because the clock jumped: `doubtedCount` says how many.
 *
 * @throws {FdError} `invalid_parameter`; `permission_error`, `write_error`.
 */
export async function collectGarbage(store: Store, request: CleaningRequest = {}): Promise<GcReport> {
  checkArguments({ store, request }, { request: garbageRequest });
  return await collect(store, request);
}

/**
 * Cleans the store like {@link collectGarbage}, unless that was done within the last hour; then it returns undefined,
 * which is cheap, so it can be called after each put. `nowMs` is in milliseconds since 1970; default: now. It also
 * compresses content of 1 MiB and more that was not read for a day.
 */
export async function sweepSometimes(
  store: Store,
  nowMs: number = Date.now(),
): Promise<GcReport | undefined> {
  checkArguments({ store, nowMs });
  return await sweep(store, nowMs);
}

/**
 * Verifies every record, byte, index and name of the store. With `repair`, repairs what can be: indexes, records of
 * writers that died, interrupted removals. Damaged content cannot be, and reading it keeps failing.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { checkStore, openStore, putBytes } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * putBytes(store, new TextEncoder().encode("one\n"), { source: "example" });
 * const { fdCount, byteCount, findings } = await checkStore(store);
 * if (fdCount !== 1 || byteCount !== 4 || findings.length > 0) throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 */
export async function checkStore(
  store: Store,
  options: { repair?: boolean | undefined } = {},
): Promise<CheckReport> {
  checkArguments({ store, options }, { options: fields({ repair: optional(aFlag) }) });
  return await check(store, { repair: options.repair ?? false });
}

/**
 * Opens the store in the directory `path`, which may be relative. Creates nothing: a store is created with its first
 * fd. The directory may contain other things too.
 *
 * Limits that are not given are {@link DEFAULT_LIMITS}; 0 turns one off. Puts obey `maxBytes`; the others are for
 * {@link collectGarbage} and {@link sweepSometimes}, without which nothing is ever removed.
 *
 * ```ts
 * import { openStore } from "./mod.ts";
 *
 * const store = openStore("my-store", { maxBytes: 100 * 2 ** 20 });
 * if (store.limits.maxBytes !== 104_857_600) throw new Error();
 * ```
 *
 * @throws {FdError} `invalid_parameter` for a URL, an empty path or wrong limits; `permission_error` if the store
 * belongs to another user; `write_error` if the path is not a directory.
 */
export function openStore(path: string, limits: Partial<StoreLimits> = {}): Store {
  checkArguments({ path, limits }, { limits: storeLimits });
  // The path as given says more about a URL.
  const place = path.includes("://") ? path : nodePath().resolve(path);
  const { maxBytes, quotaBytes, ttlMs } = DEFAULT_LIMITS;
  return open(place, {
    maxBytes: limits.maxBytes ?? maxBytes,
    quotaBytes: limits.quotaBytes ?? quotaBytes,
    ttlMs: limits.ttlMs ?? ttlMs,
  });
}

/**
 * Opens the store that the program `fdtool` uses for this user and environment: the directory in `FDTOOL_STORE`, else
 * the user's own, with the limits in `FDTOOL_MAX_BYTES`, `FDTOOL_QUOTA` and `FDTOOL_TTL`.
 *
 * @throws {FdError} like {@link openStore}; `invalid_parameter` for an invalid limit, and for a shared store
 * (`s3://…`), which only the program opens.
 */
export function openUserStore(env: Environment = process.env): Store {
  checkArguments({ env }, { env: textsByName });
  return openOfUser(env);
}

/**
 * Returns an archive of `entries`: a tar file with their sums. Memory use does not grow with it. `nowMs`, in
 * milliseconds since 1970, is noted in the archive; default: now.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `store_corrupt` for one that cannot be read.
 */
export async function exportFds(
  store: Store,
  entries: readonly FdEntry[],
  nowMs: number = Date.now(),
): Promise<ByteSource> {
  checkArguments({ store, entries, nowMs });
  return await exportAll(store, entries, nowMs);
}

/**
 * Imports all fds of an archive, under new ids, or none if anything is wrong with it. `read` fills the bytes it is
 * given with the next ones of the archive, and returns how many; 0 at the end.
 *
 * @throws {FdError} `archive_truncated`, `archive_malformed`, `archive_mismatch`; `invalid_parameter` for an fd above
 * the store's `maxBytes`; `storage_full`, `permission_error`, `write_error`; and whatever `read` throws.
 */
export async function importFds(store: Store, read: ReadArchive): Promise<Imported[]> {
  checkArguments({ store, read }, { read: aFunction });
  return await importAll(store, read);
}

/** Options of a fork. */
export type ForkRequest = Pick<ForkOptions, "ids">;

/**
 * Creates a store in the directory `path`, which must not contain one, with fds of `store` under the same ids. Content
 * is shared on the disk if the file system can; from then on no change in one store affects the other.
 *
 * @throws {FdError} `file_exists` if `path` contains a store; failures of reading one store or writing the other.
 */
export function forkStore(store: Store, path: string, options: ForkRequest = {}): ForkReport {
  checkArguments({ store, path, options }, { options: forkOptions });
  return fork(store, nodePath().resolve(path), options);
}
