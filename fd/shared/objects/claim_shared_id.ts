/**
 * Claims ids on the object store (SHARED.md, "Claiming an id").
 */

import { sameBytes } from "../../bytes/utf8_bytes.ts";
import { failCorrupt } from "../../disk/errors.ts";
import { momentNow } from "../../records/record_line.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { failDamaged, hasNonce, isSealed, ownedObject, unusedObject } from "./fd_object.ts";
import { HINT_EVERY, raiseHint, readHint } from "./next_object.ts";
import { FD_PREFIX, fdKey, idOfKey } from "./shared_keys.ts";

/** The highest id that this host knows to be claimed. */
export interface KnownId {
  id: number;
  /** Whether the next id is probably free: it is younger than two seconds, or no other host claimed one lately. */
  isFresh: boolean;
}

interface ClaimRequest {
  /** The object to create; its header has `nonce`, and gets the id. */
  bytes: Uint8Array<ArrayBuffer>;
  nonce: Uint8Array;
  known?: KnownId | undefined;
  /** Called if other hosts have claimed ids since the known one. */
  onOthers?: (() => void) | undefined;
  /** An id that this claim tried before, in this process or another; whether it won is unknown. */
  triedId?: number | undefined;
  /** Notes an id before the request for it is sent. */
  onTry(id: number): void;
  /** Returns a random number, from 0 to less than 1. */
  random?: (() => number) | undefined;
}

export interface ClaimedId {
  id: number;
  etag: string;
  /** False if an earlier request made the object, so that it may have other bytes. */
  isFresh: boolean;
}

/** The window of ids to choose from doubles after each loss up to this. */
const WIDEST_WINDOW = 64;
/** Ids claimed lately are counted over this time: dates are whole seconds. */
const LATELY_MS = 4000;
/** Time that a host near the store needs from finding the highest id to claiming the next. */
const BETWEEN_MS = 100;
/** Of an object that may be this claim's: enough for more lines of its record. */
const START_BYTES = 65_536;

/** Claims an id that no other claim has, has had or will have. */
export async function claimSharedId(objects: ObjectStore, request: ClaimRequest): Promise<ClaimedId> {
  const { known, onOthers, onTry, triedId, random = Math.random } = request;
  const tryNext = async (id: number) => {
    if (idOfKey(fdKey(id)) !== id) failCorrupt(fdKey(id - 1), "no ids are left after it");
    onTry(id);
    return await attempt(objects, id, request);
  };
  let claimed = triedId === undefined ? undefined : await attempt(objects, triedId, request);
  if (claimed === undefined && known?.isFresh === true) claimed = await tryNext(known.id + 1);
  for (let losses = 0; claimed === undefined; losses++) {
    const { highest, latelyCount } = await lookForHighest(objects, known?.id);
    if (known !== undefined && highest > known.id) onOthers?.();
    // Busy stores leave ids out, so that fewer hosts try the same one.
    const others = Math.round(latelyCount * BETWEEN_MS / LATELY_MS);
    const window = Math.min((1 + others) * 2 ** losses, WIDEST_WINDOW);
    claimed = await tryNext(highest + 1 + Math.floor(random() * window));
  }
  if (claimed.id % HINT_EVERY === 0) await raiseHint(objects, claimed.id);
  return claimed;
}

/** Creates the object of a claim. Returns undefined if the id belongs to another claim. */
async function attempt(
  objects: ObjectStore,
  id: number,
  { bytes, nonce, triedId }: Pick<ClaimRequest, "bytes" | "nonce" | "triedId">,
): Promise<ClaimedId | undefined> {
  const own = ownedObject(objects, id, bytes);
  for (;;) {
    let isThere = false;
    let isFresh = true;
    const written = await objects.create(fdKey(id), own, (stored) => {
      isThere = true;
      // If the answer was lost, the object may have got further lines since. Other bytes are those of a copied note.
      isFresh = id !== triedId && startsAlike(stored, own);
      return hasNonce(stored, nonce);
    });
    if (written !== null) return { id, etag: written.etag, isFresh };
    // Else it was deleted in the bucket just now.
    if (isThere) return undefined;
  }
}

/** Whether the shorter of both is the start of the other. */
function startsAlike(stored: Uint8Array, bytes: Uint8Array): boolean {
  const byteCount = Math.min(stored.length, bytes.length);
  return sameBytes(stored.subarray(0, byteCount), bytes.subarray(0, byteCount));
}

/** Claims exactly `id`, which is one of those given without a network. */
export async function claimOfflineId(
  objects: ObjectStore,
  id: number,
  request: Pick<ClaimRequest, "bytes" | "nonce">,
): Promise<ClaimedId> {
  const claimed = await attempt(objects, id, { ...request, triedId: id });
  return claimed ?? failDamaged(id, "another fd has the same id");
}

/**
 * Closes an id that a claim tried and does not use: creates it as never used, or replaces the object if the claim's
 * late request made it. Afterwards no request of the claim can make it. Sealed content other than that of the claim is left:
 * a host with a copy of the note published it.
 */
export async function closeTriedId(
  objects: ObjectStore,
  id: number,
  { bytes, nonce }: Pick<ClaimRequest, "bytes" | "nonce">,
  why: string,
): Promise<void> {
  const own = ownedObject(objects, id, bytes);
  const unused = ownedObject(objects, id, unusedObject(nonce, momentNow(), why));
  for (;;) {
    if (await objects.create(fdKey(id), unused) !== null) return;
    const part = await objects.get(fdKey(id), { from: 0, byteCount: own.length + START_BYTES });
    if (part === null) continue;
    if (!hasNonce(part.bytes, nonce) || sameBytes(part.bytes, unused)) return;
    if (isSealed(part.bytes) && !startsAlike(part.bytes, own)) return;
    if (await objects.replace(fdKey(id), unused, part.etag) !== null) return;
  }
}

/** Returns the highest id claimed, or 0. The search starts at `known`, an id known to be claimed. */
export async function highestShared(objects: ObjectStore, known?: number): Promise<number> {
  return (await lookForHighest(objects, known)).highest;
}

/** Returns also how many of the ids that were found were claimed lately. */
async function lookForHighest(
  objects: ObjectStore,
  known: number | undefined,
): Promise<{ highest: number; latelyCount: number }> {
  let highest = known ?? (await readHint(objects)).id;
  let isHinted = known === undefined;
  for (;;) {
    const after = highest === 0 ? undefined : fdKey(highest);
    const { objects: listed, isCut, serverNowMs } = await objects.list(FD_PREFIX, after);
    for (let at = listed.length - 1, found = false; at >= 0 && !found; at--) {
      const id = idOfKey(listed[at]!.key);
      if (id === undefined) continue;
      found = true;
      highest = Math.max(highest, id);
    }
    if (!isCut) {
      const latelyCount = listed.filter(({ modifiedAtMs }) => serverNowMs - modifiedAtMs < LATELY_MS).length;
      return { highest, latelyCount };
    }
    if (!isHinted) highest = Math.max(highest, (await readHint(objects)).id);
    isHinted = true;
  }
}
