/** Fds in answers: in lists, as removed, as bound to a name, without a preview. */

import {
  type BoundName,
  diskUse,
  type FdEntry,
  findFd,
  formatFd,
  listNames,
  type Removal,
  type RemovedFd,
  type Store,
} from "../../../fd/mod.ts";
import type { FdResult, FdSummary, RefList } from "../../calls/terms/answers.ts";
import { gapFields } from "./missing_remark.ts";
import { FdError } from "../../../fd/system.ts";
import type { Message, NextCall } from "../../calls/terms/next_call.ts";

/** Names by the fds that they are bound to: all, or those of `ids`. */
export function namesById(store: Store, ids?: readonly number[]): Map<number, string[]> {
  const names = new Map<number, string[]>(ids?.map((id) => [id, []]));
  if (ids?.length === 0) return names;
  for (const { name, id } of listNames(store)) {
    const own = names.get(id);
    if (own !== undefined) own.push(name);
    else if (ids === undefined) names.set(id, [name]);
  }
  return names;
}

/** An fd as lists show it; `names` are bound to it. */
export function summaryOf(entry: FdEntry, names: string[]): FdSummary {
  // Small content may have a copy, but a list does not look for one of each fd: `stat` does.
  const diskBytes = entry.inRecord === undefined ? diskBytesOf(entry) : undefined;
  return { ...countsOf(entry, entry.state, diskBytes), names, ...gapFields(entry.gap) };
}

function countsOf(fd: FdEntry | RemovedFd, state: FdSummary["state"], diskBytes?: number) {
  return {
    fd: formatFd(fd.id),
    state,
    source: fd.source,
    bytes: fd.byteCount,
    disk_bytes: diskBytes,
    chars: fd.charCount,
    total_lines: fd.lineCount,
    pages: fd.pageCount,
    created: new Date(fd.createdMs).toISOString(),
  };
}

/** The bytes of content on the disk; undefined if they are those of the content. */
export function diskBytesOf(entry: FdEntry): number | undefined {
  const { plainBytes, packedBytes } = diskUse(entry);
  return packedBytes === 0 && plainBytes === entry.byteCount ? undefined : plainBytes + packedBytes;
}

export function removedSummaryOf(tomb: RemovedFd): FdSummary {
  const { removedMs, why, sha256 } = tomb;
  return { ...countsOf(tomb, "removed"), names: [], removed: new Date(removedMs).toISOString(), why, sha256 };
}

/** An fd as reports list it. */
export function fdFacts({ id, byteCount: bytes, source }: Pick<FdEntry, "id" | "byteCount" | "source">) {
  return { fd: formatFd(id), bytes, source };
}

/** The fds that a cleaning removed, as an answer lists them. */
export function removedFds(removals: readonly Removal[]) {
  return removals.map((removal) => ({ ...fdFacts(removal), why: removal.why }));
}

/**
 * The source of output that a harness handed over as text: what was not UTF-8 is U+FFFD, and white space at its end may
 * be missing.
 */
export const CHANGED_SOURCE = "shell_text";

/** A name as `refs` lists it, with the state of an fd that was removed or is missing. */
export async function boundReference(
  store: Store,
  { name, id, boundMs }: BoundName,
): Promise<RefList["refs"][number]> {
  const ref = { id: `ref:${name}`, fd: formatFd(id), created: new Date(boundMs).toISOString() };
  await store.backend.refresh({ kind: "record", id });
  try {
    const entry = findFd(store, formatFd(id));
    return { ...ref, lines: entry.lineCount, chars: entry.charCount };
  } catch (thrown) {
    const kind = thrown instanceof FdError ? thrown.failure.kind : undefined;
    if (kind === "removed") return { ...ref, lines: 0, chars: 0, state: "removed" };
    if (kind === "not_found" || kind === "store_corrupt") {
      return { ...ref, lines: 0, chars: 0, state: "lost" };
    }
    throw thrown;
  }
}

/**
 * The `fd_result` of an fd without a preview: it is live, and new content starts at `cursor`, or the answer was too long
 * for one message.
 */
export function unshownResult(
  entry: Pick<FdEntry, "id" | "source" | "pageCount" | "lineCount" | "charCount" | "byteCount">,
  message: Message,
  next: NextCall,
  cursor?: number,
): FdResult {
  return {
    type: "fd_result",
    fd: formatFd(entry.id),
    pages: entry.pageCount,
    truncated: false,
    lines: "0-0",
    total_lines: entry.lineCount,
    source: entry.source,
    chars: entry.charCount,
    bytes: entry.byteCount,
    state: cursor === undefined ? undefined : "live",
    cursor,
    message,
    next,
    preview: [],
  };
}
