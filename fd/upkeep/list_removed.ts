/**
 * The tombstones of a store: what was removed, when and why.
 *
 * @module
 */

import { listIds } from "../records/list_fds.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";

/** An fd that is no more. Times in milliseconds since 1970. */
export interface RemovedFd {
  /** N of `fd:N`. It is never given again. */
  id: number;
  /** What the bytes were. */
  source: string;
  /** The command that wrote it: how to get it again. */
  command: string[] | undefined;
  /** When its first byte was to come. */
  createdMs: number;
  /** When it went. */
  removedMs: number;
  /** Who or what removed it. */
  why: string;
  /** Bytes that it held. */
  byteCount: number;
  /** Chars that it held; 0 where it was never sealed. */
  charCount: number;
  /** Lines that it held; 0 where it was never sealed. */
  lineCount: number;
  /** Pages that it held; 0 where it was never sealed. */
  pageCount: number;
  /** Hex; undefined where the content could no longer be read. */
  sha256: string | undefined;
}

/** Every fd that was removed, oldest first. Reads the record of every id there ever was. */
export function listRemoved(store: Store): RemovedFd[] {
  return listIds(store).flatMap((id) => {
    const log = readLog(store, id);
    if (log?.tomb === undefined) return [];
    const { claim, seal, tomb } = log;
    return {
      id,
      source: claim?.source ?? "unknown",
      command: claim?.command,
      createdMs: claim?.at ?? tomb.at,
      removedMs: tomb.at,
      why: tomb.why,
      byteCount: tomb.bytes,
      charCount: seal?.chars ?? 0,
      lineCount: seal?.lines ?? 0,
      pageCount: seal?.pages ?? 0,
      sha256: tomb.sha256,
    };
  });
}
