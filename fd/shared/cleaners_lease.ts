/**
 * The lease of the one host that cleans, and the removal of fds under it (SHARED.md, "Cleaning").
 */

import type { ObjectStore } from "../remote/object_store.ts";
import type { Removal } from "../records/fd_entry.ts";
import { keptObject, readWholeObject, unlessDamaged } from "./fd_object.ts";
import { type Condemned, type GcState, readGc, writeGc } from "./gc_object.ts";
import { inParallel } from "./in_parallel.ts";
import { replaceByTomb } from "./remove_shared.ts";
import { fdKey } from "./shared_keys.ts";
import { type KnownNames, listSharedNames } from "./shared_names.ts";

/** A lease that was not renewed for this long has expired. */
const LEASE_LASTS_MS = 20 * 60 * 1000;
/** Removals at the same time. */
const AT_ONCE = 8;

export interface LeaseOptions {
  host?: string | undefined;
  newNonce(): string;
}

export interface CleanersLease {
  /** The state that the next write of `gc` records. */
  state: GcState;
  takenAtMs: number;
  /** The newest time in a response of the server. */
  serverNowMs: number;
  knownNames: KnownNames;
  /**
   * Announces the removal of `batch`, then removes those without a name. Returns false if another host has the lease:
   * then nothing was removed.
   */
  condemn(batch: Condemned[], why: string): Promise<boolean>;
  /** Ends the lease. */
  giveBack(): Promise<void>;
}

/**
 * Takes the lease, and finishes the removals that the holder before announced. Returns undefined if another host has it.
 */
export async function takeLease(
  objects: ObjectStore,
  { host, newNonce }: LeaseOptions,
  onRemoved: (removal: Removal) => void,
): Promise<CleanersLease | undefined> {
  const before = await readGc(objects);
  if (before.lease !== undefined && before.ageMs < LEASE_LASTS_MS) return undefined;
  const { condemned, part } = before;
  const state: GcState = { lease: newNonce(), host, condemned, part };
  let etag = before.etag;
  const knownNames: KnownNames = new Map();
  const write = async (): Promise<boolean> => {
    const written = await writeGc(objects, state, etag, newNonce());
    if (written === undefined) return false;
    etag = written.etag;
    lease.serverNowMs = Math.max(lease.serverNowMs, written.serverNowMs);
    return true;
  };
  const lease: CleanersLease = {
    state,
    takenAtMs: 0,
    serverNowMs: 0,
    knownNames,
    async condemn(batch, why) {
      state.condemned = batch;
      if (!await write()) return false;
      await removeUnnamed(objects, batch, why, { knownNames, newNonce, onRemoved });
      state.condemned = [];
      return true;
    },
    async giveBack() {
      state.lease = undefined;
      state.host = undefined;
      await write();
    },
  };
  if (!await write()) return undefined;
  lease.takenAtMs = lease.serverNowMs;
  await removeUnnamed(objects, condemned, "removed by an interrupted cleaning", {
    knownNames,
    newNonce,
    onRemoved,
  });
  state.condemned = [];
  return lease;
}

/**
 * Ends the announced removals: afterwards every fd of the batch is removed, or has another etag than the announced one, so
 * that a cleaner which stood still can do nothing to it.
 */
async function removeUnnamed(
  objects: ObjectStore,
  batch: readonly Condemned[],
  why: string,
  { knownNames, newNonce, onRemoved }: {
    knownNames: KnownNames;
    newNonce(): string;
    onRemoved(removal: Removal): void;
  },
): Promise<void> {
  if (batch.length === 0) return;
  let isDamaged = false;
  const names = await listSharedNames(objects, knownNames, () => {
    // It may name any of them.
    isDamaged = true;
  });
  const named = new Set(names.map(({ id }) => id));
  await inParallel(batch, AT_ONCE, async ({ id, etag }) => {
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
}
