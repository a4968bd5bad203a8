/** Opens the cache of a call's shared store, or the object store behind it. */

import { resolve } from "node:path";
import { sharedStoreOf } from "../answers/parts/open_host_store.ts";
import {
  type Environment,
  limit,
  locateStore,
  type ObjectStore,
  openCache,
  openSharedObjects,
  parseStoreUrl,
  type SharedCache,
  type StoreOptions,
} from "../../fd/mod.ts";
import { blockSumText, utf8Bytes } from "../../fd/system.ts";
import { durationOf } from "../calls/requests/duration.ts";
import { failValue } from "../calls/requests/usage_failure.ts";
import type { Host } from "../calls/terms/command.ts";
import { startUploader } from "./start_uploader.ts";

/** The bound of a cache unless FDTOOL_CACHE_SIZE says another: 10 GiB. */
const CACHE_BYTES = 10 * 2 ** 30;

/** Opens the cache of the shared store at `url`. Nothing is asked for yet. See `openCache` for `mayMove`. */
export async function openHostCache(url: string, host: Host, mayMove = false): Promise<SharedCache> {
  const { env } = host;
  const address = addressOf(url, host);
  return await openCache({
    path: cacheDirectory(address.place, env),
    address,
    env,
    mayMove,
    isFresh: host.isFresh === true,
    boundBytes: () =>
      limit(env, "FDTOOL_CACHE_SIZE", CACHE_BYTES, "bytes, such as 10737418240 or 10G, or 0 for no bound"),
    // A caller that says how long an answer may wait gets an id of the store.
    triesFirst: Boolean(env["FDTOOL_UPLOAD_WAIT"]),
    waitMs: durationOf("FDTOOL_UPLOAD_WAIT", "FDTOOL_UPLOAD_WAIT", env["FDTOOL_UPLOAD_WAIT"] || "2s"),
    startUploader: (note, stableBytes) => startUploader(url, host, note, stableBytes),
  });
}

/** Opens the cache for a command that needs a shared store; a usage failure if the call's store is not shared. */
export async function requireCache(command: string, host: Host): Promise<SharedCache> {
  const url = storeOf(host);
  if (sharedStoreOf(host) !== undefined) return await openHostCache(url, host);
  return failValue(command, "--store", url, "the URL of a shared store, such as s3://BUCKET/PREFIX");
}

/** Opens the object store of a call's shared store, for what is not about the cache. Nothing is sent yet. */
export async function openObjects(host: Host, options: Partial<StoreOptions> = {}): Promise<ObjectStore> {
  const { env, signal } = host;
  return await openSharedObjects(addressOf(storeOf(host), host), { env, signal, ...options });
}

/** The store that a call names. */
export function storeOf({ storeOption, env }: Host): string {
  return storeOption ?? env["FDTOOL_STORE"] ?? "";
}

function addressOf(url: string, { storeOption, env }: Host) {
  return parseStoreUrl(url, storeOption === undefined ? "FDTOOL_STORE" : "--store", env);
}

/**
 * The cache of the store at `place` (its URL in one spelling): in FDTOOL_CACHE, else in the directory of the user's local
 * store, because programs empty the directories of caches.
 */
export function cacheDirectory(place: string, env: Environment): string {
  // Two sums of 32 bits, and the end of the place, which a person recognises.
  const end = place.replace(/[^A-Za-z0-9]+/g, "-").slice(-40);
  const name = `${blockSumText(utf8Bytes(place))}${blockSumText(utf8Bytes(`cache of ${place}`))}-${end}`;
  const directory = env["FDTOOL_CACHE"] ||
    `${locateStore({ env: { ...env, FDTOOL_STORE: undefined } })}/shared`;
  return resolve(directory, name);
}
