/**
 * The change that a step of the journal made to a file, as a diff. The old content is the step's backup; the new one is
 * the file, if it is still as the step left it, or the backup of the next step that changed it.
 */

import type { Store } from "../../../fd/mod.ts";
import { gatherBytes } from "../commit/gather_bytes.ts";
import { inspectFile, type Place, resolveInRoot, wholeFile } from "../commit/inspect_target.ts";
import { type JournaledFile, newestTransactions, type Transaction } from "../commit/journal.ts";
import { pathFromHere } from "../commit/resolve_path.ts";
import { oldContent } from "../commit/roll_back.ts";
import { unifiedDiff } from "../commit/unified_diff.ts";

/** Larger contents are not compared. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A diff, or why there is none: the new content is known no more, one is too large, or the step was never prepared. */
export type StepDiff = { diff: Uint8Array } | { missing: "content" | "too_large" | "not_written" };

/**
 * The diff of file number `index` of a step.
 *
 * @throws {FdError} `outside_root`, `store_corrupt`, and failures of the disk; {@link WriteError} if a backup is
 * incomplete.
 */
export async function stepDiff(
  place: Place & { store: Store },
  transaction: Transaction,
  index: number,
): Promise<StepDiff> {
  const file = transaction.begin.files[index]!;
  const after = transaction.after?.[index];
  if (after === undefined) return { missing: "not_written" };
  if (Math.max(file.before?.bytes ?? 0, after?.bytes ?? 0) > MAX_BYTES) return { missing: "too_large" };
  const now = after === null
    ? new Uint8Array(0)
    : await contentAfter(place, transaction.id, file, after.sha256);
  if (now === undefined) return { missing: "content" };
  const { backup, before } = file;
  const old = backup !== null && typeof backup !== "number"
    ? now.subarray(0, backup.prefix_bytes)
    : gatherBytes((await oldContent(place.store, file))?.chunks() ?? []);
  const name = pathFromHere(file.path, place.cwd);
  return {
    diff: unifiedDiff({ name: before === null ? "/dev/null" : name, bytes: old }, {
      name: after === null ? "/dev/null" : name,
      bytes: now,
    }),
  };
}

/** The content with that sum that step `id` gave a file; undefined if it is kept nowhere. */
async function contentAfter(
  place: Place & { store: Store },
  id: number,
  { path }: JournaledFile,
  sha256: string,
): Promise<Uint8Array | undefined> {
  const shown = pathFromHere(path, place.cwd);
  resolveInRoot(path, place, "read");
  if ((await inspectFile(path, shown))?.sha256 === sha256) return wholeFile(path, shown);
  for (const later of newestTransactions(place.store)) {
    if (later.id <= id) return undefined;
    const kept = later.begin.files.find((file) => file.path === path && file.before?.sha256 === sha256);
    if (typeof kept?.backup === "number") {
      return gatherBytes((await oldContent(place.store, kept))?.chunks() ?? []);
    }
  }
  return undefined;
}
