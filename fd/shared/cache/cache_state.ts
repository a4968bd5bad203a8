/** The open cache of a shared store, as its parts use it: fetching (`fetched_parts.ts`) and sharing (`late_sharing.ts`). */

import type { FdFailure } from "../../failures.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import type { StoreAddress } from "../remote/store_url.ts";
import { LOCAL } from "../../store/backend.ts";
import { type Environment, limit, limitsFrom, openStore, type Store } from "../../store/open_store.ts";
import type { Trial } from "./connect_store.ts";
import type { TimeLimits } from "./share_in_time.ts";

/** Options of `openCache`. */
export interface CacheOptions extends TimeLimits {
  path: string;
  address: StoreAddress;
  env: Environment;
  /** Whether parts may be put into memory if the disk is full, which ends with the call. */
  mayMove: boolean;
  /** Whether parts that may be out of date are asked for however new they are. */
  isFresh: boolean;
  /** Whether a call that stores something waits until a store that is new was tried. */
  triesFirst: boolean;
  /** The most bytes that the cache may take; 0 for no bound. */
  boundBytes(): number;
}

/** An open cache. */
export interface CacheState {
  readonly options: CacheOptions;
  /** The cache as a store of its own, without the shared store. */
  readonly local: Store;
  /** Why parts are in memory, and not on the disk. */
  readonly full: FdFailure | undefined;
  /** Moves to a directory in memory, which ends with the call. */
  moveTo(directory: string, full: FdFailure): void;
  /** Connects, once. */
  objects(): Promise<ObjectStore>;
  /** Connects, if that was not done before; a store that is new is tried as `trial` says. */
  connect(trial: Trial): Promise<ObjectStore>;
  /** Whether this call added to the cache. */
  hasGrown: boolean;
}

/** @throws {FdError} like {@link openStore}. */
export function startCache(options: CacheOptions): CacheState {
  const { address, env } = options;
  let place = openStore(options.path).path;
  let full: FdFailure | undefined;
  let connected: Promise<ObjectStore> | undefined;
  const local: Store = {
    backend: LOCAL,
    get path() {
      return place;
    },
    get limits() {
      const wanted = "bytes a day, such as 1073741824 or 1G";
      // What this host shares in a day; 0 for no limit.
      return { ...limitsFrom(env), shareBytes: limit(env, "FDTOOL_SHARE_QUOTA", 0, wanted) };
    },
  };
  const connect = async (trial?: Trial) =>
    await (await import("./connect_store.ts")).connectStore(local, address, env, trial);
  return {
    options,
    local,
    get full() {
      return full;
    },
    moveTo(directory, why) {
      place = directory;
      full = why;
      connected = undefined;
    },
    objects: () => connected ??= connect(),
    connect: (trial) => trial === "done" ? connected ??= connect(trial) : connected ?? connect(trial),
    hasGrown: false,
  };
}
