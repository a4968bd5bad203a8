/** Connects with a shared store. */

import { fail } from "../../disk/errors.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import type { StoreAddress } from "../remote/store_url.ts";
import { openSharedObjects } from "../objects/encrypted_store.ts";
import { hexOf } from "../../bytes/utf8_bytes.ts";
import { openShared, readSharedStore, requireKey } from "../objects/store_object.ts";
import { encodeCheckedLine, lastCheckedLine, readCheckedLog } from "../../store/checked_log.ts";
import { type Environment, limitsFrom, makeStore, type Store } from "../../store/open_store.ts";
import { makePrivateDirectories } from "../../disk/private_files.ts";
import { cachePath, countsDirectory, identityPath } from "../../store/cache_paths.ts";
import { placeFile } from "./place_parts.ts";

/**
 * Connects the cache `store` with the store at `address`. The first call of a cache makes the shared store, or reads what
 * identifies it; later calls send nothing. A store that is to be made is tried first, which takes seconds: if there is no
 * time for that, it is `store_unreachable`.
 *
 * @throws {FdError} `store_unreachable`, `store_denied`, `store_unfit`; `store_corrupt` if the cache is that of another store.
 */
export async function connectStore(
  store: Store,
  address: StoreAddress,
  env: Environment,
  trial: Trial = "needed",
): Promise<ObjectStore> {
  const [cacheDirectory, counts] = [cachePath(store.path), countsDirectory(store.path)];
  const objects = await openSharedObjects(address, { env, cacheDirectory, countsDirectory: counts });
  const { id, keyId } = readIdentity(store) ?? await identify(store, objects, address, env, trial);
  requireKey(objects, keyId);
  objects.storeId = id;
  objects.keyId = keyId;
  return objects;
}

/** Whether an object store must be tried before a shared store is made in it. */
export type Trial = "needed" | "done" | "no time";

/** The shared store of a cache. */
interface Identity {
  id: string;
  place: string;
  createdMs: number;
  /** Id of the key that it was made with, if it is encrypted. */
  keyId?: string | undefined;
}

export function readIdentity(store: Store): Identity | undefined {
  const identity = lastCheckedLine(readCheckedLog(identityPath(store.path), "the shared store"));
  return identity !== undefined && "place" in identity ? identity as Identity : undefined;
}

async function identify(
  store: Store,
  objects: ObjectStore,
  { place }: StoreAddress,
  env: Environment,
  trial: Trial,
): Promise<Identity> {
  const { quotaBytes, ttlMs } = limitsFrom(env);
  const id = hexOf(crypto.getRandomValues(new Uint8Array(12)));
  const found = await readSharedStore(objects);
  if (found === undefined && trial === "no time") {
    const reason = "it is new, and is tried first, by a process of its own";
    fail({ kind: "store_unreachable", store: place, action: "share the fd", reason });
  }
  const shared = found ??
    await openShared(objects, { id, quotaBytes, ttlMs }, trial === "done" ? undefined : place);
  makeStore(store);
  makePrivateDirectories(cachePath(store.path));
  const identity: Identity = { id: shared.id, place, createdMs: shared.createdMs, keyId: shared.keyId };
  placeFile(store, identityPath(store.path), encodeCheckedLine(identity));
  return identity;
}
