/**
 * Remembers the object of an fd, to fetch further parts of it: `N.from`, one checked line.
 */

import { encodeCheckedLine, lastCheckedLine, readCheckedLog } from "../../store/checked_log.ts";
import type { Elsewhere } from "../../store/backend.ts";
import type { Store } from "../../store/open_store.ts";
import { originPath } from "../../store/cache_paths.ts";
import { placeFile } from "./place_parts.ts";

/** How long a fetched record counts as current. */
export const RECORD_MS = 60_000;

/** Content that lies in segments. */
interface Segments {
  data: string;
  segmentBytes: number;
  /** Plain bytes. */
  byteCount: number;
  /** Bytes in the segments, if they hold packed content. */
  packedBytes?: number | undefined;
}

/** Places of the parts of an fd in the shared store. */
interface Origin {
  etag: string;
  /** Lengths of the parts of the object (`fd/packs/object_form.ts`). */
  recordBytes: number;
  indexBytes: number;
  /** Set if the fd had not ended. */
  live?: Elsewhere | undefined;
  segments?: Segments | undefined;
}

export function writeOrigin(store: Store, id: number, origin: Origin): void {
  placeFile(store, originPath(store.path, id), encodeCheckedLine(origin));
}

/** Returns undefined if there is none, or a damaged one. */
export function readOrigin(store: Store, id: number): Origin | undefined {
  const origin = lastCheckedLine(readCheckedLog(originPath(store.path, id), `fd:${id}`));
  return origin !== undefined && "recordBytes" in origin ? origin as Origin : undefined;
}
