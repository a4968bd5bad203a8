/** Removes fds, cleans and verifies stores. @module */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import type { CheckReport } from "../upkeep/check_report.ts";
import { checkStore as check } from "../upkeep/check_store.ts";
import { collectGarbage as collect, type GcReport } from "../upkeep/collect_garbage.ts";
import {
  listRemoved as allRemoved,
  type Removal,
  type RemovedFd,
  removeFd as remove,
} from "../upkeep/remove_fd.ts";
import { sweepSometimes as sweep } from "../upkeep/sweep_sometimes.ts";
import { aFlag, aMoment, aText, checkArguments, fields, optional } from "./argument_checks.ts";
import { anEntry, aStore, garbageRequest } from "./known_records.ts";

/**
 * Removes an fd and leaves its tombstone, which keeps `why`. The id is never used again.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `removed` if it is already; `permission_error`, `write_error`.
 */
export async function removeFd(store: Store, entry: FdEntry, why: string): Promise<Removal> {
  checkArguments({ store, entry, why }, { store: aStore, entry: anEntry, why: aText });
  return await remove(store, entry, why);
}

/** Lists the removed fds, oldest first, with what their tombstones say. */
export function listRemoved(store: Store): RemovedFd[] {
  checkArguments({ store }, { store: aStore });
  return allRemoved(store);
}

/** A request to {@link collectGarbage}. */
export interface CleaningRequest {
  /** Only report what would be removed. */
  dryRun?: boolean | undefined;
  /** Milliseconds since 1970; default: now. */
  nowMs?: number | undefined;
  /** Ids to keep, whatever their age and size. */
  spared?: readonly number[] | undefined;
  /** Trust `nowMs`, however far the clock has jumped since the last cleaning. */
  trustClock?: boolean | undefined;
}

/**
 * Removes the fds that are older than the store's `ttlMs` and then, oldest first, those beyond its `quotaBytes`. Keeps
 * named and live ones. Nothing is removed for its age because the clock jumped: `doubtedCount` says how many.
 *
 * @throws {FdError} `invalid_parameter`; `permission_error`, `write_error`.
 */
export async function collectGarbage(store: Store, request: CleaningRequest = {}): Promise<GcReport> {
  checkArguments({ store, request }, { store: aStore, request: garbageRequest });
  const { dryRun = false, nowMs = Date.now() } = request;
  return await collect(store, { ...request, dryRun, nowMs });
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
  checkArguments({ store, nowMs }, { store: aStore, nowMs: aMoment });
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
  checkArguments({ store, options }, { store: aStore, options: fields({ repair: optional(aFlag) }) });
  return await check(store, { repair: options.repair ?? false });
}
