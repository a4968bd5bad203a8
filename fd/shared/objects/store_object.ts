/**
 * The object that makes a prefix of a bucket a shared store: its random id, and the limits that hold for all hosts.
 */

import { fail, failCorrupt, failureIn } from "../../disk/errors.ts";
import { randomName } from "../../disk/file_calls.ts";
import { nodeCrypto } from "../../disk/loaded_late.ts";
import type { FdFailure } from "../../failures.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { isCount, isMaybeText, momentNow } from "../../records/record_line.ts";
import { encodeCheckedLine, lastCheckedLine } from "../../store/checked_log.ts";
import { FD_PREFIX, STORE_KEY } from "./shared_keys.ts";

/** A shared store. */
export interface SharedStore {
  /** 24 hex digits, made at random with the store. A cache belongs to one id. */
  id: string;
  createdMs: number;
  /** Most bytes of content and records; 0 turns the limit off. */
  quotaBytes: number;
  /** Age after which cleaning removes an fd; 0 turns the limit off. */
  ttlMs: number;
  /** Whether it was over its quota after its last cleaning: nothing more is shared then. */
  isFull?: boolean | undefined;
  /** Id of the key that it was made with, if it is encrypted. */
  keyId?: string | undefined;
}

/** The fields of the store's own object. `sum` tells hosts with the key that the others are theirs. */
type StoreFields = Readonly<Record<string, unknown>>;

/**
 * Opens the shared store, or makes it. Of several hosts that make it at the same time, one does, and all open that one. If
 * its URL is given as `place`, the object store is tried before ({@link requirePromises}).
 */
export async function openShared(
  objects: ObjectStore,
  create: Pick<SharedStore, "id" | "quotaBytes" | "ttlMs">,
  place?: string,
): Promise<SharedStore> {
  const found = await readSharedStore(objects);
  if (found !== undefined) return found;
  if (place !== undefined) {
    const { requirePromises } = await import("../remote/probe_store.ts");
    await requirePromises(objects, place);
  }
  const [keyId] = objects.keys?.keys() ?? [];
  await objects.create(STORE_KEY, encodeStore(objects, { ...create, createdMs: momentNow(), keyId }));
  return await readSharedStore(objects) ?? failStore("the store's own object disappeared");
}

/** Reads the store's own object; undefined if the prefix is not a store yet. */
export async function readSharedStore(objects: ObjectStore): Promise<SharedStore | undefined> {
  const part = await objects.get(STORE_KEY);
  return part === null ? undefined : storeIn(objects, part.bytes);
}

/** Changes the limits of the store for all hosts. Of several changes at once, the last one wins. */
export async function changeLimits(
  objects: ObjectStore,
  limits: Partial<Pick<SharedStore, "quotaBytes" | "ttlMs" | "isFull">>,
): Promise<SharedStore> {
  for (;;) {
    const part = await objects.get(STORE_KEY);
    if (part === null) failStore("the store's own object disappeared");
    const changed = { ...storeIn(objects, part.bytes), ...limits };
    if (await objects.replace(STORE_KEY, encodeStore(objects, changed), part.etag) !== null) return changed;
  }
}

/** The store's own object is not encrypted: hosts without the key learn from it that they need one. */
function encodeStore(objects: ObjectStore, store: SharedStore): Uint8Array<ArrayBuffer> {
  const { id, createdMs: created, quotaBytes: quota_bytes, ttlMs: ttl_ms, isFull, keyId: key_id } = store;
  const full = isFull === true ? true : undefined;
  const fields = { format: "fdtool-shared", version: 1, id, created, quota_bytes, ttl_ms, full, key_id };
  return encodeCheckedLine({ ...fields, sum: sumOf(objects, fields) });
}

/** The sum of a store's fields with its key; undefined if it has none. */
function sumOf({ keys }: ObjectStore, fields: StoreFields): string | undefined {
  const { id, created, quota_bytes, ttl_ms, full, key_id } = fields;
  const key = typeof key_id === "string" ? keys?.get(key_id) : undefined;
  if (key === undefined) return undefined;
  const text = ["fdtool-shared 1", id, created, quota_bytes, ttl_ms, key_id, ...full === true ? ["full"] : []]
    .join(" ");
  return nodeCrypto().createHmac("sha256", key).update(text).digest("hex");
}

/**
 * Refuses keys that do not fit a store that was made with the key `keyId`, or with none.
 *
 * @throws {FdError} `store_denied`.
 */
export function requireKey({ keys }: ObjectStore, keyId: string | undefined): void {
  if (keyId !== undefined && keys?.has(keyId) !== true) failWithoutKey(keyId, "use the store");
  if (keyId !== undefined || keys === undefined) return;
  const reason = "a key is set and the store is not encrypted: an encrypted one needs a prefix of its own";
  fail({ kind: "store_denied", store: "the shared store", action: "use the store", reason });
}

/** Refuses to go on without the key `keyId`. */
export function failWithoutKey(keyId: string, action: string): never {
  const reason =
    `it is encrypted with the key ${keyId}, which this host does not have: set FDTOOL_SHARED_KEY`;
  return fail({ kind: "store_denied", store: "the shared store", action, reason });
}

function storeIn(objects: ObjectStore, bytes: Uint8Array): SharedStore {
  const fields = lastCheckedLine(bytes) as StoreFields | undefined;
  if (fields === undefined) failStore("it is damaged");
  const { format, version, id, created, quota_bytes, ttl_ms, full, key_id: keyId, sum } = fields;
  if (format !== "fdtool-shared") failStore("it is not of a shared store of fdtool");
  if (version !== 1) failStore(`it has format version ${version}, and this fdtool reads version 1`);
  if (
    typeof id !== "string" || !/^[0-9a-f]{24}$/.test(id) || !isCount(created) || !isCount(quota_bytes) ||
    !isCount(ttl_ms) || !isMaybeText(keyId)
  ) failStore("its fields are not valid");
  requireKey(objects, keyId);
  if (sum !== sumOf(objects, fields)) failStore("its sum is not one of its key");
  return { id, createdMs: created, quotaBytes: quota_bytes, ttlMs: ttl_ms, isFull: full === true, keyId };
}

function failStore(what: string): never {
  failCorrupt(STORE_KEY, what);
}

/** A right that each host of a shared store needs below its prefix. */
export type Right = "read" | "list" | "write" | "remove";

/** Tries all rights. An object that it makes is removed, if that is allowed. */
export async function tryAccess(objects: ObjectStore) {
  const access = {
    /** Whether the store was made. */
    isMade: false,
    granted: [] as Right[],
    /** Why the others are not granted. Trying ends with the first failure other than a refusal. */
    failures: [] as { right: Right; failure: FdFailure }[],
  };
  const key = `probe-${randomName()}/doctor`;
  const trials: readonly [Right, () => Promise<unknown>][] = [
    ["read", async () => access.isMade = await readSharedStore(objects) !== undefined],
    ["list", () => objects.list(FD_PREFIX, undefined, 1)],
    ["write", () => objects.put(key, new Uint8Array([0x0a]))],
    ["remove", () => objects.remove(key)],
  ];
  for (const [right, trial] of trials) {
    try {
      await trial();
      access.granted.push(right);
    } catch (thrown) {
      const failure = failureIn(thrown);
      access.failures.push({ right, failure });
      if (failure.kind !== "store_denied") break;
    }
  }
  return access;
}
