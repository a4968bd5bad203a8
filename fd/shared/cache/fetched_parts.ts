/** Fetches the parts of a shared store that its cache lacks, or that may be out of date, before they are read. */

import { fail, failureIn, failureOfSystem } from "../../disk/errors.ts";
import { statIfPossible } from "../../disk/file_calls.ts";
import type { FdFailure } from "../../failures.ts";
import { readLog } from "../../records/record_log.ts";
import { cachedBlocks, cachedEntries } from "./cached_content.ts";
import type { Backend, Part, RemoteRecords } from "../../store/backend.ts";
import { isKeptOnHost } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
import { contentPath, packPath, recordPath } from "../../store/store_paths.ts";
import type { CacheState } from "./cache_state.ts";
import { noteUnreachable, wasUnreachable } from "./marks.ts";
import { readOrigin, RECORD_MS } from "./origin_file.ts";
import { knownId, pendingOf } from "./pending_fds.ts";

/** How long a long-running process reuses names, lists and records that it fetched. */
const SETTLED_MS = 2000;

/** The outcome of fetching a part. */
interface Outcome {
  settledMs?: number;
  /** Why it cannot be read. */
  failure?: FdFailure;
  /** Why it was not asked for, although the cached copy counts. */
  staleness?: FdFailure;
}

type Reading = Pick<
  Backend,
  "refresh" | "check" | "staleness" | "fetched" | "records" | "highestId" | "writerElsewhere"
>;

/** The backend of a shared store, as far as it reads. */
export function fetchedParts(cache: CacheState): Reading {
  const { local, options: { isFresh } } = cache;
  const outcomes = new Map<string, Outcome>();
  const get = partGetter(cache);
  let all: RemoteRecords = { records: [] };

  /** Fetches a part. If the store cannot be reached, what is in the cache counts. */
  async function load(part: Part): Promise<void> {
    const outcome: Outcome = {};
    try {
      all = await get(part) ?? all;
    } catch (thrown) {
      const failure = failureIn(thrown, "store_unreachable", "store_denied");
      if (failure.kind === "store_unreachable") noteUnreachable(local);
      if (part.kind === "records") all = { records: [], failure };
      else if (isFresh || !isInCache(local, part)) throw thrown;
      else outcome.staleness = failure;
    }
    outcomes.set(keyOf(part), { ...outcome, settledMs: performance.now() });
  }

  return {
    async refresh(part) {
      const key = keyOf(part);
      if (outcomes.get(key)?.failure !== undefined) outcomes.delete(key);
      if (isAtHand(local, part, outcomes.get(key)?.settledMs, isFresh)) return;
      outcomes.delete(key);
      await load(part.kind === "block" ? { kind: "record", id: part.id } : part)
        .catch((thrown) => outcomes.set(key, { failure: failureIn(thrown) }));
    },
    check(part) {
      const failure = outcomes.get(keyOf(part))?.failure;
      if (failure !== undefined) fail(failure);
    },
    staleness: (part) => outcomes.get(keyOf(part))?.staleness,
    fetched(id) {
      if (isKeptOnHost(id) || pendingOf(local, id) !== undefined) return undefined;
      return {
        entries: (index, reopen) => cachedEntries(load, id, index, reopen),
        blocks: (index, prepareEntries, read) => cachedBlocks(load, id, index, prepareEntries, read),
      };
    },
    records: () => all,
    highestId: () => knownId(local)?.id ?? 0,
    writerElsewhere(id) {
      if (isKeptOnHost(id) || pendingOf(local, id) !== undefined) return undefined;
      return readOrigin(local, id)?.live ?? { host: undefined, asOfMs: Date.now(), isDead: false };
    },
  };
}

/** Gets parts into the cache, which moves to memory if the disk is full and the call allows it. */
function partGetter(cache: CacheState): (part: Part) => Promise<RemoteRecords | undefined> {
  const { local, objects, options: { mayMove } } = cache;
  /** Ids of records that were fetched: a move to memory fetches them again. */
  const ids = new Set<number>();

  async function get(part: Part): Promise<RemoteRecords | undefined> {
    return await (await import("./fetch_part.ts")).fetchWithRoom(local, objects, part);
  }

  async function moveToMemory(full: FdFailure): Promise<void> {
    const { memoryDirectory } = await import("./bound_cache.ts");
    cache.moveTo(memoryDirectory(full), full);
    for (const id of ids) await get({ kind: "record", id });
  }

  /** Moves to memory before content is read that the disk has no room for. */
  async function ensureRoom(id: number): Promise<void> {
    ids.add(id);
    if (cache.full !== undefined) {
      if (readLog(local, id) === undefined) fail(cache.full);
      return;
    }
    const { makeRoomFor } = await import("./bound_cache.ts");
    if (!mayMove || makeRoomFor(local, id)) return;
    const noSpace = Object.assign(new Error(), { code: "ENOSPC" });
    await moveToMemory(failureOfSystem(noSpace, "write", "cache what was fetched", local.path));
  }

  return async (part) => {
    cache.hasGrown = true;
    let records: RemoteRecords | undefined;
    try {
      records = await get(part);
    } catch (thrown) {
      const isPiece = part.kind === "block" || part.kind === "index";
      const failure = failureIn(thrown, "storage_full");
      if (!mayMove || cache.full !== undefined || isPiece) throw thrown;
      await moveToMemory(failure);
      records = await get(part);
    }
    if (part.kind === "record") await ensureRoom(part.id);
    return records;
  };
}

function keyOf(part: Part): string {
  return JSON.stringify(Object.values(part));
}

/** Whether a part need not be asked for. */
function isAtHand(local: Store, part: Part, settledMs: number | undefined, isFresh: boolean): boolean {
  if (part.kind === "block") return hasContent(local, part.id) || isKeptOnHost(part.id);
  if (settledMs !== undefined && performance.now() - settledMs < SETTLED_MS) return true;
  if (part.kind !== "record") return false;
  // What is in the cache is not asked for again while the store does not answer.
  return isCurrent(local, part.id, isFresh) ||
    !isFresh && statIfPossible(recordPath(local.path, part.id)) !== undefined && wasUnreachable(local);
}

/** Whether the cached copy of a part is good enough to read. */
function isInCache(local: Store, part: Part): boolean {
  if (part.kind === "record") return readLog(local, part.id) !== undefined;
  return part.kind !== "index" && part.kind !== "block";
}

/** Whether the cache has a record that may be used without asking. */
function isCurrent(local: Store, id: number, isFresh: boolean): boolean {
  if (isKeptOnHost(id)) return true;
  const atMs = statIfPossible(recordPath(local.path, id))?.mtimeMs;
  if (atMs === undefined) return false;
  if (pendingOf(local, id) !== undefined) return true;
  const ageMs = Date.now() - atMs;
  return !isFresh && ageMs >= 0 && ageMs < RECORD_MS;
}

function hasContent(local: Store, id: number): boolean {
  return [contentPath, packPath].some((path) => statIfPossible(path(local.path, id)) !== undefined);
}
