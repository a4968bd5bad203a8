/** Builds the paths that only a cache of a shared store has (FORMAT.md). */

import { inVersion, shardPath } from "./store_paths.ts";

/** Path of the facts about where an fd of a cache comes from (`fd/shared/cache/origin_file.ts`). */
export function originPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.from`;
}

/** Directory of what only a cache of a shared store has. */
export const cachePath = inVersion("shared");

/** Directory of marks, dated when they were made, for fds whose files stay in the cache. */
export const pinsDirectory = inVersion("shared/pins");

/** File whose modification time is the time when the size of the cache was last looked at. */
export const measuredPath = inVersion("shared/measured");

/** File whose modification time is when a process was last started to share pending fds. */
export const uploadedPath = inVersion("shared/uploaded");

/** File whose modification time is when the shared store could last not be reached. */
export const unreachablePath = inVersion("shared/unreachable");

/** Dated when this host last heard that the shared store is over its quota. */
export const fullPath = inVersion("shared/full");

/** Dated when this host last noticed that others claim ids. */
export const othersPath = inVersion("shared/others");

/** File that says which shared store a cache belongs to. */
export const identityPath = inVersion("shared/identity");

/** Directory of counts of what this host asks and shares, by day (`fd/disk/day_counts.ts`). */
export const countsDirectory = inVersion("shared/counts");

/** Directory of notes about fds that are to be shared (`fd/shared/objects/pending_upload.ts`). */
export const pendingDirectory = inVersion("shared/pending");
