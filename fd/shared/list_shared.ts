/**
 * Lists fds of the object store without reading each, and keeps how much each group of them has, so that a cleaner need not
 * look at all (SHARED.md, "Listings"). A listing is a cache: an entry counts only if
 * the store lists the object with the same etag.
 */

import { nodeZlib } from "../disk/loaded_late.ts";
import { isCount, isRecordLine } from "../records/record_line.ts";
import type { RecordLog } from "../records/record_log.ts";
import type { ListedObject, ObjectStore } from "../remote/object_store.ts";
import { decodeCheckedObject, encodeCheckedObject } from "./checked_object.ts";
import { highestShared } from "./claim_shared_id.ts";
import { readShared } from "./fd_object.ts";
import { inParallel } from "./in_parallel.ts";
import {
  type Group,
  GROUP_IDS,
  groupOf,
  groupPrefix,
  idOfKey,
  listingKey,
  TOTALS_GROUPS,
  totalsKey,
} from "./shared_keys.ts";
import { FdError } from "../disk/errors.ts";
import type { OnUnreadable } from "../records/look_at_shard.ts";

/** An fd in a listing. */
export interface ListedFd {
  id: number;
  etag: string;
  /** Of the object. */
  objectBytes: number;
  modifiedAtMs: number;
  serverNowMs: number;
  log: Pick<RecordLog, "claim" | "seal" | "digest" | "stored" | "tomb">;
}

/** Groups, and objects of each, that are read at the same time. */
const AT_ONCE = 8;
/** The first bytes of an object that are read for a listing: nearly every record is shorter. */
const RECORD_BYTES = 4096;
/** A listing is written again if at least this many of its entries were missing or old. */
const STALE_ENTRIES = 32;

/** Lists all fds by id, those removed too. Ones that cannot be read are reported and left out. */
export async function listAllShared(
  objects: ObjectStore,
  onUnreadable: OnUnreadable,
  known?: number,
): Promise<ListedFd[]> {
  const highest = await highestShared(objects, known);
  const groups: Group[] = Array.from({ length: Number(groupOf(highest)) + 1 }, (_, group) => group);
  const listed = await inParallel([...groups, "off" as const], AT_ONCE, (group) => {
    return listGroup(objects, group, onUnreadable);
  });
  return listed.flatMap(({ fds }) => fds);
}

/** Lists the newest fds that are not removed, `most` at most, by id. */
export async function listNewestShared(
  objects: ObjectStore,
  most: number,
  onUnreadable: OnUnreadable,
  known?: number,
): Promise<ListedFd[]> {
  const [highest, offline] = await Promise.all([
    highestShared(objects, known),
    newestOfGroup(objects, "off", most, onUnreadable),
  ]);
  const newest: ListedFd[] = [];
  for (let group = Number(groupOf(highest)); group >= 0 && newest.length < most; group--) {
    newest.unshift(...await newestOfGroup(objects, group, most - newest.length, onUnreadable));
  }
  const oldestMs = newest.length < most ? 0 : Math.min(...newest.map((fd) => fd.modifiedAtMs));
  const all = [...newest, ...offline.filter((fd) => fd.modifiedAtMs >= oldestMs)];
  const byTime = all.toSorted((a, b) => b.modifiedAtMs - a.modifiedAtMs || b.id - a.id).slice(0, most);
  return byTime.sort((a, b) => a.id - b.id);
}

/** A group of fds by id, those removed too. */
export interface ListedGroup {
  fds: ListedFd[];
  serverNowMs: number;
}

/** Lists a group. Writes its listing again if that has become old. */
export async function listGroup(
  objects: ObjectStore,
  group: Group,
  onUnreadable: OnUnreadable,
): Promise<ListedGroup> {
  const [{ found, serverNowMs }, listing] = await Promise.all([
    objectsOf(objects, group),
    readListing(objects, group),
  ]);
  let staleCount = 0;
  const fds = await inParallel(found, AT_ONCE, (object) => {
    const known = listing.fds.get(object.id);
    if (known?.etag === object.etag) return Promise.resolve({ ...known, serverNowMs });
    staleCount++;
    return readListed(objects, object.id, onUnreadable);
  });
  const readable = fds.filter((fd) => fd !== undefined);
  if (staleCount >= STALE_ENTRIES) await writeListing(objects, group, readable, listing.etag);
  return { fds: readable, serverNowMs };
}

async function newestOfGroup(
  objects: ObjectStore,
  group: Group,
  most: number,
  onUnreadable: OnUnreadable,
): Promise<ListedFd[]> {
  const [{ found, serverNowMs }, listing] = await Promise.all([
    objectsOf(objects, group),
    readListing(objects, group),
  ]);
  if (group === "off") found.sort((a, b) => a.modifiedAtMs - b.modifiedAtMs);
  const newest: ListedFd[] = [];
  for (let end = found.length; end > 0 && newest.length < most;) {
    const from = Math.max(0, end - (most - newest.length));
    const fds = await inParallel(found.slice(from, end), AT_ONCE, (object) => {
      const known = listing.fds.get(object.id);
      if (known?.etag === object.etag) return Promise.resolve({ ...known, serverNowMs });
      return readListed(objects, object.id, onUnreadable);
    });
    newest.unshift(...fds.filter((fd) => fd !== undefined && fd.log.tomb === undefined) as ListedFd[]);
    end = from;
  }
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
  let after: string | undefined;
  for (;;) {
    const { objects: listed, isCut, serverNowMs } = await objects.list(groupPrefix(group), after);
    for (const object of listed) {
      const id = idOfKey(object.key);
      if (id !== undefined) found.push({ ...object, id });
    }
    // A store may call a full page cut, though it has all ids of the thousand.
    if (!isCut || group !== "off" && found.length >= GROUP_IDS) return { found, serverNowMs };
    after = listed.at(-1)?.key;
  }
}

