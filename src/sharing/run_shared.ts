/**
 * Runs commands on a shared store (contract, Shared stores): they read and write its cache. The fds that a call names are
 * prepared before it runs; what this host has not shared yet is shared afterwards.
 */

import { prepareFd, type SharedCache } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import { requestFrom } from "../calls/arguments/field_options.ts";
import { fdsIn } from "../calls/requests/fds_in.ts";
import type { Command, CommandCall, Host, Operation, Outcome } from "../calls/terms/command.ts";
import { requireConnected } from "./connected_stores.ts";
import { openHostCache } from "./open_cache.ts";
import { startUploader } from "./start_uploader.ts";

/**
 * Returns the host and the command of a call whose store is at `url`. If the command fails open, a URL or cache that cannot be
 * used fails the first use of the store, and not the call.
 */
export async function shareHost(
  url: string,
  { name, effect }: Operation,
  command: Command,
  host: Host,
): Promise<{ host: Host; command: Command }> {
  let cache: SharedCache;
  try {
    requireConnected(name, host);
    cache = await openHostCache(url, host, effect !== "serves");
  } catch (thrown) {
    if (command.spec.failsOpen !== true) throw thrown;
    const failing: Host = {
      ...host,
      get opened(): never {
        throw thrown;
      },
    };
    return { host: failing, command };
  }
  const sharedHost: Host = { ...host, opened: { by: "sharing", store: cache.store } };
  const run = async (call: CommandCall): Promise<Outcome> => {
    try {
      const { line = {} } = command;
      for (const fd of fdsIn(line, requestFrom(line, call))) await prepareFd(cache.store, fd);
      const outcome = await command.run(call, sharedHost);
      if (effect === "serves") return outcome;
      return { ...outcome, afterwards: () => after(url, cache, sharedHost, outcome) };
    } catch (thrown) {
      await cache.close();
      throw thrown;
    }
  };
  return { host: sharedHost, command: { spec: command.spec, run } };
}

async function after(
  url: string,
  cache: SharedCache,
  host: Host,
  outcome: Outcome,
): Promise<readonly FdFailure[]> {
  const failures = await outcome.afterwards?.() ?? [];
  await cache.close();
  await cache.bound(Date.now());
  if (cache.isUploadDue(Date.now())) startUploader(url, host).leave();
  return failures;
}
