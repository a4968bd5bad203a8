/**
 * Runs commands on a shared store (contract, Shared stores): they read and write its cache, and what they lack is fetched
 * while they run.
 */

import type { SharedCache } from "../../fd/mod.ts";
import type { Command, CommandCall, Host, Operation } from "../terms/command.ts";
import { requireConnected } from "./connected_stores.ts";
import { openHostCache } from "./open_host_cache.ts";
import { runShared } from "./run_shared.ts";

/** A call on a shared store. */
export interface SharedCall {
  host: Host;
  command: Command;
}

/**
 * Returns the host and the command of a call whose store is at `url`. If the command fails open, a URL or cache that cannot be
 * used fails the first use of the store, and not the call.
 */
export async function shareHost(
  url: string,
  operation: Operation,
  command: Command,
  host: Host,
): Promise<SharedCall> {
  let cache: SharedCache;
  try {
    requireConnected(operation.name, host);
    cache = await openHostCache(url, host);
  } catch (thrown) {
    if (command.spec.failsOpen !== true) throw thrown;
    const failing: Host = {
      ...host,
      get sharedStore(): never {
        throw thrown;
      },
    };
    return { host: failing, command };
  }
  const sharedHost: Host = { ...host, sharedStore: cache.store };
  const run = (call: CommandCall) => runShared({ url, cache, host: sharedHost }, operation, command, call);
  return { host: sharedHost, command: { spec: command.spec, run } };
}
