/**
 * Reads from a shared store although the disk of the cache is full: the call gets a cache of its own in memory, which is
 * removed when it has ended.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FdError } from "../../fd/mod.ts";
import type { Outcome } from "../terms/command.ts";
import { openHostCache } from "./open_host_cache.ts";
import type { SharedUse } from "./shared_use.ts";

/** A file system in memory, on Linux. Elsewhere the directory for temporary files may be on another disk. */
const MEMORY = "/dev/shm";

/** Calls `read` with a cache in memory. Throws `full` if it needs an fd that only the cache on the full disk has. */
export async function readFromMemory(
  { url, host }: SharedUse,
  read: (shared: SharedUse) => Promise<Outcome>,
  full: FdError,
): Promise<Outcome> {
  const directory = makeDirectory(full);
  try {
    const memoryHost = { ...host, env: { ...host.env, FDTOOL_CACHE: directory } };
    const cache = await openHostCache(url, memoryHost);
    cache.use.throwsMissing = true;
    const outcome = await read({ url, cache, host: { ...memoryHost, sharedStore: cache.store } });
    cache.use.throwsMissing = false;
    return {
      ...outcome,
      async afterwards() {
        const failures = await outcome.afterwards?.();
        rmSync(directory, { recursive: true, force: true });
        return failures ?? [];
      },
    };
  } catch (thrown) {
    rmSync(directory, { recursive: true, force: true });
    throw thrown instanceof FdError && thrown.failure.kind === "not_found" ? full : thrown;
  }
}

function makeDirectory(full: FdError): string {
  for (const parent of [MEMORY, tmpdir()]) {
    try {
      return mkdtempSync(join(parent, "fdtool-"));
    } catch {
      // It does not exist, or is full too.
    }
  }
  throw full;
}
