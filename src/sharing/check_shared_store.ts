/** `verify` on a shared store: this host's cache, or what is on the object store. @module */

import { rmSync } from "node:fs";
import {
  checkCache,
  checkRemote,
  type CheckReport,
  type LogJudge,
  openStore,
  temporaryPath,
} from "../../fd/mod.ts";
import type { Host } from "../terms/command.ts";
import { objectsOf } from "./objects_of.ts";

/** Checks the cache at `path`, or with `isRemote` the object store; that is never repaired. */
export async function checkSharedStore(
  path: string,
  host: Host,
  { isRemote, ...how }: { isRemote: boolean; repair: boolean; judgeLog: LogJudge },
): Promise<CheckReport> {
  if (!isRemote) return await checkCache(openStore(path), how);
  const url = host.storeOption ?? host.env["FDTOOL_STORE"] ?? "";
  const scratch = temporaryPath(path, "verify");
  try {
    return await checkRemote(objectsOf(url, host), openStore(scratch));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
