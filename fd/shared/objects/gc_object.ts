/**
 * The object through which cleaners exclude each other and announce what they are about to remove (SHARED.md, "Cleaning").
 */

import type { ObjectStore, Written } from "../remote/object_store.ts";
import { isCount } from "../../records/record_line.ts";
import { encodeCheckedLine, lastCheckedLine } from "../../store/checked_log.ts";
import { DATA_PARTS, GC_KEY } from "./shared_keys.ts";

/** An fd to be removed, in the version that was judged. */
export interface Condemned {
  id: number;
  etag: string;
}

/** The content of `gc`. */
export interface GcState {
  /** The cleaner's nonce; undefined if none is at work. */
  lease: string | undefined;
  host: string | undefined;
  condemned: Condemned[];
  /** The 1/256 of the data that is checked next. */
  part: number;
}

/** Reads the state as of one request. A damaged object counts as idle. */
export async function readGc(objects: ObjectStore) {
  const part = await objects.get(GC_KEY);
  const fields = (lastCheckedLine(part?.bytes) ?? {}) as Readonly<Record<string, unknown>>;
  const { lease, host, condemned, part: dataPart } = fields;
  return {
    lease: typeof lease === "string" ? lease : undefined,
    host: typeof host === "string" ? host : undefined,
    condemned: Array.isArray(condemned) ? condemned.filter(isCondemned) : [],
    part: isCount(dataPart) && dataPart < DATA_PARTS ? dataPart : 0,
    /** Undefined if there is no such object yet. */
    etag: part?.etag,
    /** Since the last write, by the server's clock. */
    ageMs: part === null ? Infinity : part.serverNowMs - part.modifiedAtMs,
  };
}

/**
 * Writes the state if its version is still `etag` (undefined: if there is none). Returns undefined if another process
 * changed it. `nonce` makes every version another one.
 */
export async function writeGc(
  objects: ObjectStore,
  { lease, host, condemned, part }: GcState,
  etag: string | undefined,
  nonce: string,
): Promise<Written | undefined> {
  const bytes = encodeCheckedLine({ lease, host, condemned, part, nonce });
  const written = etag === undefined
    ? await objects.create(GC_KEY, bytes)
    : await objects.replace(GC_KEY, bytes, etag);
  return written ?? undefined;
}

function isCondemned(value: unknown): value is Condemned {
  const { id, etag } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isCount(id) && typeof etag === "string";
}
