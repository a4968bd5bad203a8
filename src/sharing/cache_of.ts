/** The cache of a call that is about a shared store and nothing else. */

import type { SharedCache } from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";
import { failUsage } from "../requests/usage_failure.ts";
import { openHostCache } from "./open_host_cache.ts";

/** Opens the cache of the call's shared store; a usage failure if its store is not shared. */
export async function cacheOf(command: string, host: Host): Promise<SharedCache> {
  const url = host.storeOption ?? host.env["FDTOOL_STORE"];
  if (host.sharedStore !== undefined && url !== undefined) return await openHostCache(url, host);
  const wanted = "the URL of a shared store, such as s3://BUCKET/PREFIX";
  return failUsage({ kind: "bad_value", command, option: "--store", got: url ?? "", wanted });
}
