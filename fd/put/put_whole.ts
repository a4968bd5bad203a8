/**
 * Stores content that is complete before its id is claimed, and no longer than a block: one file, one write (FORMAT.md,
 * "One file for a small fd"). The fd is there whole or not at all.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { closeReader, isThere, syncDirectory, truncateTo } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { attempt, fail, failureOfSystem, ifPossible, orUndo } from "../disk/errors.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import { writeCheckedLine } from "../store/checked_log.ts";
import { describeFd, type FdEntry, type PutEnd, sealLine } from "../records/fd_entry.ts";
import { type ContentInRecord, writeObject } from "../records/object_record.ts";
import type { ClaimLine } from "../records/record_line.ts";
import { bindName } from "../store/bind_name.ts";
import { type Claim, claimFd } from "../store/claim_id.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath, recordPath, shardPath } from "../store/store_paths.ts";
import { claimLine, type PutOptions } from "./put_options.ts";

/** Whether content of `byteCount` bytes, none of which a size limit drops, is stored in its record. */
export function fitsInRecord(store: Store, byteCount: number, { maxBytes }: PutOptions): boolean {
  const most = maxBytes ?? store.limits.maxBytes;
  // What is shared is published from its content file.
  if (!store.backend.keepsSmallInRecords) return false;
  return byteCount <= BLOCK_BYTES && (most === 0 || byteCount <= most);
}

/**
 * Stores `bytes`, which must fit in the record, as a new fd. `options` must have been checked.
 *
 * @throws {FdError} like `beginPut` and `seal`. If the disk fails, the id stays used up, for an incomplete fd without
 * content.
 */
export function putWhole(store: Store, bytes: Uint8Array, options: PutOptions, end: PutEnd = {}): FdEntry {
  const claim = claimLine(options);
  const totals = totalsOfBlock(bytes, claim.page_size);
  const { id, recordFile } = claimUnused(store, options.source);
  const seal = sealLine(totals, end, undefined);
  let inRecord: ContentInRecord;
  try {
    inRecord = writeObject(recordFile, id, { claim, seal }, bytes);
    if (options.durable === true) {
      disk.fsync(recordFile);
      syncDirectory(shardPath(store.path, id));
    }
    disk.close(recordFile);
  } catch (thrown) {
    leaveEmpty(recordFile, claim);
    return fail(failureOfSystem(thrown, "write", "store", recordPath(store.path, id), "content"));
  }
  if (seal.ended === "whole") { for (const name of options.names ?? []) bindName(store, name, id); }
  return describeFd(store, id, { claim, digest: undefined, object: { inRecord } }, seal);
}

/** Claims an id that has no content: if another fd's record was lost, its id is not reused. */
function claimUnused(store: Store, source: string): Claim {
  for (;;) {
    const claimed = claimFd(store, source);
    const path = contentPath(store.path, claimed.id);
    const isUnused = () => attempt("write", "look for content", path, () => !isThere(path));
    if (orUndo(isUnused, () => closeReader(claimed.recordFile))) return claimed;
    closeReader(claimed.recordFile);
  }
}

/** Leaves an fd that says what it was for, if that can be written. */
function leaveEmpty(recordFile: number, claim: ClaimLine): void {
  const seal = sealLine(totalsOfBlock(new Uint8Array(), claim.page_size), { incomplete: true }, undefined);
  ifPossible(() => {
    truncateTo(recordFile, 0);
    writeCheckedLine(recordFile, claim);
    writeCheckedLine(recordFile, seal);
  });
  closeReader(recordFile);
}
