/**
 * The object that makes a prefix of a bucket a shared store: its random id, and the limits that hold for all hosts.
 */

import { fail } from "../disk/errors.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { isCount } from "../records/record_line.ts";
import { decodeCheckedObject, encodeCheckedObject } from "./checked_object.ts";
import { STORE_KEY } from "./shared_keys.ts";

/** A shared store. */
export interface SharedStore {
  /** 24 hex digits, made at random with the store. A cache belongs to one id. */
  id: string;
  createdMs: number;
  /** Most bytes of content and records; 0 turns the limit off. */
  quotaBytes: number;
  /** Age after which cleaning removes an fd; 0 turns the limit off. */
  ttlMs: number;
}

interface StoreFields {
  format: "fdtool-shared";
  version: 1;
  id: string;
  created: number;
  quota_bytes: number;
  ttl_ms: number;
}

/** Id and limits of a new store. */
export interface NewStore {
  id: string;
  /** The URL. If it is given, the store is not made before the object store was tried ({@link requirePromises}). */
  place?: string | undefined;
  quotaBytes: number;
  ttlMs: number;
}

/** Opens the shared store, or makes it. Of several hosts that make it at the same time, one does, and all open that one. */
export async function openShared(objects: ObjectStore, create: NewStore): Promise<SharedStore> {
  const found = await readSharedStore(objects);
  if (found !== undefined) return found;
  if (create.place !== undefined) {
    const { requirePromises } = await import("../remote/probe_store.ts");
    await requirePromises(objects, create.place);
  }
  const fields: StoreFields = {
    format: "fdtool-shared",
    version: 1,
    id: create.id,
    created: Date.now(),
    quota_bytes: create.quotaBytes,
    ttl_ms: create.ttlMs,
  };
  await objects.create(STORE_KEY, encodeCheckedObject(fields));
  return await readSharedStore(objects) ?? failStore("the store's own object disappeared");
}

/** Reads the store's own object; undefined if the prefix is not a store yet. */
export async function readSharedStore(objects: ObjectStore): Promise<SharedStore | undefined> {
  const part = await objects.get(STORE_KEY);
  return part === null ? undefined : storeIn(part.bytes);
}

/** Changes the limits of the store for all hosts. Of several changes at once, the last one wins. */
export async function changeLimits(
  objects: ObjectStore,
  limits: Pick<SharedStore, "quotaBytes" | "ttlMs">,
): Promise<SharedStore> {
  for (;;) {
    const part = await objects.get(STORE_KEY);
    if (part === null) failStore("the store's own object disappeared");
    const now = storeIn(part.bytes);
    const fields: StoreFields = {
      format: "fdtool-shared",
      version: 1,
      id: now.id,
      created: now.createdMs,
      quota_bytes: limits.quotaBytes,
      ttl_ms: limits.ttlMs,
    };
    if (await objects.replace(STORE_KEY, encodeCheckedObject(fields), part.etag) !== null) {
      return { ...now, ...limits };
    }
  }
}

function storeIn(bytes: Uint8Array): SharedStore {
  const fields = decodeCheckedObject(bytes) as Partial<Record<keyof StoreFields, unknown>> | undefined;
  if (fields === undefined) failStore("it is damaged");
  const { format, version, id, created, quota_bytes, ttl_ms } = fields;
  if (format !== "fdtool-shared") failStore("it is not of a shared store of fdtool");
  if (version !== 1) failStore(`it has format version ${version}, and this fdtool reads version 1`);
  if (
    typeof id !== "string" || !/^[0-9a-f]{24}$/.test(id) || !isCount(created) || !isCount(quota_bytes) ||
    !isCount(ttl_ms)
  ) failStore("its fields are not valid");
  return { id, createdMs: created, quotaBytes: quota_bytes, ttlMs: ttl_ms };
}

function failStore(what: string): never {
  fail({ kind: "store_corrupt", fd: undefined, path: STORE_KEY, what });
}
