/**
 * The files of an fd of this host, as an uploader reads them. They may get the id that the fd won while they are read.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { closeReader, inFile, isThere, readAt } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { attempt, fail } from "../disk/errors.ts";
import { openReader } from "../disk/private_files.ts";
import { entryOf } from "../records/find_fd.ts";
import { readLog } from "../records/record_log.ts";
import type { PendingUpload } from "../shared/pending_upload.ts";
import type { UploadSource } from "../shared/publish_fd.ts";
import { openContent } from "../slices/open_content.ts";
import { readCheckedLog } from "../store/checked_log.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, indexPath, packPath, recordPath } from "../store/store_paths.ts";

const NOTHING = new Uint8Array();

/** An {@link UploadSource} with open files. */
export interface LocalSource extends UploadSource {
  close(): void;
}

/** The id under which all files of a pending fd are found. */
function placeOf(store: Store, { localId, claimedId }: PendingUpload): number {
  return claimedId === undefined || isThere(recordPath(store.path, localId)) ? localId : claimedId;
}

/**
 * Opens the files of `pending`; `store` is the cache without its shared side. While the fd is written, only its first
 * `stableBytes` are there: a size limit may replace what follows.
 */
export function openLocal(store: Store, pending: PendingUpload, stableBytes: number): LocalSource {
  const id = () => placeOf(store, pending);
  const isPacked = isThere(packPath(store.path, id())) && !isThere(contentPath(store.path, id()));
  const path = () => (isPacked ? packPath : contentPath)(store.path, id());
  let file: number | undefined;
  const opened = (): number => file ??= openReader(path());
  let isSettled = false;
  const settled = () => {
    const log = readLog(store, id());
    if (log === undefined) return fail({ kind: "not_found", fd: formatFd(id()), highestId: 0 });
    // Seals it if its writer died.
    const entry = entryOf(store, id(), log);
    if (entry.state !== "live" && !isSettled) {
      // The content may have been joined with its tail, which replaces the file.
      if (file !== undefined) closeReader(file);
      file = undefined;
      isSettled = true;
    }
    return entry;
  };
  return {
    form: isPacked ? "pack" : "plain",
    record: () => readCheckedLog(recordPath(store.path, id()), formatFd(id())) ?? NOTHING,
    index() {
      const entry = settled();
      if (entry.byteCount <= BLOCK_BYTES) return NOTHING;
      // Rebuilds the index if a full disk has prevented it.
      openContent(store, entry).close();
      const path = indexPath(store.path, entry.id);
      return inFile(openReader(path), (indexFile) => {
        const bytes = new Uint8Array(disk.fstat(indexFile).size);
        fill(indexFile, bytes, 0, path);
        return bytes;
      });
    },
    hasEnded: () => isSettled || settled().state !== "live",
    byteCount() {
      const byteCount = isThere(path()) ? disk.fstat(opened()).size : 0;
      return isSettled ? byteCount : Math.min(byteCount, stableBytes);
    },
    read(fromByte, byteCount, bytes = new Uint8Array(byteCount)) {
      if (byteCount > 0) fill(opened(), bytes, fromByte, path());
      return bytes;
    },
    close() {
      if (file !== undefined) closeReader(file);
      file = undefined;
    },
  };
}

function fill(file: number, bytes: Uint8Array, fromByte: number, path: string): void {
  const length = attempt("read", "share", path, () => readAt(file, bytes, fromByte));
  if (length < bytes.length) fail({ kind: "read_error", path, action: "share", code: "EIO" });
}
