/** Builds the paths that only a cache of a shared store has (FORMAT.md). */

import { shardPath, versionPath } from "./store_paths.ts";

/** Path of the facts about where an fd of a cache comes from (`fd/cache/origin_file.ts`). */
export function originPath(store: string, id: number): string {
  return `${shardPath(store, id)}/${id}.from`;
}

/** Directory of what only a cache of a shared store has. */
export function cachePath(store: string): string {
  return `${versionPath(store)}/shared`;
}

/** Directory of marks, dated when they were made, for fds whose files stay in the cache. */
export function pinsDirectory(store: string): string {
  return `${versionPath(store)}/shared/pins`;
}

/** File whose modification time is the time when the size of the cache was last looked at. */
export function measuredPath(store: string): string {
  return `${versionPath(store)}/shared/measured`;
}

/** File whose modification time is when a process was last started to share pending fds. */
export function uploadedPath(store: string): string {
  return `${versionPath(store)}/shared/uploaded`;
}

/** File whose modification time is when the shared store could last not be reached. */
export function unreachablePath(store: string): string {
  return `${versionPath(store)}/shared/unreachable`;
}

/** Dated when this host last heard that the shared store is over its quota. */
export function fullPath(store: string): string {
  return `${versionPath(store)}/shared/full`;
}

/** Dated when this host last noticed that others claim ids. */
export function othersPath(store: string): string {
  return `${versionPath(store)}/shared/others`;
}

/** File that says which shared store a cache belongs to. */
export function identityPath(store: string): string {
  return `${versionPath(store)}/shared/identity`;
}

/** Directory of counts of what this host asks and shares, by day (`fd/disk/day_counts.ts`). */
export function countsDirectory(store: string): string {
  return `${versionPath(store)}/shared/counts`;
}

/** Directory of notes about fds that are to be shared (`fd/shared/pending_upload.ts`). */
export function pendingDirectory(store: string): string {
  return `${versionPath(store)}/shared/pending`;
}
