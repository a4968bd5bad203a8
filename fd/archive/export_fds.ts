/**
 * Exports fds as one archive that another store, on this machine or another, can import and verify (FORMAT.md,
 * "Archives"). It is a tar file, so that other tools can read it.
 */

import { Buffer } from "node:buffer";
import {
  archivedEnd,
  type ArchivedFd,
  encodeManifest,
  type Manifest,
  MANIFEST_NAME,
  memberOf,
  secondsOf,
  SUMS_NAME,
  sumsText,
} from "./archive_manifest.ts";
import { listNames } from "../store/bind_name.ts";
import { digestFd, sha256Of } from "../slices/digest_fd.ts";
import { prepareContent } from "../slices/prepare_content.ts";
import type { OnProgress } from "../disk/on_progress.ts";
import { type FdEntry, refuseLive } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { type ByteSource, readSlice } from "../slices/read_slice.ts";
import { TAR_END, tarHeader, tarPadding } from "./tar_header.ts";

/**
 * Returns the archive of `entries`. Their sha-256 are computed first, with their progress to `onProgress`; content is
 * verified while it is read, and memory use does not grow with it.
 *
 * @throws {FdError} `invalid_parameter` for a live fd; `store_corrupt` for one that cannot be read.
 */
export async function exportFds(
  store: Store,
  entries: readonly FdEntry[],
  nowMs: number,
  onProgress?: OnProgress,
): Promise<ByteSource> {
  await store.backend.refresh({ kind: "names" });
  const names = listNames(store);
  const fds: ArchivedFd[] = [];
  const unknown = entries.filter(({ sha256 }) => sha256 === undefined);
  const totalBytes = unknown.reduce((sum, { byteCount }) => sum + byteCount, 0);
  let doneBytes = 0;
  const onBytes = (byteCount: number) => onProgress?.(doneBytes += byteCount, () => totalBytes);
  for (const entry of entries) {
    refuseLive(entry);
    await prepareContent(store, entry);
    const bound = names.filter(({ id }) => id === entry.id).map(({ name }) => name);
    fds.push(archived(entry, await digestFd(store, entry, onBytes), bound));
  }
  const manifest: Manifest = { format: "fdtool-export", version: 1, exported: nowMs, fds };
  const manifestBytes = encodeManifest(manifest);
  const sums = Buffer.from(sumsText(manifest, await sha256Of([manifestBytes])));
  const parts: (Buffer | ByteSource)[] = [];
  const add = (header: Buffer, content: Buffer | ByteSource) =>
    parts.push(header, content, Buffer.alloc(tarPadding(content.byteLength)));
  const mtimeSeconds = secondsOf(nowMs);
  add(tarHeader({ name: SUMS_NAME, byteCount: sums.length, mtimeSeconds }), sums);
  add(tarHeader({ name: MANIFEST_NAME, byteCount: manifestBytes.length, mtimeSeconds }), manifestBytes);
  entries.forEach((entry, at) =>
    add(tarHeader(memberOf(fds[at]!)), readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }))
  );
  parts.push(TAR_END);
  return {
    byteLength: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    *chunks() {
      for (const part of parts) {
        if (part instanceof Uint8Array) yield part;
        else yield* part.chunks();
      }
    },
  };
}

function archived(entry: FdEntry, sha256: string, names: string[]): ArchivedFd {
  return {
    id: entry.id,
    bytes: entry.byteCount,
    sha256,
    chars: entry.charCount,
    line_feeds: entry.lineFeedCount,
    lines: entry.lineCount,
    pages: entry.pageCount,
    page_size: entry.pageSize,
    source: entry.source,
    created: entry.createdMs,
    ended: entry.state === "sealed" ? "whole" : "incomplete",
    command: entry.command,
    cwd: entry.cwd,
    parent: entry.parent,
    gap: entry.gap === undefined
      ? undefined
      : { at_byte: entry.gap.atByte, dropped_bytes: entry.gap.droppedBytes },
    ...archivedEnd(entry),
    duration_ms: entry.durationMs,
    names,
  };
}
