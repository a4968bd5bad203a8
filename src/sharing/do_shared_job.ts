/** Does a job for another process. */

import type { SharedCache } from "../../fd/mod.ts";
import { FdError } from "../../fd/system.ts";
import { failUsage } from "../requests/usage_failure.ts";
import type { Host } from "../terms/command.ts";
import { openHostCache } from "./open_host_cache.ts";
import type { JobAnswer, SharedJob } from "./shared_job.ts";

export async function doSharedJob(job: SharedJob, host: Host): Promise<JobAnswer> {
  const url = host.storeOption;
  if (url === undefined) failUsage({ kind: "missing_argument", command: "shared-job", argument: "--store" });
  const cache = await openHostCache(url, host);
  try {
    return await done(job, cache);
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { failure: thrown.failure };
  }
}

async function done(job: SharedJob, cache: SharedCache): Promise<JobAnswer> {
  switch (job.kind) {
    case "fetch":
      cache.use.isFresh = job.isFresh === true;
      return { records: await cache.get(job.part) };
    case "share": {
      // If it failed, the fd is not shared, and the caller says so.
      const sharing = await cache.share(job.note);
      return { id: sharing?.id };
    }
    case "bind":
      return { id: await cache.bind(job.name, job.id) };
    case "remove":
      await cache.remove(job.id, job.why);
      return {};
  }
}
