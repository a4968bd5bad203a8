/**
 * Entries of listings: what is kept about an fd beside its object, so that a list need not read each (SHARED.md, "Listings").
 * An entry counts only if the store lists the object with the same etag.
 */

import { ifPossible } from "../../disk/errors.ts";
import { nodeZlib } from "../../disk/loaded_late.ts";
import type { OnUnreadable } from "../../records/look_at_shard.ts";
import { isCount, isRecordLine } from "../../records/record_line.ts";
import type { RecordLog } from "../../records/record_log.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { encodeCheckedLine, lastCheckedLine } from "../../store/checked_log.ts";
import { readShared, unlessDamaged } from "./fd_object.ts";

/** An fd in a listing. */
export interface ListedFd {
  id: number;
  etag: string;
  /** Of the object. */
  objectBytes: number;
  modifiedAtMs: number;
  serverNowMs: number;
  log: Pick<RecordLog, "claim" | "seal" | "digest" | "stored" | "tomb">;
}

export type Entry = Omit<ListedFd, "serverNowMs">;

/** The first bytes of an object that are read for a listing: nearly every record is shorter. */
const RECORD_BYTES = 4096;
/** A listing is at most about 1 MiB of text; what much longer text decodes to would fill a reader's memory. */
const MAX_TEXT_BYTES = 4 * 2 ** 20;

/** Reads what a listing has of fd `id`; undefined if there is none, or a damaged one, which is reported. */
export async function readListed(
  objects: ObjectStore,
  id: number,
  onUnreadable: OnUnreadable,
): Promise<ListedFd | undefined> {
  const fd = await unlessDamaged(() => readShared(objects, id, RECORD_BYTES), onUnreadable);
  if (!fd) return undefined;
  const { etag, byteCount, modifiedAtMs, serverNowMs, log } = fd;
  return { id, etag, objectBytes: byteCount, modifiedAtMs, serverNowMs, log };
}

export function packEntries(fds: readonly Entry[]): Uint8Array<ArrayBuffer> {
  const entries: Entry[] = fds.map(({ id, etag, objectBytes, modifiedAtMs, log }) => {
    const { claim, seal, digest, stored, tomb } = log;
    return { id, etag, objectBytes, modifiedAtMs, log: { claim, seal, digest, stored, tomb } };
  });
  const text = encodeCheckedLine({ fds: entries });
  const kept = text.length > MAX_TEXT_BYTES ? encodeCheckedLine({ fds: [] }) : text;
  return new Uint8Array(nodeZlib().gzipSync!(kept, { level: 6 }));
}

/** Returns the entries in packed bytes, by id. Damaged bytes count as if there were none. */
export function unpackEntries(bytes: Uint8Array): Map<number, Entry> {
  const listing = unpackedObject(bytes, MAX_TEXT_BYTES);
  const listed: unknown[] = listing !== undefined && "fds" in listing && Array.isArray(listing.fds)
    ? listing.fds
    : [];
  return new Map(listed.filter(isEntry).map((entry) => [entry.id, entry]));
}

/** Returns the value of a gzipped object; undefined if it is damaged. */
export function unpackedObject(bytes: Uint8Array, maxOutputLength: number): object | undefined {
  return ifPossible(() => lastCheckedLine(nodeZlib().gunzipSync!(bytes, { maxOutputLength })), Error);
}

function isEntry(value: unknown): value is Entry {
  const { id, etag, objectBytes, modifiedAtMs, log } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return isCount(id) && typeof etag === "string" && isCount(objectBytes) && isCount(modifiedAtMs) &&
    typeof log === "object" && log !== null &&
    Object.entries(log).every(([event, line]) => isRecordLine(line) && line.event === event);
}
