/** The place of a shared store's cache. */

import { resolve } from "node:path";
import { type Environment, locateStore, parseByteCount } from "../../fd/mod.ts";
import { blockSumText, fail, utf8Bytes } from "../../fd/system.ts";

/**
 * The cache of the store at `place` (its URL in one spelling): in FDTOOL_CACHE, else in the directory of
 * the user's local store, because programs empty the directories of caches.
 */
export function cacheDirectory(place: string, env: Environment): string {
  const name = nameOf(place);
  const directory = env["FDTOOL_CACHE"] ||
    `${locateStore({ env: { ...env, FDTOOL_STORE: undefined } })}/shared`;
  return resolve(directory, name);
}

/** Two sums of 32 bits and the end of the place, which a person recognises. */
function nameOf(place: string): string {
  const end = place.replace(/[^A-Za-z0-9]+/g, "-").slice(-40);
  return `${blockSumText(utf8Bytes(place))}${blockSumText(utf8Bytes(`cache of ${place}`))}-${end}`;
}

/** The bound of a cache unless FDTOOL_CACHE_SIZE says another: 10 GiB. */
const BOUND_BYTES = 10 * 2 ** 30;

/** The most bytes that a cache may take, from FDTOOL_CACHE_SIZE; 0 for no bound. */
export function cacheBound(env: Environment): number {
  const written = env["FDTOOL_CACHE_SIZE"];
  if (written === undefined || written === "") return BOUND_BYTES;
  const wanted = "bytes, such as 10737418240 or 10G, or 0 for no bound";
  return parseByteCount(written) ??
    fail({ kind: "invalid_parameter", field: "FDTOOL_CACHE_SIZE", got: written, wanted });
}
