/** Guesses from the beginning of a diff whether most of it is times, addresses and ids. */

import { Buffer } from "node:buffer";
import { type FdEntry, firstBytes } from "../../fd/mod.ts";
import type { FinishedDiff } from "./diff_sink.ts";
import { NOTHING_IGNORED, VOLATILE, withoutIgnored } from "../findings/comparing/ignored_text.ts";

/** Lines are left out if the diff is then at least this many times smaller. */
export const leastHidden = 10;

/** A shorter diff is shown whole. */
const MIN_DIFF_BYTES = 1000;
/** Larger contents are not compared a second time: their lines pass at tens of MB/s. */
const MAX_COMPARED_BYTES = 256 * 1024 * 1024;
const SAMPLED_BYTES = 65_536;

/** Whether comparing again without volatile text may make the diff much smaller. */
export function mayBeVolatile(
  { before, after }: { before: FdEntry; after: FdEntry },
  { whole }: FinishedDiff,
): boolean {
  if (whole.byteLength < MIN_DIFF_BYTES) return false;
  if (before.byteCount + after.byteCount > MAX_COMPARED_BYTES) return false;
  const removed = new Map<string, number>();
  const added: string[] = [];
  for (
    const line of Buffer.from(firstBytes(whole.chunks(), SAMPLED_BYTES)).toString("latin1").split("\n").slice(
      2,
    )
  ) {
    if (line[0] !== "-" && line[0] !== "+") continue;
    const steady = withoutIgnored(line.slice(1), { ...NOTHING_IGNORED, ...VOLATILE });
    if (line[0] === "-") removed.set(steady, (removed.get(steady) ?? 0) + 1);
    else added.push(steady);
  }
  let pairCount = 0;
  for (const line of added) {
    const left = removed.get(line) ?? 0;
    if (left === 0) continue;
    removed.set(line, left - 1);
    pairCount++;
  }
  // The sample may end between the removed and the added lines of a hunk.
  return added.length === 0 || pairCount * 2 > added.length;
}
