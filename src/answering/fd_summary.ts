import { diskUse, type FdEntry, formatFd, listNames, type RemovedFd, type Store } from "../../fd/mod.ts";
import type { FdSummary } from "../terms/answers.ts";
import { gapFields } from "./missing_remark.ts";

export function namesById(store: Store): Map<number, string[]> {
  const names = new Map<number, string[]>();
  for (const { name, id } of listNames(store)) {
    const own = names.get(id);
    if (own === undefined) names.set(id, [name]);
    else own.push(name);
  }
  return names;
}

/** An fd as lists show it; `names` are bound to it. */
export function summaryOf(entry: FdEntry, names: string[]): FdSummary {
  return {
    fd: formatFd(entry.id),
    state: entry.state,
    source: entry.source,
    bytes: entry.byteCount,
    // Small content may have a copy, but a list does not look for one of each fd: `stat` does.
    disk_bytes: entry.inRecord === undefined ? diskBytesOf(entry) : undefined,
    chars: entry.charCount,
    total_lines: entry.lineCount,
    pages: entry.pageCount,
    created: new Date(entry.createdMs).toISOString(),
    names,
    ...gapFields(entry.gap),
  };
}

/** The bytes of content on the disk; undefined if they are those of the content. */
export function diskBytesOf(entry: FdEntry): number | undefined {
  const { plainBytes, packedBytes } = diskUse(entry);
  return packedBytes === 0 && plainBytes === entry.byteCount ? undefined : plainBytes + packedBytes;
}

export function removedSummaryOf(tomb: RemovedFd): FdSummary {
  return {
    fd: formatFd(tomb.id),
    state: "removed",
    source: tomb.source,
    bytes: tomb.byteCount,
    chars: tomb.charCount,
    total_lines: tomb.lineCount,
    pages: tomb.pageCount,
    created: new Date(tomb.createdMs).toISOString(),
    names: [],
    removed: new Date(tomb.removedMs).toISOString(),
    why: tomb.why,
    sha256: tomb.sha256,
  };
}
