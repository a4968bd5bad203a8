/**
 * Lists fds of the object store without reading each, and keeps how much each group of them has, so that a cleaner need not
 * look at all (SHARED.md, "Listings"). A listing is a cache: an entry counts only if
 * the store lists the object with the same etag.
 */

import { undefinedIf } from "../../disk/errors.ts";
import { nodeZlib } from "../../disk/loaded_late.ts";
import type { OnUnreadable } from "../../records/look_at_shard.ts";
import { isCount } from "../../records/record_line.ts";
import { type ListedObject, listPages, type ObjectStore } from "../remote/object_store.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import { highestShared } from "./claim_shared_id.ts";
import { inParallel } from "./in_parallel.ts";
import {
  type Entry,
  type ListedFd,
  packEntries,
  readListed,
  unpackedObject,
  unpackEntries,
} from "./listed_fds.ts";
import { readHint } from "./next_object.ts";
import {
  ALL_PREFIX,
  FD_PREFIX,
  type Group,
  GROUP_IDS,
  groupOf,
  groupPrefix,
  idOfKey,
  listingKey,
  TOTALS_GROUPS,
  totalsKey,
} from "./shared_keys.ts";

export type { ListedFd };

/** Groups, and objects of each, that are read at the same time. */
const AT_ONCE = 8;
/** A listing is written again if at least this many of its entries were missing or old. */
const STALE_ENTRIES = 32;

/** Lists all fds by id, those removed too. Ones that cannot be read are reported and left out. */
export async function listAllShared(
  objects: ObjectStore,
  onUnreadable: OnUnreadable,
  known?: number,
): Promise<ListedFd[]> {
  const highest = await highestShared(objects, known);
  const last = Number(groupOf(highest));
  const listed: ListedFd[] = [];
  for (let group: number | undefined = 0; group !== undefined && group <= last;) {
    const groups = Array.from({ length: Math.min(AT_ONCE, last + 1 - group) }, (_, at) => group! + at);
    const found = await inParallel(groups, AT_ONCE, (each) => listGroup(objects, each, onUnreadable));
    for (const { fds } of found) for (const fd of fds) listed.push(fd);
    group += groups.length;
    if (found.every(({ fds }) => fds.length === 0)) group = await groupFrom(objects, group);
  }
  for (const fd of (await listGroup(objects, "off", onUnreadable)).fds) listed.push(fd);
  return listed;
}

/**
 * Returns the first group from `group` on that has fds; undefined if none has. Groups without any are not walked through: anyone
 * who may write to the bucket can put an object under an id far above the others.
 */
export async function groupFrom(objects: ObjectStore, group: number): Promise<number | undefined> {
  const { objects: listed } = await objects.list(FD_PREFIX, groupPrefix(group));
  const id = listed.map(({ key }) => idOfKey(key)).find((found) => found !== undefined);
  return id === undefined ? undefined : Number(groupOf(id));
}

/** Returns the last group before `end` that has fds, or -1. Keys are listed upwards only. */
async function groupBefore(objects: ObjectStore, end: number): Promise<number> {
  let low = -1;
  for (let high = end; high - low > 1;) {
    const middle = Math.floor((low + high) / 2);
    const found = await groupFrom(objects, middle) ?? end;
    if (found < end) low = found;
    else high = middle;
  }
  return low;
}

/** Lists the newest fds that are not removed, `most` at most, by id. */
export async function listNewestShared(
  objects: ObjectStore,
  most: number,
  onUnreadable: OnUnreadable,
  known?: number,
): Promise<ListedFd[]> {
  const hint = readHint(objects);
  const [{ packed }, highest, offline] = await Promise.all([
    hint,
    known === undefined ? hint.then(({ id }) => highestShared(objects, id)) : highestShared(objects, known),
    openGroup(objects, "off", onUnreadable).then((group) => {
      // Their ids are random.
      group.found.sort((a, b) => a.modifiedAtMs - b.modifiedAtMs);
      return newestOf(group, most);
    }),
  ]);
  const entries = unpackEntries(packed);
  const newest: ListedFd[] = [];
  for (let group = Number(groupOf(highest)); group >= 0 && newest.length < most;) {
    const opened = await openGroup(objects, group, onUnreadable, entries);
    newest.unshift(...await newestOf(opened, most - newest.length));
    group = opened.found.length === 0 ? await groupBefore(objects, group) : group - 1;
  }
  const oldestMs = newest.length < most ? 0 : Math.min(...newest.map((fd) => fd.modifiedAtMs));
  const all = [...newest, ...offline.filter((fd) => fd.modifiedAtMs >= oldestMs)];
  const byTime = all.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs || b.id - a.id).slice(0, most);
  return byTime.sort((a, b) => a.id - b.id);
}

/** Lists a group of fds by id, those removed too. Writes its listing again if that has become old. */
export async function listGroup(
  objects: ObjectStore,
  group: Group,
  onUnreadable: OnUnreadable,
): Promise<{ fds: ListedFd[]; serverNowMs: number }> {
  const { found, serverNowMs, read, end } = await openGroup(objects, group, onUnreadable);
  const fds = await read(found);
  await end();
  return { fds: fds.filter((fd) => fd !== undefined), serverNowMs };
}

/** The objects of a group, to be read. */
type OpenGroup = Awaited<ReturnType<typeof openGroup>>;

