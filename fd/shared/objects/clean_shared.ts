/**
 * Removes from the object store what is too old or too much (SHARED.md, "Cleaning"), from one host at a time, and never an
 * fd that any host has named.
 */

import { failCorrupt } from "../../disk/errors.ts";
import type { OnUnreadable } from "../../records/look_at_shard.ts";
import type { ListedObject, ObjectStore } from "../remote/object_store.ts";
import type { Removal } from "../../records/fd_entry.ts";
import { highestShared } from "./claim_shared_id.ts";
import { keptObject, readShared, readWholeObject, stateOf, unlessDamaged } from "./fd_object.ts";
import { inParallel } from "./in_parallel.ts";
import { type Condemned, type GcState, readGc, writeGc } from "./gc_object.ts";
import {
  groupFrom,
  type ListedFd,
  listGroup,
  readTotals,
  storedBytesOf,
  totalsOf,
  writeTotals,
} from "./list_shared.ts";
import { removalOf, replaceByTomb } from "./remove_shared.ts";
import { DATA_PREFIX, dataPartPrefix, fdKey, type Group, groupOf, parseSegmentKey } from "./shared_keys.ts";
import { type KnownNames, listSharedNames } from "./shared_names.ts";
import type { SharedStore } from "./store_object.ts";
import { removeSegments } from "./upload_segments.ts";

interface CleanOptions {
  /** Shown to other hosts. */
  host?: string | undefined;
  /** Random hex digits. */
  newNonce(): string;
  onUnreadable: OnUnreadable;
}

export interface CleanReport {
  /** `busy`: another host is cleaning. `cut`: it took too long or lost its lease; the next cleaning goes on. */
  ended: "done" | "busy" | "cut";
  removed: Removal[];
  /** Segments deleted that belonged to no fd. */
  litterCount: number;
  /** Bytes in the bucket before the quota was looked at; undefined if there is no quota. */
  storedBytes: number | undefined;
  /** Whether the store is over its quota still; undefined if that is not known. */
  isFull?: boolean | undefined;
}

/** Number of fds that are removed in one batch. */
const BATCH = 500;
/** A cleaner stops by itself after this, and its lease counts as given up after twice as long. */
const MAX_MS = 10 * 60 * 1000;
/** Groups that are looked at together. */
const GROUPS_AT_ONCE = 4;
/**
 * How long totals of a group stay valid while the store is below its quota. Other hosts may have removed fds since, or a host
 * that stood still in a claim may have made one.
 */
const TOTALS_LAST_MS = 7 * 24 * 60 * 60 * 1000;

/** Cleans the store. */
export async function cleanShared(
  objects: ObjectStore,
  limits: Pick<SharedStore, "quotaBytes" | "ttlMs">,
  options: CleanOptions,
): Promise<CleanReport> {
  const removed: Removal[] = [];
  const lease = await takeLease(objects, options, (removal) => removed.push(removal));
  if (lease === undefined) return { ended: "busy", removed, litterCount: 0, storedBytes: undefined };
  const cleaning = await startCleaning(objects, lease, limits, options.onUnreadable);
  const { storedBytes, isFull } = await removeOldAndExcess(cleaning);
  let litterCount = 0;
  if (isFull !== undefined) {
    const swept = await sweepData(objects, lease.state.part);
    litterCount = swept.count;
    lease.state.part = swept.nextPart;
  }
  await writeTotals(objects, cleaning.totals, cleaning.looked);
  await lease.giveBack();
  removed.sort((a, b) => a.id - b.id);
  return { ended: isFull === undefined ? "cut" : "done", removed, litterCount, storedBytes, isFull };
}

/** Lists what {@link cleanShared} would remove, and removes nothing. Leftover segments are not searched for. */
export async function planCleaning(
  objects: ObjectStore,
  limits: Pick<SharedStore, "quotaBytes" | "ttlMs">,
  onUnreadable: OnUnreadable,
): Promise<CleanReport> {
  const lease: CleanersLease = { takenAtMs: Infinity, serverNowMs: 0, knownNames: new Map() };
  const cleaning = await startCleaning(objects, lease, limits, onUnreadable);
  const plan = { removals: new Map<number, Removal>(), byteCount: 0 };
  cleaning.plan = plan;
  const { storedBytes } = await removeOldAndExcess(cleaning);
  const removed = [...plan.removals.values()].sort((a, b) => a.id - b.id);
  return { ended: "done", removed, litterCount: 0, storedBytes };
}

