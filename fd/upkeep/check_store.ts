/**
 * Checks a whole store: every record, every byte of content, every index entry, every name. On request it repairs
 * what it can: rebuilds an index, seals the fd of a dead writer, finishes interrupted removals. Damaged content
 * cannot be repaired; it is reported, and reading it keeps failing.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { addFinding, type CheckReport, type Finding, isRepaired } from "./check_report.ts";
import { checkFiles, checkNames } from "./check_files.ts";
import { checkLogs, type LogJudge } from "./check_logs.ts";
import { highestId, readFloor } from "../store/claim_id.ts";
import { sha256Of } from "../slices/digest_fd.ts";
import type { OnProgress } from "../disk/on_progress.ts";
import { disk } from "../disk/disk.ts";
import { ifPossible, systemCode, undefinedIf } from "../disk/errors.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { entryOf, isBeingWritten } from "../records/find_fd.ts";
import { DamagedIndex, openIndex } from "../index/index_file.ts";
import { listIds } from "../records/list_fds.ts";
import { openContent } from "../slices/open_content.ts";
import { type Store } from "../store/open_store.ts";
import { readSlice } from "../slices/read_slice.ts";
import { readLog, type RecordLog } from "../records/record_log.ts";
import { dropContent } from "./remove_fd.ts";
import { isThere, unlinkIfExists } from "../disk/file_calls.ts";
import { type ContentInRecord, readContentInRecord } from "../records/object_record.ts";
import { totalsOfBlock } from "../index/block_totals.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { scanFile } from "../index/scan_file.ts";
import { type BlockEntry, sameEntry } from "../index/block_entries.ts";
import {
  contentPath,
  IDS_PER_SHARD,
  indexPath,
  packBeside,
  packPath,
  recordPath,
} from "../store/store_paths.ts";
import { damagedFilters } from "../packs/frame_filter.ts";
import {
  closeStored,
  DamagedPack,
  openStored,
  type PackedContent,
  type StoredContent,
} from "../packs/stored_content.ts";
import { damagedParts } from "../slices/damaged_part.ts";

/**
 * Checks everything; with `repair`, repairs what it can. `judgeLog` returns what is wrong with the lines of a
 * transaction's or inquiry's log.
 */
export async function checkStore(
  store: Store,
  how: { repair: boolean; judgeLog?: LogJudge; onProgress?: OnProgress },
): Promise<CheckReport> {
  let doneBytes = 0;
  const onBytes = (byteCount: number) => how.onProgress?.(doneBytes += byteCount);
  const report: CheckReport = { fdCount: 0, byteCount: 0, findings: [] };
  const ids = new Set(listIds(store));
  const claimed = highestId(store);
  const floor = readFloor(store);
  // A record far beyond the others is foreign: the ids before it are not expected to exist.
  const near = [...ids].filter((id) => id <= claimed + IDS_PER_SHARD);
  const highest = near.reduce((highest, id) => Math.max(highest, id), claimed);
  for (let id = 1; id <= highest; id++) {
    // Other processes may claim ids during the check.
    if (ids.has(id) || isThere(recordPath(store.path, id))) {
      await checkFd(store, id, how.repair, report, onBytes);
    } else if (id > floor) {
      addFinding(report, "record_missing", contentPath(store.path, id), "the record is missing", { id });
    }
  }
  for (const id of ids) if (id > highest) await checkFd(store, id, how.repair, report, onBytes);
  checkNames(store, report);
  checkLogs(store, how.judgeLog ?? (() => undefined), report);
  checkFiles(store, ids, how.repair, report);
  return report;
}

