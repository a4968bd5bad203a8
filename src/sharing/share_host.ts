/**
 * Runs commands on a shared store (contract, Shared stores): they read and write its cache, and what they lack is fetched
 * while they run.
 */

import type { SharedCache } from "../../fd/mod.ts";
import type { Command, CommandCall, Host } from "../terms/command.ts";
import { openHostCache } from "./open_host_cache.ts";
import { runShared } from "./run_shared.ts";

/** A call on a shared store. */
export interface SharedCall {
  host: Host;
  command: Command;
}

/**
 * Returns the host and the command of a call whose store is at `url`. If the call `failsOpen`, a URL or cache that cannot be
 * used fails the first use of the store, and not the call.
 */
export async function shareHost(
  url: string,
  command: Command,
  host: Host,
  failsOpen: boolean,
): Promise<SharedCall> {
  let cache: SharedCache;
  try {
    cache = await openHostCache(url, host);
  } catch (thrown) {
    if (!failsOpen) throw thrown;
    const failing: Host = {
      ...host,
      get sharedStore(): never {
        throw thrown;
      },
    };
    return { host: failing, command };
  }
  const sharedHost: Host = { ...host, sharedStore: cache.store };
  const run = (call: CommandCall) => runShared({ url, cache, host: sharedHost }, command, call);
  return { host: sharedHost, command: { spec: command.spec, run } };
}
