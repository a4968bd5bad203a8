/**
 * Checks the cache of a shared store. What is not there is not damage: it is fetched when it is read. Damage is dropped, so that
 * it is fetched again; fds that are only on this host are checked like those of a local store.
 */

import { BLOCK_BYTES, blockSum } from "../../bytes/block_sum.ts";
import { inFile, readAt, unlinkIfExists } from "../../disk/file_calls.ts";
import { disk } from "../../disk/disk.ts";
import { atEnd, ifPossible } from "../../disk/errors.ts";
import type { OnProgress } from "../../disk/on_progress.ts";
import { bytesOfFile, openReader } from "../../disk/private_files.ts";
import { totalsOfBlock } from "../../index/block_totals.ts";
import {
  type BlockIndex,
  DamagedIndex,
  ENTRIES_PER_PAGE,
  openIndex,
  PAGE_BYTES,
} from "../../index/index_file.ts";
import type { FdEntry } from "../../records/fd_entry.ts";
import { entryOf } from "../../records/find_fd.ts";
import { listIds } from "../../records/list_fds.ts";
import { readContentInRecord } from "../../records/object_record.ts";
import { readLog } from "../../records/record_log.ts";
import { isKeptOnHost } from "../../store/fd_id.ts";
import type { Store } from "../../store/open_store.ts";
import { originPath, pendingDirectory } from "../../store/cache_paths.ts";
import { contentPath, indexPath, packPath, recordPath } from "../../store/store_paths.ts";
import { checkLogs, type LogJudge } from "../../upkeep/check_logs.ts";
import { addFinding, type CheckReport, type Finding, isRepaired } from "../../upkeep/check_report.ts";
import { checkFd } from "../../upkeep/check_store.ts";
import { dropEmptyNote, emptyNotes, pendingIds } from "./pending_fds.ts";

/** Checks the cache `store`, which is given without its shared side. With `repair`, drops what is damaged. */
export async function checkCache(
  store: Store,
  { repair, judgeLog, onProgress }: { repair: boolean; judgeLog: LogJudge; onProgress?: OnProgress },
): Promise<CheckReport> {
  const report: CheckReport = { fdCount: 0, byteCount: 0, findings: [] };
  const own = pendingIds(store);
  for (const id of listIds(store)) {
    if (isKeptOnHost(id) || own.has(id)) await checkFd(store, id, repair, report);
    else checkCached({ store, id, repair, report });
    onProgress?.(report.byteCount);
  }
  checkLogs(store, judgeLog, report);
  for (const name of emptyNotes(store)) {
    const repaired = repair && isRepaired(() => dropEmptyNote(store, name));
    const path = `${pendingDirectory(store.path)}/${name}`;
    addFinding(report, "writer_died", path, "a note about an fd that was never stored", { repaired });
  }
  return report;
}

/** The check of one fd. */
interface FdCheck {
  store: Store;
  id: number;
  repair: boolean;
  report: CheckReport;
}

function checkCached(check: FdCheck): void {
  const { store, id, report } = check;
  const log = ifPossible(() => readLog(store, id));
  const record = recordPath(store.path, id);
  // Dropped by another process since the ids were listed.
  if (log === undefined && disk.lstat(record, { throwIfNoEntry: false }) === undefined) return;
  report.fdCount++;
  if (log === undefined || log.damagedBytes > 0 || log.claim === undefined && log.tomb === undefined) {
    return dropFd(check, "record_damaged", record, "the record is damaged");
  }
  // An fd that another host is writing has no sums yet.
  if (log.tomb !== undefined || log.seal === undefined) return;
  const entry = entryOf(store, id, log);
  if (entry.inRecord !== undefined) {
    const size = log.object?.contentBytes ?? 0;
    const content = readContentInRecord(record, entry.inRecord.fromByte, size);
    return checkSmall(check, entry, content, record);
  }
  const path = contentPath(store.path, id);
  const size = disk.lstat(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return;
  if (size !== entry.byteCount) {
    return dropFd(check, "content_damaged", path, `${size} bytes, expected ${entry.byteCount}`);
  }
  if (size <= BLOCK_BYTES) return checkSmall(check, entry, bytesOfFile(path, size), path);
  const index = openIndex(indexPath(store.path, id), Math.ceil(size / BLOCK_BYTES));
  if (index === undefined) {
    return dropFd(check, "index_damaged", indexPath(store.path, id), "missing, or of another length");
  }
  using _index = atEnd(index.close);
  checkBlocks(check, entry, index, path);
}

function checkSmall(check: FdCheck, entry: FdEntry, content: Uint8Array, path: string): void {
  check.report.byteCount += content.length;
  const isRight = content.length === entry.byteCount &&
    totalsOfBlock(content, entry.pageSize).sum === entry.sum;
  if (!isRight) {
    dropFd(check, "content_damaged", path, `its ${content.length} bytes differ from those stored`);
  }
}

/** Compares the blocks that are there with their sums, as far as the index is there. */
function checkBlocks(check: FdCheck, { byteCount }: FdEntry, index: BlockIndex, path: string): void {
  const { store, id, report } = check;
  const pagesAt: number[] = [];
  const blocksAt: number[] = [];
  inFile(openReader(path), (file) => {
    const bytes = new Uint8Array(BLOCK_BYTES);
    for (let block = 0; block < index.blockCount; block++) {
      // If that of the first block of a page is readable, the others of the page are.
      if (ifPossible(() => index.at(block), DamagedIndex) === undefined) {
        const pageAt = block / ENTRIES_PER_PAGE * PAGE_BYTES;
        if (!isHole(bytesOfFile(indexPath(store.path, id), PAGE_BYTES, pageAt))) pagesAt.push(pageAt);
        block += ENTRIES_PER_PAGE - 1;
        continue;
      }
      const fromByte = block * BLOCK_BYTES;
      const part = bytes.subarray(0, Math.min(BLOCK_BYTES, byteCount - fromByte));
      const got = readAt(file, part, fromByte);
      if (blockSum(part.subarray(0, got)) === index.at(block).blockSum) report.byteCount += got;
      else if (!isHole(part)) blocksAt.push(fromByte);
    }
  });
  const places = (at: number[], what: string) =>
    `${at.length} ${what} do not match their sums, the first at byte ${at[0]}`;
  if (pagesAt.length > 0) {
    dropFd(check, "index_damaged", indexPath(store.path, id), places(pagesAt, "pages of the index"));
  }
  if (blocksAt.length > 0) dropFd(check, "content_damaged", path, places(blocksAt, "blocks"));
}

function isHole(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Reports damage, and drops all files of an fd: what is read of it is fetched again. */
function dropFd(
  { store, id, repair, report }: FdCheck,
  problem: Finding["problem"],
  path: string,
  what: string,
): void {
  const repaired = repair && isRepaired(() => {
    // The record goes first: an fd whose record is there may lack its other files.
    for (const each of [recordPath, contentPath, packPath, indexPath, originPath]) {
      unlinkIfExists(each(store.path, id));
    }
  });
  const detail = repaired ? `${what}; dropped, it is fetched again` : what;
  addFinding(report, problem, path, detail, { id, repaired });
}
