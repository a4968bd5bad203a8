/**
 * Builds every path in a store (see FORMAT.md), with two files that small calls do not load: `further_paths.ts` and, for a cache,
 * `cache_paths.ts`. No other file does. Slashes work on every system, and templates avoid loading `node:path`.
 */

import { randomName } from "../disk/file_calls.ts";

/** Directory of the format version that this program reads and writes. */
export const VERSION_DIRECTORY = "v2";

export const IDS_PER_SHARD = 1000;

/** `<store>/v2`. */
export function versionPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}`;
}

/** Makes the function that builds the path of `name` in a store. */
export function inVersion(name: string): (store: string) => string {
  return (store) => `${versionPath(store)}/${name}`;
}

/** Path of a file of a {@link Numbering}: its hint or floor. */
export function numberPath(store: string, name: string): string {
  return `${versionPath(store)}/${name}`;
}

/** The names of the files and the directory for one kind of ids: a record log for each, in shards. */
export interface Numbering {
  /** Of the file with a hint for the next id. */
  hint: string;
  shards: string;
  /** Of the file with the highest id that counts as claimed without a record; only forked stores have one. */
  floor: string;
}

/** Numbering of fds. */
export const FD_NUMBERS: Numbering = { hint: "next", shards: "fds", floor: "floor" };

export function shardsPath(store: string, { shards } = FD_NUMBERS): string {
  return `${versionPath(store)}/${shards}`;
}

/** Returns the shard name of `id`, its digits but the last three: ids 0 to 999 are in `0000`. */
export function shardName(id: number): string {
  return String(id).slice(0, -3).padStart(4, "0");
}

export function shardPath(store: string, id: number, { shards } = FD_NUMBERS): string {
  return `${versionPath(store)}/${shards}/${shardName(id)}`;
}

export function recordPath(store: string, id: number, numbers = FD_NUMBERS): string {
  return `${shardPath(store, id, numbers)}/${id}.rec`;
}

export function contentPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.dat`;
}

/** Returns the path of packed content: beside the plain content at `contentPath`, whether or not that exists. */
export function packBeside(contentPath: string): string {
  return `${contentPath.slice(0, -".dat".length)}.pack`;
}

/** Returns the path of the record: beside the content at `contentPath`, whether or not that exists. */
export function recordBeside(contentPath: string): string {
  return `${contentPath.slice(0, -".dat".length)}.rec`;
}

export function packPath(store: string, id: number): string {
  return packBeside(contentPath(store, id));
}

export function indexPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.idx`;
}

export const namesPath = inVersion("refs");

/** Path of a name's file; `name` must have passed `isName`. */
export function namePath(store: string, name: string): string {
  return `${versionPath(store)}/refs/${name}`;
}

/** Directory of the newest fd of each command. */
export const runsPath = inVersion("runs");

export function runPath(store: string, name: string): string {
  return `${runsPath(store)}/${name}`;
}

/** Directory of what answers showed, by day (`shown_chars.ts`). */
export const shownPath = inVersion("shown");

export const temporaryDirectory = inVersion("tmp");

/** Returns a unique path for a temporary file. */
export function temporaryPath(store: string, purpose: string): string {
  return `${temporaryDirectory(store)}/${purpose}-${process.pid}-${randomName()}`;
}

/** File whose modification time is the time of the last automatic cleanup. */
export const sweptPath = inVersion("swept");

/** Directory of marks for transactions that have started but not ended. */
export const openTransactionsPath = inVersion("journal/open");

export function openTransactionPath(store: string, id: number): string {
  return `${versionPath(store)}/journal/open/${id}`;
}

/**
 * Directory of all data of the store. For a forked store, which is inside the store it was forked from, that store's.
 */
export function dataPath(store: string, isWindows = process.platform === "win32"): string {
  if (isWindows && store.includes("\\")) return dataPath(store.replaceAll("\\", "/"), isWindows);
  const holder = store.slice(0, Math.max(store.lastIndexOf("/"), 0));
  const ofForks = `/${VERSION_DIRECTORY}/forks`;
  if (holder.endsWith(ofForks)) return dataPath(holder.slice(0, -ofForks.length), isWindows);
  return versionPath(store);
}
