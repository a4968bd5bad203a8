/**
 * The newest fd of each command that ran in a directory (FORMAT.md, "Runs"), so that a run can be compared with the one
 * before. Losing a note costs a comparison, so nothing is synced.
 */

import { nameLine, sumOf } from "./bind_name.ts";
import { blockSumText } from "../bytes/block_sum.ts";
import { utf8Bytes, utf8Text } from "../bytes/utf8_bytes.ts";
import { ifPossible } from "../disk/errors.ts";
import { bytesOfFile, makePrivateDirectory, replacePrivate } from "../disk/private_files.ts";
import type { Store } from "./open_store.ts";
import { runPath, runsPath, temporaryPath } from "./store_paths.ts";

/** Names the runs of `command` in the directory `cwd`. */
export function runName(command: readonly string[], cwd: string): string {
  const words = utf8Bytes(JSON.stringify([cwd, ...command]));
  // Two sums, since one of 32 bits is the same for two of some ten thousand commands.
  return blockSumText(words) + blockSumText(words.toReversed());
}

/** The fd of the last of these runs; undefined if none is noted. */
export function lastRun(store: Store, name: string): number | undefined {
  return ifPossible(() => {
    const note = utf8Text(bytesOfFile(runPath(store.path, name), MAX_NOTE_BYTES));
    const [id = "", sum] = note.trimEnd().split(" ");
    return sum === sumOf(name, id) ? Number(id) : undefined;
  });
}

/** Notes that the newest fd of these runs is `id`, if that can be written. */
export function noteRun(store: Store, name: string, id: number): void {
  ifPossible(() => {
    makePrivateDirectory(runsPath(store.path));
    replacePrivate(
      temporaryPath(store.path, "run"),
      runPath(store.path, name),
      utf8Bytes(nameLine(name, id)),
    );
  });
}

const MAX_NOTE_BYTES = 64;
