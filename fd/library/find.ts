/** Finds fds, names them, and waits for them. @module */

import { awaitFd as awaitEntry } from "../records/live_fd.ts";
import { findFd as find } from "../records/find_fd.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { listNewestFds } from "../records/list_fds.ts";
import { bindName as bind, type BoundName, listNames as allNames } from "../store/bind_name.ts";
import { highestId as highest } from "../store/claim_id.ts";
import { formatFd as format } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { aCount, aName, aText, fields, oneOf, optional, someTime } from "./argument_checks.ts";
import { checkArguments } from "./known_records.ts";

/**
 * Returns the handle of an id: `fd:12`.
 *
 * @throws {FdError} `invalid_parameter` unless `id` is a whole number of 1 or more.
 */
export function formatFd(id: number): string {
  checkArguments({ id });
  return format(id);
}

/**
 * Returns the fd that `handle` names: `fd:12`, `12` or `ref:NAME`. The entry is a snapshot: for a live fd it covers
 * what was written so far.
 *
 * @throws {FdError} `not_found`; `removed`, with what its tombstone says; `store_corrupt`, `read_error`.
 */
export function findFd(store: Store, handle: string): FdEntry {
  checkArguments({ store, handle }, { handle: aText });
  return find(store, handle);
}

/** The fds that {@link listFds} lists. */
export interface ListOptions {
  /** Only the newest `most`, 0 or more; default: all. */
  most?: number | undefined;
  /** Only fds with lower ids. */
  beforeId?: number | undefined;
}

/**
 * Lists every fd that is not removed, oldest first.
 *
 * @throws {FdError} `store_corrupt`, `read_error` if a record cannot be read.
 */
export function listFds(store: Store, options: ListOptions = {}): FdEntry[] {
  checkArguments({ store, options }, {
    options: fields({ most: optional(aCount(0)), beforeId: optional(aCount(1)) }),
  });
  return listNewestFds(store, options).entries;
}

/** Returns the highest id that was ever taken; 0 if there is none. The next fd has a higher one. */
export function highestId(store: Store): number {
  checkArguments({ store });
  return highest(store);
}

/**
 * Binds `name` to fd `id`, so that `ref:NAME` finds it. Returns the id that it was bound to before. The last binding
 * wins, and is synced to the disk when this returns.
 *
 * @throws {FdError} `invalid_parameter` for an invalid name; `not_found` or `removed` for `id`; `storage_full`,
 * `permission_error`, `write_error`.
 */
export function bindName(store: Store, name: string, id: number): number | undefined {
  checkArguments({ store, name, id }, { name: aName });
  find(store, format(id));
  return bind(store, name, id);
}

/** Lists all names, sorted, with the fds that they are bound to, which may have been removed since. */
export function listNames(store: Store): BoundName[] {
  checkArguments({ store });
  return allNames(store);
}

/** The condition of {@link awaitFd}, and how long to wait. */
export interface AwaitOptions {
  /** `news`: more content, or the end. */
  for: "news" | "end";
  /** Milliseconds after which it resolves anyway; default: none. */
  timeoutMs?: number | undefined;
}

/**
 * Resolves with a newer entry of `entry` when there is more content or the fd has ended, or when the time is up; at
 * once if it has ended. The writer may be any process.
 *
 * @throws {FdError} `removed`; `store_corrupt`, `read_error`.
 */
export async function awaitFd(store: Store, entry: FdEntry, options: AwaitOptions): Promise<FdEntry> {
  checkArguments({ store, entry, options }, {
    options: fields({ for: oneOf(["news", "end"]), timeoutMs: optional(someTime) }),
  });
  const { timeoutMs } = options;
  const deadlineMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  return await awaitEntry(store, entry, { for: options.for, deadlineMs });
}
