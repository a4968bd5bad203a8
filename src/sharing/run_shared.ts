/**
 * Runs a command on a shared store: what it lacks is fetched while it runs, and what this host has not shared yet is shared
 * afterwards.
 */

import { FdError, type FdFailure, Missing } from "../../fd/mod.ts";
import type { Command, CommandCall, Operation, Outcome } from "../terms/command.ts";
import type { SharedUse } from "./shared_use.ts";

/**
 * Commands that only read, and write nothing before they have their answer: they start again when something was fetched.
 * All others wait for what they lack, where they lack it.
 */
const READING = ["read", "search", "diff", "stat", "ls", "refs", "path"];

/** Options with which these commands do more than read. */
const WRITING_OPTIONS = ["extract", "extract-to-new-fd", "name", "follow"];

export async function runShared(
  shared: SharedUse,
  { name, effect }: Operation,
  command: Command,
  call: CommandCall,
): Promise<Outcome> {
  const { use } = shared.cache;
  use.sharesLater = command.spec.sharesLater === true;
  use.throwsMissing = READING.includes(name) &&
    !WRITING_OPTIONS.some((option) => call.options[option] !== undefined);
  const outcome = await own(shared, name, call) ?? await untilThere(shared, command, call);
  // From here on, output may have been written.
  use.throwsMissing = false;
  if (effect === "serves") return outcome;
  return { ...outcome, afterwards: () => after(shared, outcome) };
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

async function untilThere(shared: SharedUse, command: Command, call: CommandCall): Promise<Outcome> {
  try {
    return await fetchAndRun(shared, command, call);
  } catch (thrown) {
    if (!(thrown instanceof FullCache)) throw thrown;
    if (!isReadable(call)) throw thrown.cause;
    const { readFromMemory } = await import("./read_from_memory.ts");
    const again = async (memory: SharedUse): Promise<Outcome> => {
      try {
        return await fetchAndRun(memory, command, call);
      } catch (thrown) {
        throw thrown instanceof FullCache ? thrown.cause : thrown;
      }
    };
    return await readFromMemory(shared, again, thrown.cause);
  }
}

/** Thrown if a part cannot be cached, before the first byte of output. */
class FullCache extends Error {
  override readonly cause: FdError;

  constructor(cause: FdError) {
    super();
    this.cause = cause;
  }
}

/** Whether a call can do with a cache that has nothing of this host. */
function isReadable({ command, options }: CommandCall): boolean {
  return ["read", "search", "diff", "stat", "refs"].includes(command) && options["all-fds"] === undefined;
}

async function fetchAndRun(
  { cache, host }: SharedUse,
  command: Command,
  call: CommandCall,
): Promise<Outcome> {
  for (;;) {
    try {
      return await command.run(call, host);
    } catch (thrown) {
      if (!(thrown instanceof Missing)) throw thrown;
      await getPart(cache, thrown);
    }
  }
}

async function getPart(cache: SharedUse["cache"], { part }: Missing): Promise<void> {
  try {
    await cache.get(part);
  } catch (thrown) {
    const isFull = thrown instanceof FdError && thrown.failure.kind === "storage_full";
    throw isFull ? new FullCache(thrown) : thrown;
  }
}

async function after({ url, cache, host }: SharedUse, outcome: Outcome): Promise<readonly FdFailure[]> {
  const failures = await outcome.afterwards?.() ?? [];
  await cache.bound(Date.now());
  if (cache.isUploadDue(Date.now())) (await import("./start_uploader.ts")).startUploader(url, host).leave();
  return failures;
}