/** Removes what is too old, and then what is too much. Without `isFull`, the cleaning must stop. */
async function removeOldAndExcess(cleaning: Cleaning): Promise<Pick<CleanReport, "storedBytes" | "isFull">> {
  if (!await removeOld(cleaning)) return { storedBytes: undefined };
  if (cleaning.limits.quotaBytes === 0) return { storedBytes: undefined, isFull: false };
  const storedBytes = await storedBytesIn(cleaning);
  if (storedBytes === undefined) return { storedBytes };
  const excess = await removeExcess(cleaning, storedBytes - (cleaning.plan?.byteCount ?? 0));
  return { storedBytes, isFull: excess === undefined ? undefined : excess > 0 };
}

/** A cleaning in progress. */
type Cleaning = Awaited<ReturnType<typeof startCleaning>>;

async function startCleaning(
  objects: ObjectStore,
  lease: CleanersLease,
  limits: Pick<SharedStore, "quotaBytes" | "ttlMs">,
  onUnreadable: OnUnreadable,
) {
  const names = await listSharedNames(objects, lease.knownNames, (path) => {
    failCorrupt(path, "the name's object is damaged; which fd it protects is unknown");
  });
  const highestGroup = Number(groupOf(await highestShared(objects)));
  const totals = await readTotals(objects, highestGroup + 1);
  return {
    objects,
    lease,
    limits,
    onUnreadable,
    highestGroup,
    totals,
    /** Groups checked in this cleaning. */
    looked: new Set<number>(),
    /** Ids that had a name when the cleaning began. */
    named: new Set(names.map(({ id }) => id)),
    /** Removals that are only planned: then nothing is removed. */
    plan: undefined as { removals: Map<number, Removal>; byteCount: number } | undefined,
  };
}

/** Removes fds that are too old. Returns false if the cleaning must stop. */
async function removeOld(cleaning: Cleaning): Promise<boolean> {
  const { ttlMs } = cleaning.limits;
  if (ttlMs === 0) return true;
  for await (const { fds } of lookAtGroups(cleaning, isDue)) {
    const old = fds.filter((fd) => isRemovable(cleaning, fd) && fd.serverNowMs - fd.modifiedAtMs > ttlMs);
    if (!await removeAll(cleaning, old, "older than the age limit")) return false;
  }
  return !isTooLong(cleaning);
}

/** Whether nothing but its age or size protects an fd. */
function isRemovable({ named }: Cleaning, fd: ListedFd): boolean {
  const state = stateOf(fd);
  return state !== "removed" && state !== "live" && !named.has(fd.id);
}

/** Whether a group may have changed since it was looked at, or have fds that are too old by now. */
function isDue(
  { totals, looked, lease: { serverNowMs }, limits, highestGroup }: Cleaning,
  group: number,
): boolean {
  const known = totals.get(group);
  if (known === undefined || looked.has(group)) return known === undefined;
  return group >= highestGroup - 1 || serverNowMs - known.atMs >= TOTALS_LAST_MS ||
    limits.ttlMs > 0 && known.fdCount > 0 && serverNowMs - known.oldestMs > limits.ttlMs;
}

/** Lists `off` and the groups that are wanted. Ends early if it takes too long: the next cleaning goes on with the others. */
async function* lookAtGroups(
  cleaning: Cleaning,
  isWanted: (cleaning: Cleaning, group: number) => boolean,
): AsyncGenerator<{ group: Group; fds: ListedFd[] }> {
  const { objects, highestGroup } = cleaning;
  yield { group: "off", fds: await look(cleaning, "off") };
  for (let group = 0; group <= highestGroup && !isTooLong(cleaning);) {
    const wanted: number[] = [];
    for (; group <= highestGroup && wanted.length < GROUPS_AT_ONCE; group++) {
      if (isWanted(cleaning, group)) wanted.push(group);
    }
    const found = await inParallel(wanted, GROUPS_AT_ONCE, async (each) => {
      return { group: each, fds: await look(cleaning, each) };
    });
    yield* found;
    const isGap = found.every(({ fds }) => fds.length === 0);
    if (isGap && found.length > 0) group = await groupFrom(objects, group) ?? highestGroup + 1;
  }
}

/** Returns the bytes in the bucket; undefined if the cleaning must stop. */
async function storedBytesIn(cleaning: Cleaning): Promise<number | undefined> {
  let sum = 0;
  for await (const { group, fds } of lookAtGroups(cleaning, isDue)) {
    if (group === "off") sum += totalsOf(fds, 0).byteCount;
  }
  for (const { byteCount } of cleaning.totals.values()) sum += byteCount;
  return isTooLong(cleaning) ? undefined : sum;
}

