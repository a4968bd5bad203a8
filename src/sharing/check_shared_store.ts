/** `verify` on a shared store: this host's cache, or what is on the object store. */

import { atEnd } from "../../fd/system.ts";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  checkCache,
  checkRemote,
  type CheckReport,
  type LogJudge,
  openStore,
  temporaryPath,
} from "../../fd/mod.ts";
import type { OnProgress } from "../../fd/system.ts";
import type { Host } from "../calls/terms/command.ts";
import { openObjects } from "./open_cache.ts";

const PURPOSE = "verify";
/** No check takes that long: its process was killed. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Removes what killed checks left in the directory of temporary files. */
function dropAbandoned(directory: string): void {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory)) {
    const left = join(directory, name);
    const ageMs = Date.now() - (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? Infinity);
    if (name.startsWith(`${PURPOSE}-`) && ageMs > ABANDONED_MS) {
      rmSync(left, { recursive: true, force: true });
    }
  }
}

/** Checks the cache at `path`, or with `isRemote` the object store; that is never repaired. */
export async function checkSharedStore(
  path: string,
  host: Host,
  { isRemote, ...how }: { isRemote: boolean; repair: boolean; judgeLog: LogJudge; onProgress: OnProgress },
): Promise<CheckReport> {
  if (!isRemote) return await checkCache(openStore(path), how);
  const scratch = temporaryPath(path, PURPOSE);
  dropAbandoned(dirname(scratch));
  using _scratch = atEnd(() => rmSync(scratch, { recursive: true, force: true }));
  return await checkRemote(await openObjects(host), openStore(scratch), how.onProgress);
}
