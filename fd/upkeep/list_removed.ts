/** Lists the tombstones of a store: which fds were removed, when and why. */

import { listIds } from "../records/list_fds.ts";
import type { Store } from "../store/open_store.ts";
import { readLog } from "../records/record_log.ts";

/** A removed fd. Times in milliseconds since 1970. */
export interface RemovedFd {
  /** N of `fd:N`. Never reused. */
  id: number;
  /** Origin of the bytes. */
  source: string;
  /** The command that wrote it, to get it again. */
  command: string[] | undefined;
  /** When it was created. */
  createdMs: number;
  /** When it was removed. */
  removedMs: number;
  /** Why, or by what, it was removed. */
  why: string;
  /** Bytes of content. */
  byteCount: number;
  /** Chars of content; 0 if it was never sealed. */
  charCount: number;
  /** Lines of content; 0 if it was never sealed. */
  lineCount: number;
  /** Pages of content; 0 if it was never sealed. */
  pageCount: number;
  /** In hex; undefined if the content could not be read. */
  sha256: string | undefined;
}

/** Lists every removed fd, oldest first. Reads the record of every id ever claimed. */
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