/**
 * Removes the oldest fds until the store is within its quota. Returns the bytes that it is over it still, or undefined if the
 * cleaning must stop.
 */
async function removeExcess(cleaning: Cleaning, storedBytes: number): Promise<number | undefined> {
  const { quotaBytes } = cleaning.limits;
  if (storedBytes <= quotaBytes) return 0;
  // Other hosts may have removed fds since the totals were made.
  let excess = -quotaBytes;
  let oldest: ListedFd[] = [];
  for await (const { fds } of lookAtGroups(cleaning, () => true)) {
    const left = fds.filter(({ id }) => cleaning.plan?.removals.has(id) !== true);
    excess += totalsOf(left, 0).byteCount;
    const removable = left.filter((fd) => isRemovable(cleaning, fd));
    oldest = oldestOf([...oldest, ...removable], storedBytes - quotaBytes);
  }
  oldest = oldestOf(oldest, excess);
  if (isTooLong(cleaning) || !await removeAll(cleaning, oldest, "over the store's quota")) return undefined;
  return Math.max(0, excess - totalsOf(oldest, 0).byteCount);
}

/** Returns the oldest of `fds` that have `byteCount` bytes together. */
function oldestOf(fds: ListedFd[], byteCount: number): ListedFd[] {
  fds.sort((a, b) => a.modifiedAtMs - b.modifiedAtMs || a.id - b.id);
  let count = 0;
  for (let left = byteCount; left > 0 && count < fds.length;) left -= storedBytesOf(fds[count++]!);
  return fds.slice(0, count);
}

/** Lists a group and notes its totals. */
async function look(cleaning: Cleaning, group: Group): Promise<ListedFd[]> {
  const { fds, serverNowMs } = await listGroup(cleaning.objects, group, cleaning.onUnreadable);
  cleaning.lease.serverNowMs = Math.max(cleaning.lease.serverNowMs, serverNowMs);
  if (group !== "off") {
    if (fds.length > 0) cleaning.totals.set(group, totalsOf(fds, serverNowMs));
    else cleaning.totals.delete(group);
    cleaning.looked.add(group);
  }
  return fds;
}

function isTooLong({ lease }: Cleaning): boolean {
  return lease.serverNowMs - lease.takenAtMs > MAX_MS;
}

/** Removes fds in batches, except those named meanwhile. Returns false if the cleaning must stop. */
async function removeAll(cleaning: Cleaning, fds: readonly ListedFd[], why: string): Promise<boolean> {
  const { plan } = cleaning;
  if (plan !== undefined) {
    for (const fd of fds) {
      plan.removals.set(fd.id, removalOf(fd, why));
      plan.byteCount += storedBytesOf(fd);
    }
    return true;
  }
  for (let from = 0; from < fds.length; from += BATCH) {
    if (isTooLong(cleaning)) return false;
    const batch = fds.slice(from, from + BATCH).map(({ id, etag }) => ({ id, etag }));
    if (!await cleaning.lease.condemn?.(batch, why)) return false;
    for (const { id } of batch) {
      const group = groupOf(id);
      // Its totals are no longer those of the listing.
      if (group !== "off") cleaning.totals.delete(group);
    }
  }
  return !isTooLong(cleaning);
}

/** Younger segments stay, whatever they belong to. */
const LITTER_MS = 24 * 60 * 60 * 1000;
/** Bytes to read of an object for its record: nearly every record is shorter. */
const RECORD_BYTES = 4096;
/** Removals or uploads that are looked at together. */
const AT_ONCE = 8;

/** Pages of a thousand segments that are looked through in one cleaning: 80 GB of content. */
const MAX_PAGES = 10;

/**
 * Deletes segments that belong to no fd. Looks through the data from `part` on. Returns the number of segments
 * deleted, and the part where the next sweep begins.
 */
async function sweepData(objects: ObjectStore, part: number): Promise<{ count: number; nextPart: number }> {
  let count = 0;
  let after = dataPartPrefix(part);
  for (let page = 1;; page++) {
    const { objects: listed, isCut, serverNowMs } = await objects.list(DATA_PREFIX, after);
    count += await sweepPage(objects, listed, serverNowMs);
    if (!isCut) return { count, nextPart: 0 };
    after = listed.at(-1)?.key ?? after;
    const reached = partOf(after) ?? part;
    // A part that is longer than one sweep is checked in one go.
    if (page >= MAX_PAGES && reached > part) return { count, nextPart: reached };
  }
}

