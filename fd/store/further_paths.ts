/** Builds the paths in a store that small calls do not need (FORMAT.md). */

import { IDS_PER_SHARD, inVersion, type Numbering, versionPath } from "./store_paths.ts";

/** Numbering of transactions (`tx:N`) and inquiries (`inq:N`). */
export const NUMBERS = {
  tx: { hint: "journal/next", shards: "journal", floor: "journal/floor" },
  inq: { hint: "inquiries/next", shards: "inquiries", floor: "inquiries/floor" },
} as const satisfies Readonly<Record<string, Numbering>>;

/** Returns the first id of a shard. */
export function firstId(shard: string): number {
  return Number(shard) * IDS_PER_SHARD;
}

/** Returns the content path of `id`. Faster for many ids of one shard, whose directory is `shardDirectory`. */
export function contentPathIn(shardDirectory: string, id: number): string {
  return `${shardDirectory}/${id}.dat`;
}

/** Directory of links to packed content, by its sha-256, through which fds share it. */
export const sharedPacksPath = inVersion("packs");

/** Path of the packed content with this sha-256 (in hex). */
export function sharedPackPath(store: string, sha256: string): string {
  return `${sharedPacksPath(store)}/${sha256.slice(0, 2)}/${sha256}`;
}

/** Path of the index of that content, with pages of `pageSize` chars. */
export function sharedIndexPath(store: string, sha256: string, pageSize: number): string {
  return `${sharedPackPath(store, sha256)}.${pageSize}.idx`;
}

/** Path of a shard's cached records: beside its directory, whose modification time they must not change. */
export function listingPath(store: string, shard: string): string {
  return `${versionPath(store)}/fds/${shard}.listing`;
}

/** Path of a cache of the names: beside their directory, whose modification time it must not change. */
export const namesListingPath = inVersion("refs.listing");

/** File in a shard's directory: its removed fds that had their content in the record. */
export const REMOVED_NAME = "removed";

export function removedPath(store: string, shard: string): string {
  return `${versionPath(store)}/fds/${shard}/${REMOVED_NAME}`;
}

export const locksPath = inVersion("locks");

/** File with the time of the last cleanup (`believed_clock.ts`). */
export const clockPath = inVersion("clock");

/** Directory of the stores that `fork` and `spawn` created for commands that still run. */
export const forksPath = inVersion("forks");

/** The start of the paths of directories for imports. */
export const importsStart = inVersion("tmp/import-");

/** Log of the processes that use a directory of work in progress: a forked store, or an import. */
export function ownersPath(directory: string): string {
  return `${directory}/owners`;
}

/** Log of the ids that an import has claimed. */
export function importedIdsPath(directory: string): string {
  return `${directory}/ids`;
}
