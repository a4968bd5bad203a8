/**
 * Remembers the object of an fd, to fetch further parts of it: `N.from`, one checked line.
 *
 * @module
 */

import { constants } from "node:fs";
import { readCheckedLines, readCheckedLog, writeCheckedLine } from "../store/checked_log.ts";
import { disk } from "../disk/disk.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import type { Elsewhere } from "../store/missing_part.ts";
import type { Store } from "../store/open_store.ts";
import { originPath, temporaryPath } from "../store/store_paths.ts";

/** How long a record that was seen counts as current. */
export const RECORD_MS = 60_000;

/** Content that lies in segments. */
export interface Segments {
  data: string;
  segmentBytes: number;
  /** Plain bytes. */
  byteCount: number;
  /** Bytes in the segments, if they hold packed content. */
  packedBytes?: number | undefined;
}

/** Places of the parts of an fd in the shared store. */
export interface Origin {
  etag: string;
  /** Lengths of the parts of the object (`fd/packs/object_form.ts`). */
  recordBytes: number;
  indexBytes: number;
  /** Of an fd that had not ended. */
  live?: Elsewhere | undefined;
  segments?: Segments | undefined;
}

export function writeOrigin(store: Store, id: number, origin: Origin): void {
  const fresh = temporaryPath(store.path, "origin");
  const file = openPrivate(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
  try {
    writeCheckedLine(file, origin);
  } finally {
    disk.close(file);
  }
  disk.rename(fresh, originPath(store.path, id));
}

/** Returns undefined if there is none, or a damaged one. */
export function readOrigin(store: Store, id: number): Origin | undefined {
  const bytes = readCheckedLog(originPath(store.path, id), `fd:${id}`);
  let origin: Origin | undefined;
  if (bytes !== undefined) {
    readCheckedLines(bytes, (value) => {
      if (typeof value === "object" && value !== null && "recordBytes" in value) origin = value as Origin;
    });
  }
  return origin;
}