async function sweepPage(
  objects: ObjectStore,
  listed: readonly ListedObject[],
  serverNowMs: number,
): Promise<number> {
  const uploads = new Map<string, { id: number; data: string; newestMs: number }>();
  for (const { key, modifiedAtMs } of listed) {
    const name = parseSegmentKey(key);
    if (name === undefined) continue;
    const upload = `${name.data} ${name.id}`;
    const newestMs = Math.max(modifiedAtMs, uploads.get(upload)?.newestMs ?? 0);
    uploads.set(upload, { id: name.id, data: name.data, newestMs });
  }
  const old = [...uploads.values()].filter(({ newestMs }) => serverNowMs - newestMs > LITTER_MS);
  const counts = await inParallel(old, AT_ONCE, async ({ id, data }) => {
    return await isNamed(objects, id, data) ? 0 : await removeSegments(objects, id, data);
  });
  return counts.reduce((sum, each) => sum + each, 0);
}

function partOf(key: string): number | undefined {
  const data = parseSegmentKey(key)?.data;
  return data === undefined ? undefined : parseInt(data.slice(0, 2), 16);
}

/**
 * Whether fd `id` has its content under `data`. A claim names its data before the first segment is written, so once that is
 * false it stays so.
 */
async function isNamed(objects: ObjectStore, id: number, data: string): Promise<boolean> {
  // A person may restore a damaged object.
  const fd = await unlessDamaged(() => readShared(objects, id, RECORD_BYTES), () => "damaged" as const);
  return fd === "damaged" || fd !== undefined && fd.log.tomb === undefined && fd.log.stored?.data === data;
}

// The lease of the one host that cleans, and the removal of fds under it (SHARED.md, "Cleaning").

/** A lease that was not renewed for this long has expired. */
const LEASE_LASTS_MS = 20 * 60 * 1000;

interface CleanersLease {
  takenAtMs: number;
  /** The newest time in a response of the server. */
  serverNowMs: number;
  knownNames: KnownNames;
  /**
   * Announces the removal of `batch`, then removes those without a name. Returns false if another host has the lease:
   * then nothing was removed. Undefined if nothing is to be removed.
   */
  condemn?(batch: Condemned[], why: string): Promise<boolean>;
}

/**
 * Takes the lease, and finishes the removals that the holder before announced. Returns undefined if another host has it.
 */
async function takeLease(
  objects: ObjectStore,
  { host, newNonce }: CleanOptions,
  onRemoved: (removal: Removal) => void,
) {
  const before = await readGc(objects);
  if (before.lease !== undefined && before.ageMs < LEASE_LASTS_MS) return undefined;
  const { condemned, part } = before;
  const state: GcState = { lease: newNonce(), host, condemned, part };
  let etag = before.etag;
  const lease: CleanersLease = { takenAtMs: 0, serverNowMs: 0, knownNames: new Map() };
  const write = async (): Promise<boolean> => {
    const written = await writeGc(objects, state, etag, newNonce());
    if (written === undefined) return false;
    etag = written.etag;
    lease.serverNowMs = Math.max(lease.serverNowMs, written.serverNowMs);
    return true;
  };
  /**
   * Ends the announced removals: afterwards every condemned fd is removed, or has another etag than the announced one, so
   * that a cleaner which stood still can do nothing to it.
   */
  const removeUnnamed = async (why: string): Promise<void> => {
    if (state.condemned.length === 0) return;
    let isDamaged = false;
    const names = await listSharedNames(objects, lease.knownNames, () => {
      // It may name any of them.
      isDamaged = true;
    });
    const named = new Set(names.map(({ id }) => id));
    await inParallel(state.condemned, AT_ONCE, async ({ id, etag }) => {
      // It may have been damaged after it was judged.
      const fd = await unlessDamaged(() => readWholeObject(objects, id), () => undefined);
      if (fd === undefined || fd.etag !== etag) return;
      if (isDamaged || named.has(id)) {
        await objects.replace(fdKey(id), keptObject(fd, newNonce()), etag);
        return;
      }
      const removal = await replaceByTomb(objects, fd, why);
      if (removal !== undefined) onRemoved(removal);
    });
    state.condemned = [];
  };
  if (!await write()) return undefined;
  lease.takenAtMs = lease.serverNowMs;
  await removeUnnamed("removed by an interrupted cleaning");
  return Object.assign(lease, {
    /** The state that the next write of `gc` records. */
    state,
    async condemn(batch: Condemned[], why: string) {
      state.condemned = batch;
      if (!await write()) return false;
      await removeUnnamed(why);
      return true;
    },
    /** Ends the lease. */
    async giveBack() {
      state.lease = undefined;
      state.host = undefined;
      await write();
    },
  });
}
