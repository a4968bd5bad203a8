/**
 * The newest fd of each command that ran in a directory (FORMAT.md, "Runs"), so that a run can be compared with the one
 * before. Losing a note costs a comparison, so nothing is synced.
 */

import { nameLine, sumOf } from "./bind_name.ts";
import { blockSumText } from "../bytes/block_sum.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";
import { disk } from "../disk/disk.ts";
import { discard } from "../disk/file_calls.ts";
import { ifPossible } from "../disk/errors.ts";
import { bytesOfFile, makePrivateDirectory, writePrivate } from "../disk/private_files.ts";
import type { Store } from "./open_store.ts";
import { runPath, runsPath, temporaryPath } from "./store_paths.ts";

/** A command and the directory that it ran in. Without one of them, nothing is noted. */
export interface Run {
  command?: string[] | undefined;
  cwd?: string | undefined;
  /** Whether a shared store notes it, too, for this host. */
  ofHost?: true | undefined;
}

/** The fd of the last run of the same command in the same directory; undefined if none is noted. */
export function lastRun(store: Store, run: Run): number | undefined {
  const name = nameOf(store, run);
  if (name === undefined) return undefined;
  return ifPossible(() => {
    const [id = "", sum] = utf8Text(bytesOfFile(runPath(store.path, name), MAX_NOTE_BYTES)).trimEnd().split(
      " ",
    );
    return sum === sumOf(name, id) ? Number(id) : undefined;
  });
}

/** Notes that the newest fd of this run is `id`, if that can be written. */
export function noteRun(store: Store, run: Run, id: number): void {
  const name = nameOf(store, run);
  if (name === undefined) return;
  const fresh = temporaryPath(store.path, "run");
  const isNoted = ifPossible(() => {
    makePrivateDirectory(runsPath(store.path));
    writePrivate(fresh, utf8Bytes(nameLine(name, id)));
    disk.rename(fresh, runPath(store.path, name));
    return true;
  });
  if (isNoted !== true) discard(fresh);
}

const MAX_NOTE_BYTES = 64;

/** Commands of a shared store run on many hosts, and their directories are others. */
function nameOf(store: Store, { command, cwd, ofHost }: Run): string | undefined {
  if (command === undefined || cwd === undefined) return undefined;
  if (store.shared !== undefined && ofHost !== true) return undefined;
  const words = utf8Bytes(JSON.stringify([cwd, ...command]));
  // Two sums, since one of 32 bits is the same for two of some ten thousand commands.
  return blockSumText(words) + blockSumText(words.toReversed());
}
