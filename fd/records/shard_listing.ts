/**
 * A cache of the sealed fds of a shard, so that listing 100,000 fds reads a hundred files instead of 100,000. It
 * contains only what cannot change; an fd in it whose content file is missing was removed since. It may be deleted at
 * any time, and is rewritten when enough sealed fds are missing from it.
 *
 * @module
 */

import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { join } from "node:path";
import { blockSumText } from "../bytes/block_sum.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { systemCode } from "../disk/errors.ts";
import type { FdEntry } from "./fd_entry.ts";
import { type Store } from "../store/open_store.ts";
import { arePossible, LAST_MOMENT_MS } from "./possible_counts.ts";
import { isCount, isMaybeCount, isMaybeText, isTexts } from "./record_line.ts";
import { contentPathIn, listingPath, shardName, shardsPath, temporaryPath } from "../store/store_paths.ts";
import { unlinkIfExists } from "../disk/unlink_if_exists.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** How many sealed fds must be missing from a listing before it is rewritten. */
const WORTH_WRITING = 64;

/** Reads the sealed fds in a shard's listing; none if it is missing or damaged. */
export function readListing(store: Store, shard: string): FdEntry[] {
  let bytes: Buffer;
  try {
    const file = disk.open(listingPath(store.path, shard), constants.O_RDONLY | NO_FOLLOW);
    try {
      const { size } = disk.fstat(file);
      // The sum is computed over words: aligning the JSON to four bytes avoids copying it.
      bytes = Buffer.allocUnsafe(size + 3).subarray(3);
      if (disk.read(file, bytes, 0, size, 0) !== size) return [];
    } finally {
      closeReader(file);
    }
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return [];
  }
  const json = bytes.subarray(9);
  if (bytes.length < 10 || bytes.toString("latin1", 0, 9) !== `${blockSumText(json)} `) return [];
  const entries = entriesIn(json.toString());
  const directory = join(shardsPath(store.path), shard);
  // Paths are not stored: the store may have been moved.
  for (const entry of entries) entry.contentPath = contentPathIn(directory, entry.id);
  return entries;
}

/** Parses a listing whose sum is right; returns none if an entry is invalid. */
function entriesIn(json: string): FdEntry[] {
  let entries: unknown;
  try {
    entries = JSON.parse(json);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return [];
    throw thrown;
  }
  return Array.isArray(entries) && entries.every(isSealedEntry) ? entries : [];
}

/** Written out for speed: listing 100,000 fds checks every entry. */
function isSealedEntry(value: unknown): value is FdEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Readonly<Record<string, unknown>>;
  const { command, createdMs, importedMs } = entry;
  return entry["state"] === "sealed" && typeof entry["source"] === "string" && isCount(entry["id"]) &&
    isCount(entry["byteCount"]) && isCount(entry["charCount"]) && isCount(entry["lineFeedCount"]) &&
    isCount(entry["lineCount"]) && isCount(entry["pageCount"]) && isCount(entry["pageSize"]) &&
    isCount(entry["sum"]) && isCount(createdMs) && createdMs <= LAST_MOMENT_MS && isMaybeText(entry["cwd"]) &&
    isMaybeText(entry["sha256"]) && isMaybeText(entry["signal"]) && isMaybeCount(entry["exitCode"]) &&
    isMaybeCount(entry["durationMs"]) && (command === undefined || isTexts(command)) &&
    isMaybeCount(importedMs) && (importedMs === undefined || Number(importedMs) <= LAST_MOMENT_MS) &&
    (entry["gap"] === undefined || isCounts(entry["gap"], "atByte", "droppedBytes")) &&
    (entry["parent"] === undefined || isCounts(entry["parent"], "id", "start", "count")) &&
    arePossible({
      bytes: Number(entry["byteCount"]),
      chars: Number(entry["charCount"]),
      line_feeds: Number(entry["lineFeedCount"]),
      lines: Number(entry["lineCount"]),
      pages: Number(entry["pageCount"]),
    });
}

function isCounts(value: unknown, ...names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  return names.every((name) => isCount((value as Readonly<Record<string, unknown>>)[name]));
}

/** Deletes the listing that contains `id`, if it exists; the next list reads the records and rewrites it. */
export function dropListing(store: Store, id: number): void {
  unlinkIfExists(listingPath(store.path, shardName(id)));
}

/**
 * Rewrites the listing with the sealed fds among `entries` if enough are missing from it. Ignores system errors:
 * without a listing the next list is only slower.
 */
export function refreshListing(
  store: Store,
  shard: string,
  entries: readonly FdEntry[],
  knownCount: number,
): void {
  const sealed = entries.filter((entry) => entry.state === "sealed");
  if (sealed.length - knownCount < WORTH_WRITING) return;
  const json = Buffer.from(JSON.stringify(sealed, (key, value) => key === "contentPath" ? undefined : value));
  const fresh = temporaryPath(store.path, "listing");
  try {
    const file = openPrivate(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL);
    try {
      writeWhole(file, Buffer.concat([Buffer.from(`${blockSumText(json)} `), json]));
    } finally {
      disk.close(file);
    }
    disk.rename(fresh, listingPath(store.path, shard));
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}
