/**
 * Runs commands on a shared store (contract, Shared stores): they read and write its cache. The fds that a call names are
 * prepared before it runs; what this host has not shared yet is shared afterwards.
 */

import { prepareFd, type SharedCache, type Store } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import { placeIn } from "../calls/requests/requested_slice.ts";
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
      get sharedStore(): never {
        throw thrown;
      },
    };
    return { host: failing, command };
  }
  const sharedHost: Host = { ...host, sharedStore: cache.store };
  const run = async (call: CommandCall): Promise<Outcome> => {
    try {
      await prepareNamed(cache.store, command, call);
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

/** Prepares the fds that a call names, in words or options. A text that only looks like an fd costs a request. */
async function prepareNamed(store: Store, { spec }: Command, call: CommandCall): Promise<void> {
  const { positionals, options } = call;
  for (const [place, word] of positionals.entries()) {
    if (isExplicit(word) || usageWord(spec.usage, place).includes("FD")) {
      await prepareFd(store, placeIn(word)?.fd ?? word);
    }
  }
  for (const [name, value] of Object.entries(options)) {
    const isFd = spec.options[name]?.value?.includes("FD") === true;
    for (const word of Array.isArray(value) ? value : [value]) {
      if (typeof word === "string" && (isFd || isExplicit(word))) await prepareFd(store, word);
    }
  }
}

function isExplicit(word: string): boolean {
  return word.startsWith("fd:") || word.startsWith("ref:");
}

/** The word of a usage line for a positional argument; the last one is for all that follow. */
function usageWord(usage: string, place: number): string {
  const words = usage.split(" ").filter((word) => !word.startsWith("["));
  return words[Math.min(place, words.length - 1)] ?? "";
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