/** `known` has entries besides those of the group's listing. */
async function openGroup(
  objects: ObjectStore,
  group: Group,
  onUnreadable: OnUnreadable,
  known?: ReadonlyMap<number, Entry>,
) {
  const [{ found, serverNowMs }, listing] = await Promise.all([
    objectsOf(objects, group),
    objects.get(listingKey(group)),
  ]);
  const entries = listing === null ? new Map<number, Entry>() : unpackEntries(listing.bytes);
  let staleCount = 0;
  const read = async (object: FoundObject): Promise<ListedFd | undefined> => {
    const listed = [entries, known].map((each) => each?.get(object.id))
      .find((entry) => entry?.etag === object.etag);
    if (listed !== undefined) return { ...listed, serverNowMs };
    staleCount++;
    const fd = await readListed(objects, object.id, onUnreadable);
    if (fd !== undefined) entries.set(object.id, fd);
    return fd;
  };
  return {
    found,
    serverNowMs,
    /** Returns the fds of some of them; undefined for those that cannot be read. */
    read: (some: readonly FoundObject[]) => inParallel(some, AT_ONCE, read),
    /**
     * Writes the listing again if many entries were missing or old. Another host's stays if it did so meanwhile, and a
     * host that may not write does not.
     */
    async end() {
      if (staleCount < STALE_ENTRIES) return;
      const bytes = packEntries([...entries.values()]);
      const written = listing === null
        ? objects.create(listingKey(group), bytes)
        : objects.replace(listingKey(group), bytes, listing.etag);
      await written.catch(undefinedIf("store_denied"));
    },
  };
}

async function newestOf({ found, read, end }: OpenGroup, most: number): Promise<ListedFd[]> {
  const newest: ListedFd[] = [];
  for (let to = found.length; to > 0 && newest.length < most;) {
    const from = Math.max(0, to - (most - newest.length));
    const fds = await read(found.slice(from, to));
    newest.unshift(...fds.filter((fd) => fd !== undefined && fd.log.tomb === undefined) as ListedFd[]);
    to = from;
  }
  await end();
  return newest;
}

interface FoundObject extends ListedObject {
  id: number;
}

async function objectsOf(
  objects: ObjectStore,
  group: Group,
): Promise<{ found: FoundObject[]; serverNowMs: number }> {
  const found: FoundObject[] = [];
  let serverNowMs = 0;
  for await (const page of listPages(objects, groupPrefix(group))) {
    serverNowMs = page.serverNowMs;
    for (const object of page.objects) {
      const id = idOfKey(object.key);
      if (id !== undefined) found.push({ ...object, id });
    }
    // A store may call a full page cut, though it has all ids of the thousand.
    if (group !== "off" && found.length >= GROUP_IDS) break;
  }
  return { found, serverNowMs };
}

/** Totals of the fds of a group, without removed ones. */
type GroupTotals = ReturnType<typeof totalsOf>;

/** Bytes that an fd takes in the bucket. */
export function storedBytesOf({ objectBytes, log }: Pick<ListedFd, "objectBytes" | "log">): number {
  return objectBytes + (log.tomb === undefined ? log.stored?.bytes ?? 0 : 0);
}

export function totalsOf(fds: readonly ListedFd[], atMs: number) {
  const left = fds.filter(({ log }) => log.tomb === undefined);
  const byteCount = left.reduce((sum, fd) => sum + storedBytesOf(fd), 0);
  const oldestMs = left.reduce((oldest, fd) => Math.min(oldest, fd.modifiedAtMs), atMs);
  return {
    /** When the group was listed, by the server's clock. */
    atMs,
    fdCount: left.length,
    /** Bytes of objects and segments. */
    byteCount,
    /** When the fd that was not changed for the longest time was. */
    oldestMs,
  };
}

/** The totals of the groups before `groupCount`, by group, as they were last written. */
export async function readTotals(
  objects: ObjectStore,
  groupCount: number,
): Promise<Map<number, GroupTotals>> {
  const totals = new Map<number, GroupTotals>();
  for (let million = 0; million * TOTALS_GROUPS < groupCount; million++) {
    const part = await objects.get(totalsKey(million));
    // Totals of later ones are made again.
    if (part === null) break;
    for (const row of rowsIn(part.bytes)) {
      if (row.length !== 5 || !row.every(isCount)) continue;
      const [group, atMs, fdCount, byteCount, oldestMs] = row as [number, number, number, number, number];
      totals.set(group, { atMs, fdCount, byteCount, oldestMs });
    }
  }
  return totals;
}

/** Writes the totals of the millions that have a group in `changed`. Only the holder of the lease does. */
export async function writeTotals(
  objects: ObjectStore,
  totals: ReadonlyMap<number, GroupTotals>,
  changed: ReadonlySet<number>,
): Promise<void> {
  const millions = new Set([...changed].map((group) => Math.floor(group / TOTALS_GROUPS)));
  for (const million of millions) {
    const groups = [...totals].filter(([group]) => Math.floor(group / TOTALS_GROUPS) === million)
      .map(([group, { atMs, fdCount, byteCount, oldestMs }]) => [group, atMs, fdCount, byteCount, oldestMs]);
    const bytes = new Uint8Array(nodeZlib().gzipSync!(encodeCheckedLine({ groups })));
    await objects.put(totalsKey(million), bytes);
  }
}

function rowsIn(bytes: Uint8Array): unknown[][] {
  const value = unpackedObject(bytes, 2 ** 20);
  const rows = value !== undefined && "groups" in value ? value.groups : undefined;
  return Array.isArray(rows) ? rows.filter(Array.isArray) : [];
}

/** Counts all objects of a store, and the fds among them, removed ones too: a request for each thousand. */
export async function totalsOfBucket(objects: ObjectStore) {
  const totals = { fds: 0, objects: 0, bytes: 0 };
  for await (const { objects: listed } of listPages(objects, ALL_PREFIX)) {
    for (const { key, byteCount } of listed) {
      if (idOfKey(key) !== undefined) totals.fds++;
      totals.objects++;
      totals.bytes += byteCount;
    }
  }
  return totals;
}
