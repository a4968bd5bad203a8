/**
 * Every path under a store is made here and nowhere else (see FORMAT.md). A slash parts names on every system; and
 * templates do what `join` would, without loading `node:path`.
 *
 * @module
 */

import { randomName } from "../disk/random_name.ts";

/** The directory of the format version that this program reads and writes. */
export const VERSION_DIRECTORY = "v1";

/** How many ids share a directory. */
export const IDS_PER_SHARD = 1000;

/** `<store>/v1`. */
export function versionPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}`;
}

/** The hint for the next id. */
export function hintPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/next`;
}

/** The directory of all shards. */
export function shardsPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/fds`;
}

/** The name of the shard that holds `id`: ids 0 to 999 are in `0000`. */
export function shardName(id: number): string {
  return String(Math.floor(id / IDS_PER_SHARD)).padStart(4, "0");
}

/** The first id that a shard of this name is for. */
export function firstId(shard: string): number {
  return Number(shard) * IDS_PER_SHARD;
}

/** The directory that holds the files of `id`. */
export function shardPath(store: string, id: number): string {
  return `${store}/${VERSION_DIRECTORY}/fds/${shardName(id)}`;
}

/** The record log of `id`. */
export function recordPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.rec`;
}

/** The content of `id`. */
export function contentPath(store: string, id: number): string {
  return contentPathIn(shardPath(store, id), id);
}

/** The same, for callers that ask for very many ids of one shard, whose directory is `shardDirectory`. */
export function contentPathIn(shardDirectory: string, id: number): string {
  return `${shardDirectory}/${id}.dat`;
}

/** The block index of `id`. */
export function indexPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.idx`;
}

/** The cached records of a shard. */
export function listingPath(store: string, shard: string): string {
  return `${store}/${VERSION_DIRECTORY}/fds/${shard}/listing`;
}

/** The directory of all names. */
export function namesPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/refs`;
}

/** The file of the name `name`, which must have passed `isName`. */
export function namePath(store: string, name: string): string {
  return `${store}/${VERSION_DIRECTORY}/refs/${name}`;
}

/** The directory for files on their way somewhere. */
export function temporaryDirectory(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/tmp`;
}

/** A fresh path for a file on its way somewhere. */
export function temporaryPath(store: string, purpose: string): string {
  return `${temporaryDirectory(store)}/${purpose}-${process.pid}-${randomName()}`;
}

/** The file whose modification time says when the store last cleaned itself. */
export function sweptPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/swept`;
}

/** Where the ids of one kind are kept: a record log for each, in shards, and a hint for the next. */
export interface Numbering {
  hintPath(store: string): string;
  /** The directory that holds the shards. */
  shardsPath(store: string): string;
  shardPath(store: string, id: number): string;
  recordPath(store: string, id: number): string;
  /** The largest id that counts as taken though no record says so; it is there in forked stores alone. */
  floorPath(store: string): string;
}

/** The numbering of fds. */
export function fdNumbers(): Numbering {
  return {
    hintPath,
    shardsPath,
    shardPath,
    recordPath,
    floorPath: (store) => `${store}/${VERSION_DIRECTORY}/floor`,
  };
}

/** The numbering of transactions (`tx:N`), in `journal/`. */
export function journalNumbers(): Numbering {
  return numberingIn("journal");
}

/** The numbering of questions (`inq:N`), in `inquiries/`. */
export function inquiryNumbers(): Numbering {
  return numberingIn("inquiries");
}

function numberingIn(directory: string): Numbering {
  const inside = (store: string) => `${store}/${VERSION_DIRECTORY}/${directory}`;
  return {
    hintPath: (store) => `${inside(store)}/next`,
    shardsPath: inside,
    shardPath: (store, id) => `${inside(store)}/${shardName(id)}`,
    recordPath: (store, id) => `${inside(store)}/${shardName(id)}/${id}.rec`,
    floorPath: (store) => `${inside(store)}/floor`,
  };
}

/** The directory of marks that stand for transactions that have begun and not ended. */
export function openTransactionsPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/journal/open`;
}

/** The mark of transaction `id`. */
export function openTransactionPath(store: string, id: number): string {
  return `${openTransactionsPath(store)}/${id}`;
}

/** The directory of locks. */
export function locksPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/locks`;
}

/** What the clock said when the store was last cleaned (`believed_clock.ts`). */
export function clockPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/clock`;
}

/** The directory of the stores that `fork` and `spawn` made for commands that still run. */
export function forksPath(store: string): string {
  return `${store}/${VERSION_DIRECTORY}/forks`;
}

/** One of them: a store of its own, with the log of its owners beside its version directory. */
export function forkPath(store: string, name: string): string {
  return `${forksPath(store)}/${name}`;
}

/** What holds all data of the store at `store`; for a forked one, which lies in the store it was forked from, that one's. */
export function dataPath(store: string, isWindows = process.platform === "win32"): string {
  if (isWindows && store.includes("\\")) return dataPath(store.replaceAll("\\", "/"), isWindows);
  const holder = store.slice(0, Math.max(store.lastIndexOf("/"), 0));
  const ofForks = forksPath("");
  return holder.endsWith(ofForks)
    ? dataPath(holder.slice(0, -ofForks.length), isWindows)
    : versionPath(store);
}

/** The log of the processes that a forked store is there for. */
export function forkOwnersPath(fork: string): string {
  return `${fork}/owners`;
}