async function readListed(
  objects: ObjectStore,
  id: number,
  onUnreadable: OnUnreadable,
): Promise<ListedFd | undefined> {
  try {
    const fd = await readShared(objects, id, RECORD_BYTES);
    if (fd === undefined) return undefined;
    const { etag, byteCount, modifiedAtMs, serverNowMs, log } = fd;
    return { id, etag, objectBytes: byteCount, modifiedAtMs, serverNowMs, log };
  } catch (thrown) {
    if (!(thrown instanceof FdError) || thrown.failure.kind !== "store_corrupt") throw thrown;
    onUnreadable(thrown.failure);
    return undefined;
  }
}

/** A listing is at most about 1 MiB of text. */
const MAX_TEXT_BYTES = 64 * 2 ** 20;

type Entry = Omit<ListedFd, "serverNowMs">;

async function readListing(
  objects: ObjectStore,
  group: Group,
): Promise<{ fds: Map<number, Entry>; etag: string | undefined }> {
  const part = await objects.get(listingKey(group));
  const fds = new Map<number, Entry>();
  if (part === null) return { fds, etag: undefined };
  for (const entry of entriesIn(part.bytes)) {
    if (isEntry(entry)) fds.set(entry.id, entry);
  }
  return { fds, etag: part.etag };
}

function entriesIn(bytes: Uint8Array): unknown[] {
  const listing = unpackedObject(bytes, MAX_TEXT_BYTES);
  return listing !== undefined && "fds" in listing && Array.isArray(listing.fds) ? listing.fds : [];
}

/** Returns the value of a gzipped object; undefined if it is damaged, which counts as if there were none. */
function unpackedObject(bytes: Uint8Array, maxOutputLength: number): object | undefined {
  try {
    return decodeCheckedObject(nodeZlib().gunzipSync!(bytes, { maxOutputLength }));
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  const { id, etag, objectBytes, modifiedAtMs, log } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isCount(id) && typeof etag === "string" && isCount(objectBytes) && isCount(modifiedAtMs) &&
    typeof log === "object" && log !== null &&
    Object.entries(log).every(([event, line]) => isRecordLine(line) && line.event === event);
}

/** Writes the listing of a group; if another host did so meanwhile, its listing stays. */
async function writeListing(
  objects: ObjectStore,
  group: Group,
  fds: readonly ListedFd[],
  etag: string | undefined,
): Promise<void> {
  const entries: Entry[] = fds.map(({ id, etag, objectBytes, modifiedAtMs, log }) => {
    const { claim, seal, digest, stored, tomb } = log;
    return { id, etag, objectBytes, modifiedAtMs, log: { claim, seal, digest, stored, tomb } };
  });
  const text = encodeCheckedObject({ fds: entries });
  const bytes = new Uint8Array(nodeZlib().gzipSync!(text, { level: 6 }));
  if (etag === undefined) await objects.create(listingKey(group), bytes);
  else await objects.replace(listingKey(group), bytes, etag);
}

/** Totals of the fds of a group, without removed ones. */
export interface GroupTotals {
  /** When the group was listed, by the server's clock. */
  atMs: number;
  fdCount: number;
  /** Bytes of objects and segments. */
  byteCount: number;
}

/** Bytes that an fd takes in the bucket. */
export function storedBytesOf({ objectBytes, log }: Pick<ListedFd, "objectBytes" | "log">): number {
  return objectBytes + (log.tomb === undefined ? log.stored?.bytes ?? 0 : 0);
}

export function totalsOf(fds: readonly ListedFd[], atMs: number): GroupTotals {
  const left = fds.filter(({ log }) => log.tomb === undefined);
  return { atMs, fdCount: left.length, byteCount: left.reduce((sum, fd) => sum + storedBytesOf(fd), 0) };
}

/** The totals of the groups before `groupCount`, by group, as they were last written. */
export async function readTotals(
  objects: ObjectStore,
  groupCount: number,
): Promise<Map<number, GroupTotals>> {
  const totals = new Map<number, GroupTotals>();
  for (let million = 0; million * TOTALS_GROUPS < groupCount; million++) {
    const part = await objects.get(totalsKey(million));
    if (part === null) continue;
    for (const [group, atMs, fdCount, byteCount] of rowsIn(part.bytes)) {
      if (isCount(group) && isCount(atMs) && isCount(fdCount) && isCount(byteCount)) {
        totals.set(group, { atMs, fdCount, byteCount });
      }
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
      .map(([group, { atMs, fdCount, byteCount }]) => [group, atMs, fdCount, byteCount]);
    const bytes = new Uint8Array(nodeZlib().gzipSync!(encodeCheckedObject({ groups })));
    await objects.put(totalsKey(million), bytes);
  }
}

function rowsIn(bytes: Uint8Array): unknown[][] {
  const value = unpackedObject(bytes, 2 ** 20);
  const rows = value !== undefined && "groups" in value ? value.groups : undefined;
  return Array.isArray(rows) ? rows.filter(Array.isArray) : [];
}
