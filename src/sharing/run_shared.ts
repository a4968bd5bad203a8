/**
 * Runs a command on a shared store: the fds that it names are prepared before, what it stored and this host has not shared yet
 * is shared afterwards.
 */

import { prepareFd, type Store } from "../../fd/mod.ts";
import type { FdFailure } from "../../fd/system.ts";
import type { Command, CommandCall, Operation, Outcome } from "../terms/command.ts";
import { placeIn } from "../requests/requested_slice.ts";
import type { SharedUse } from "./shared_use.ts";

export async function runShared(
  shared: SharedUse,
  { name, effect }: Operation,
  command: Command,
  call: CommandCall,
): Promise<Outcome> {
  const { cache } = shared;
  cache.use.sharesLater = command.spec.sharesLater === true;
  cache.use.mayMove = effect !== "serves";
  try {
    await prepareNamed(cache.store, command, call);
    const outcome = await own(shared, name, call) ?? await command.run(call, shared.host);
    if (effect === "serves") return outcome;
    return { ...outcome, afterwards: () => after(shared, outcome) };
  } catch (thrown) {
    cache.close();
    throw thrown;
  }
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

/** The outcome of a command that is another one on a shared store; undefined for all others. */
async function own(shared: SharedUse, name: string, call: CommandCall): Promise<Outcome | undefined> {
  switch (name) {
    case "gc":
      return await (await import("./clean_shared_store.ts")).cleanOutcome(shared, call);
    default:
      return undefined;
  }
}

async function after({ url, cache, host }: SharedUse, outcome: Outcome): Promise<readonly FdFailure[]> {
  const failures = await outcome.afterwards?.() ?? [];
  cache.close();
  await cache.bound(Date.now());
  if (cache.isUploadDue(Date.now())) (await import("./start_uploader.ts")).startUploader(url, host).leave();
  return failures;
}