/** Checks one fd; see {@link checkStore}. `onBytes` gets what was read of the content, once for each byte in all. */
export async function checkFd(
  store: Store,
  id: number,
  repair: boolean,
  report: CheckReport,
  onBytes: (byteCount: number) => void = () => {},
): Promise<void> {
  const found: Found = (problem, path, detail, repaired) =>
    addFinding(report, problem, path, detail, { id, repaired });
  const path = contentPath(store.path, id);
  const record = recordPath(store.path, id);
  const log = ifPossible(() => readLog(store, id) ?? "none");
  if (log === "none") return;
  if (log === undefined) return found("record_damaged", record, "the record cannot be read");
  report.fdCount++;
  if (log.damagedBytes > 0) {
    found(
      "record_damaged",
      record,
      `${log.damagedBytes} bytes of the record are not valid lines; the rest is valid`,
    );
  } else if (log.claim === undefined && (disk.lstat(path, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    // Without content, the writer just died before its first line.
    found("record_damaged", record, "the record has no claim");
  }
  if (log.tomb !== undefined) {
    const left = [path, packPath(store.path, id)].find(isThere);
    if (left === undefined) return;
    const isFinished = repair && isRepaired(() => dropContent(store, id));
    return found("removal_unfinished", left, "the fd was removed but its content still exists", isFinished);
  }
  if (!repair && log.seal === undefined && log.object === undefined && !isBeingWritten(store, id)) {
    // Any reader seals such an fd; a check without repair leaves it unchanged.
    const byteCount = disk.lstat(path, { throwIfNoEntry: false })?.size ?? 0;
    report.byteCount += byteCount;
    return found("writer_died", path, `${byteCount} bytes stored; not sealed yet`);
  }
  const entry = ifPossible(() => entryOf(store, id, log));
  if (entry === undefined) return found("content_damaged", path, "the content cannot be read");
  if (log.seal === undefined && log.object !== undefined && entry.state === "incomplete") {
    found("writer_died", record, `${entry.byteCount} bytes stored`);
  } else if (log.seal === undefined && entry.state === "incomplete") {
    const isEnded = readLog(store, id)?.seal !== undefined;
    const ended = isEnded ? "sealed as incomplete" : "not sealed yet";
    found("writer_died", path, `${entry.byteCount} bytes stored; ${ended}`, isEnded);
  }
  if (entry.state !== "live") {
    const findings = report.findings.length;
    await checkContent({ store, entry, log, repair, found, onBytes });
    if (readLog(store, id)?.tomb !== undefined) {
      // Removed during the check, so its missing files are expected.
      report.findings.length = findings;
      return;
    }
  }
  report.byteCount += entry.byteCount;
}

interface ContentCheck {
  store: Store;
  entry: FdEntry;
  log: RecordLog;
  repair: boolean;
  found: Found;
  onBytes: (byteCount: number) => void;
}

async function checkContent(check: ContentCheck): Promise<void> {
  const { store, entry, log, repair, found } = check;
  if (entry.inRecord !== undefined) return await checkContentInRecord(check, entry.inRecord);
  // With a digest, content is read twice.
  const onBytes = (byteCount: number) => check.onBytes(log.digest === undefined ? byteCount : byteCount / 2);
  let path = entry.contentPath;
  if (entry.byteCount === 0 && !isThere(path)) return;
  const unreadable = `its ${entry.byteCount} bytes cannot be read`;
  let file: StoredContent | undefined;
  let index: ReturnType<typeof openIndex>;
  try {
    file = openStored(path, entry.byteCount);
    const packed = typeof file === "number" ? undefined : file;
    if (packed !== undefined) path = packBeside(path);
    const size = sizeOf(file);
    if (size === undefined) return found("content_damaged", path, "not a regular file");
    const blockCount = Math.ceil(entry.byteCount / BLOCK_BYTES);
    index = blockCount > 1 ? openIndex(indexPath(store.path, entry.id), blockCount) : undefined;
    let indexIsRight = blockCount <= 1 || index !== undefined;
    let block = 0;
    const compare = (entryOfBlock: BlockEntry) => {
      const isRight = () => index === undefined || sameEntry(index.at(block++), entryOfBlock);
      indexIsRight &&= ifPossible(isRight, DamagedIndex) ?? false;
    };
    const { pageSize, byteCount: toByte } = entry;
    const totals = scanFile(file, { pageSize, onEntry: compare, toByte, onBytes });
    if (!isAsStored(entry, size, totals)) {
      if (packed !== undefined) throw new DamagedPack("its content is damaged", 0, size);
      return found("content_damaged", path, differing(entry, size));
    }
    if (packed?.hasRightTable() === false) {
      const what = "the seek table of the packed content is damaged, or other bytes follow it";
      found("seek_table_damaged", path, `${what}; reads look for frames instead`);
    }
    if (packed !== undefined && damagedFilters(packed, entry).length > 0) {
      const what = "a filter of the packed content is damaged; searches unpack all its frames";
      found("filter_damaged", path, what);
    }
    if (!indexIsRight) {
      const isRebuilt = repair && rebuildIndex(store, entry);
      const what = "the index does not match the content";
      found("index_damaged", indexPath(store.path, entry.id), what, isRebuilt);
      // Content is read through its index, so a wrong index allows no sha-256.
      if (!isRebuilt) return;
    }
  } catch (thrown) {
    if (thrown instanceof DamagedPack) {
      const isOpen = file !== undefined && typeof file !== "number";
      const parts = isOpen && index !== undefined ? damagedParts(file as PackedContent, entry, index) : [];
      if (parts.length === 0) parts.push(isOpen ? unreadable : `${thrown.message}; ${unreadable}`);
      for (const part of parts) found("content_damaged", packBeside(entry.contentPath), part);
      return;
    }
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    const isMissing = file === undefined && code === "ENOENT";
    if (isMissing) found("content_missing", path, `its ${entry.byteCount} bytes are missing (${code})`);
    else found("content_damaged", path, `${unreadable} (${code})`);
    return;
  } finally {
    index?.close();
    if (file !== undefined) closeStored(file);
  }
  await checkDigest({ ...check, onBytes }, path);
}

type Found = (problem: Finding["problem"], path: string, detail: string, repaired?: boolean) => void;

async function checkDigest(
  { store, entry, log: { digest }, found, onBytes }: ContentCheck,
  path: string,
): Promise<void> {
  if (digest === undefined) return;
  const content = readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
  // It may have been removed during the check.
  const sha256 = await sha256Of(content.chunks(), onBytes).catch(undefinedIf("removed")) ?? digest.sha256;
  if (sha256 !== digest.sha256) found("digest_differs", path, `sha-256 is ${sha256}, was ${digest.sha256}`);
}

async function checkContentInRecord(check: ContentCheck, { fromByte }: ContentInRecord): Promise<void> {
  const { store, entry, log, found, onBytes } = check;
  const path = recordPath(store.path, entry.id);
  const size = log.object?.contentBytes ?? 0;
  const totals = totalsOfBlock(readContentInRecord(path, fromByte, size), entry.pageSize);
  onBytes(size);
  if (!isAsStored(entry, size, totals)) return found("content_damaged", path, differing(entry, size));
  await checkDigest({ ...check, onBytes: () => {} }, path);
}

/** Whether content of `size` bytes with these totals is what was stored. */
function isAsStored(entry: FdEntry, size: number, totals: ScanTotals): boolean {
  return size === entry.byteCount && totals.sum === entry.sum && totals.charCount === entry.charCount &&
    totals.lineFeedCount === entry.lineFeedCount && totals.pageCount === entry.pageCount;
}

function differing({ byteCount }: FdEntry, size: number): string {
  return `its ${size} bytes differ from the ${byteCount} bytes stored`;
}

/** Returns the plain bytes of open content; undefined if it is not a regular file. */
function sizeOf(file: StoredContent): number | undefined {
  if (typeof file !== "number") return file.byteCount;
  const stat = disk.fstat(file);
  return stat.isFile() ? stat.size : undefined;
}

/** Opening the content rebuilds a missing index. */
function rebuildIndex(store: Store, entry: FdEntry): boolean {
  return isRepaired(() => {
    unlinkIfExists(indexPath(store.path, entry.id));
    openContent(store, entry).close();
  });
}
