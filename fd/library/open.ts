/** Opens stores. @module */

import { nodePath } from "../disk/loaded_late.ts";
import {
  DEFAULT_LIMITS,
  type Environment,
  openStore as open,
  openUserStore as openOfUser,
  type Store,
  type StoreLimits,
} from "../store/open_store.ts";
import { aPath, checkArguments, textsByName } from "./argument_checks.ts";
import { storeLimits } from "./known_records.ts";

/**
 * Opens the store in the directory `path`, which may be relative. Creates nothing: a store is created with its first
 * fd. The directory may contain other things too.
 *
 * Limits that are not given are {@link DEFAULT_LIMITS}; 0 turns one off. Puts obey `maxBytes`; the others are for
 * {@link collectGarbage} and {@link sweepSometimes}, without which nothing is ever removed.
 *
 * ```ts
 * import { openStore } from "./mod.ts";
 *
 * const store = openStore("my-store", { maxBytes: 100 * 2 ** 20 });
 * if (store.limits.maxBytes !== 104_857_600) throw new Error();
 * ```
 *
 * @throws {FdError} `invalid_parameter` for a URL, an empty path or wrong limits; `permission_error` if the store
 * belongs to another user; `write_error` if the path is not a directory.
 */
export function openStore(path: string, limits: Partial<StoreLimits> = {}): Store {
  checkArguments({ path, limits }, { path: aPath, limits: storeLimits });
  // The path as given says more about a URL.
  const place = path.includes("://") ? path : nodePath().resolve(path);
  const { maxBytes, quotaBytes, ttlMs } = DEFAULT_LIMITS;
  return open(place, {
    maxBytes: limits.maxBytes ?? maxBytes,
    quotaBytes: limits.quotaBytes ?? quotaBytes,
    ttlMs: limits.ttlMs ?? ttlMs,
  });
}

/**
 * Opens the store that the program `fdtool` uses for this user and environment: the directory in `FDTOOL_STORE`, else
 * the user's own, with the limits in `FDTOOL_MAX_BYTES`, `FDTOOL_QUOTA` and `FDTOOL_TTL`.
 *
 * @throws {FdError} like {@link openStore}; `invalid_parameter` for an invalid limit, and for a shared store
 * (`s3://…`), which only the program opens.
 */
export function openUserStore(env: Environment = process.env): Store {
  checkArguments({ env }, { env: textsByName });
  return openOfUser(env);
}
