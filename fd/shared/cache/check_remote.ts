/**
 * Checks the objects of a shared store: each fd object and its segments are read completely, and then checked by the rules of a
 * local store (`fd/upkeep/check_store.ts`), as files of a store that is made for that. Changes nothing there.
 */

import { BLOCK_BYTES, blockSum } from "../../bytes/block_sum.ts";
import { joinBytes } from "../../bytes/utf8_bytes.ts";
import { inFile, unlinkIfExists } from "../../disk/file_calls.ts";
import { disk } from "../../disk/disk.ts";
import { atEnd, fail, failureIn, failureOfSystem, ifPossible } from "../../disk/errors.ts";
import type { OnProgress } from "../../disk/on_progress.ts";
import { openReader } from "../../disk/private_files.ts";
import { DamagedIndex, openIndex } from "../../index/index_file.ts";
import { objectParts } from "../../packs/object_form.ts";
import type { StoredLine } from "../../records/record_line.ts";
import { type ListedObject, listPages, type ObjectStore } from "../remote/object_store.ts";
import { readShared, readWholeObject, type SharedFd, stateOf, unlessDamaged } from "../objects/fd_object.ts";
import { inParallel } from "../objects/in_parallel.ts";
import {
  FD_PREFIX,
  idOfKey,
  nameKey,
  OFFLINE_PREFIX,
  segmentKey,
  segmentsPrefix,
  STORE_KEY,
} from "../objects/shared_keys.ts";
import { listSharedNames } from "../objects/shared_names.ts";
import { readSharedStore } from "../objects/store_object.ts";
import { segmentsThere } from "../objects/upload_segments.ts";
import { encodeCheckedLine } from "../../store/checked_log.ts";
import type { Store } from "../../store/open_store.ts";
import { contentPath, indexPath, packPath, recordPath } from "../../store/store_paths.ts";
import { addFinding, type CheckReport, type Finding } from "../../upkeep/check_report.ts";
import { checkFd } from "../../upkeep/check_store.ts";
import { makeShard, placeFile, placePart } from "./place_parts.ts";

/** Fds that are read at the same time, each with a piece of a segment in memory. */
const AT_ONCE = 3;
const PIECE_BYTES = 2 ** 20;
/** A larger object is checked alone: its record takes many times its size while it is decoded. */
const MAX_BESIDE_BYTES = 2 * 2 ** 20;
/** Maximum number of times that a changing object is read again. */
const MAX_TRIES = 3;
/** Bytes to read of an object if only its record is needed. */
const RECORD_BYTES = 4096;

/** Checks all fds and names of the shared store. `scratch` is an empty store for the fds under check. */
export async function checkRemote(
  objects: ObjectStore,
  scratch: Store,
  onProgress?: OnProgress,
): Promise<CheckReport> {
  let doneBytes = 0;
  const onBytes = (byteCount: number) => onProgress?.(doneBytes += byteCount);
  const report: CheckReport = { fdCount: 0, byteCount: 0, findings: [] };
  try {
    await checkStoreObject(objects, report);
    for (const prefix of [FD_PREFIX, OFFLINE_PREFIX]) {
      await checkAll(objects, scratch, prefix, report, onBytes);
    }
    await checkNames(objects, report);
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "keep what is verified", scratch.path));
  }
  return report;
}

async function checkStoreObject(objects: ObjectStore, report: CheckReport): Promise<void> {
  const store = objects.storeId === undefined && await unlessDamaged(
    () => readSharedStore(objects),
    ({ what }) => addFinding(report, "record_damaged", STORE_KEY, what),
  );
  if (store) objects.storeId = store.id;
}

async function checkAll(
  objects: ObjectStore,
  scratch: Store,
  prefix: string,
  report: CheckReport,
  onBytes: (byteCount: number) => void,
): Promise<void> {
  for await (const { objects: listed } of listPages(objects, prefix)) {
    const check = async ({ key, etag }: ListedObject) => {
      const one = await checkObject(objects, scratch, key, etag);
      onBytes(one.byteCount);
      return one;
    };
    const isLarge = ({ byteCount }: ListedObject) => byteCount > MAX_BESIDE_BYTES;
    const checked = await inParallel(listed.filter((each) => !isLarge(each)), AT_ONCE, check);
    checked.push(...await inParallel(listed.filter(isLarge), 1, check));
    for (const { fdCount, byteCount, findings } of checked) {
      report.fdCount += fdCount;
      report.byteCount += byteCount;
      for (const finding of findings) report.findings.push(finding);
    }
  }
}

/** Checks the object at `key`, which had `etag` when it was listed. */
async function checkObject(
  objects: ObjectStore,
  scratch: Store,
  key: string,
  etag: string | undefined,
): Promise<CheckReport> {
  const id = idOfKey(key);
  for (let tries = 1;; tries++) {
    const report: CheckReport = { fdCount: 0, byteCount: 0, findings: [] };
    if (id === undefined) {
      addFinding(report, "foreign_file", key, "not an object of the store; left alone");
      return report;
    }
    const check = { objects, scratch, id, key, report };
    try {
      const fd = await readWholeObject(objects, id);
      if (fd === undefined) return report;
      await checkWhole(check, fd);
      // Without this, several accumulate before the runtime collects garbage.
      fd.bytes.buffer.transfer(0);
    } catch (thrown) {
      found(check, "record_damaged", failureIn(thrown, "store_corrupt").what);
    } finally {
      for (const path of [recordPath, indexPath, contentPath, packPath]) {
        unlinkIfExists(path(scratch.path, id));
      }
    }
    if (report.findings.length === 0 || tries === MAX_TRIES) return report;
    // It may have been removed or sealed while it was read.
    const now = (await objects.head(key))?.etag;
    if (now === etag) return report;
    etag = now;
  }
}

/** The check of one fd. */
interface FdCheck {
  objects: ObjectStore;
  scratch: Store;
  id: number;
  key: string;
  report: CheckReport;
}

function found(
  { id, key, report }: FdCheck,
  problem: Finding["problem"],
  detail: string,
  path: string = key,
): void {
  addFinding(report, problem, path, detail, { id });
}

async function checkWhole(check: FdCheck, fd: SharedFd): Promise<void> {
  const { objects, scratch, id, report } = check;
  const { index, content } = objectParts(fd.bytes, fd.header);
  const { tomb, seal, stored } = fd.log;
  if (tomb !== undefined) {
    report.fdCount++;
    const left = stored && (await objects.list(segmentsPrefix(id, stored.data), undefined, 1)).objects[0];
    if (left === undefined) return;
    return found(check, "removal_unfinished", "the fd was removed but a segment still exists", left.key);
  }
  if (seal === undefined) {
    report.fdCount++;
    if (stored !== undefined) await checkSegmentsThere(check, stored);
    report.byteCount += (stored?.bytes ?? 0) + content.length;
    if (stateOf(fd) === "live") return;
    return found(check, "writer_died", `${(stored?.bytes ?? 0) + content.length} bytes stored`);
  }
  makeShard(scratch, id);
  if (index.length > 0) placeFile(scratch, indexPath(scratch.path, id), index);
  const path = (stored?.form === "pack" ? packPath : contentPath)(scratch.path, id);
  if (stored !== undefined && !await fetchSegments(check, stored, path)) {
    report.fdCount++;
    return;
  }
  if (stored === undefined && content.length > 0) placeFile(scratch, path, content);
  // Of the lines those that say something about content: a forged record may have any number of others.
  const claim = { ...fd.log.claim, command: undefined };
  const lines = fd.log.digest === undefined ? [claim, seal] : [claim, seal, fd.log.digest];
  const record = joinBytes(lines.map((line) => encodeCheckedLine(line)));
  placeFile(scratch, recordPath(scratch.path, id), record);
  const before = report.findings.length;
  await checkFd(scratch, id, false, report);
  const findings = report.findings.splice(before);
  for (const finding of findings) {
    const isContent = stored !== undefined && finding.problem.startsWith("content_");
    const segments = isContent ? damagedSegments(scratch, id, path, stored, seal.bytes) : [];
    for (const segment of segments) report.findings.push({ ...finding, path: segment });
    if (segments.length > 0) continue;
    report.findings.push({ ...finding, path: isContent ? segmentsPrefix(id, stored.data) : check.key });
  }
}

/** An fd that is still being written has no sums, so only lengths are checked. */
async function checkSegmentsThere(check: FdCheck, { data, segment_bytes, bytes }: StoredLine): Promise<void> {
  if (bytes === 0) return;
  const isThere = await segmentsThere(check.objects, check.id, data);
  for (let segment = 0; segment * segment_bytes < bytes; segment++) {
    const byteCount = Math.min(segment_bytes, bytes - segment * segment_bytes);
    if (isThere(segment, byteCount)) continue;
    const key = segmentKey(check.id, data, segment);
    found(check, "content_missing", "the segment is missing or too short", key);
  }
}

/** Fetches all segments into the file at `path`. Returns false if one is missing or too short. */
async function fetchSegments(check: FdCheck, stored: StoredLine, path: string): Promise<boolean> {
  const { data, segment_bytes: segmentBytes, bytes } = stored;
  let isWhole = true;
  for (let from = 0, end = 0; from < bytes; from = end) {
    const segment = Math.floor(from / segmentBytes);
    const [key, at] = [segmentKey(check.id, data, segment), segment * segmentBytes];
    const wanted = Math.min(segmentBytes, bytes - at);
    end = Math.min(from + PIECE_BYTES, at + wanted);
    const part = await check.objects.get(key, { from: from - at, byteCount: end - from });
    if (part?.byteCount !== wanted) {
      end = at + wanted;
      isWhole = false;
      const has = part === null ? "is missing" : `has ${part.byteCount} bytes`;
      const problem = part === null ? "content_missing" : "content_damaged";
      found(check, problem, `the segment of ${wanted} bytes ${has}`, key);
    } else placePart(path, bytes, from, part.bytes);
  }
  return isWhole;
}

/** Returns the keys of the segments with damaged blocks; none if the index cannot tell. */
function damagedSegments(
  { path: root }: Store,
  id: number,
  path: string,
  { data, segment_bytes: segmentBytes, form }: StoredLine,
  byteCount: number,
): string[] {
  const index = form === "pack"
    ? undefined
    : openIndex(indexPath(root, id), Math.ceil(byteCount / BLOCK_BYTES));
  if (index === undefined) return [];
  const keys = new Set<string>();
  using _index = atEnd(index.close);
  const compare = (file: number) => {
    const bytes = new Uint8Array(BLOCK_BYTES);
    for (let block = 0; block < index.blockCount; block++) {
      const fromByte = block * BLOCK_BYTES;
      const got = disk.read(file, bytes, 0, Math.min(BLOCK_BYTES, byteCount - fromByte), fromByte);
      const isRight = blockSum(bytes.subarray(0, got)) === index.at(block).blockSum;
      if (!isRight) keys.add(segmentKey(id, data, Math.floor(fromByte / segmentBytes)));
    }
  };
  ifPossible(() => inFile(openReader(path), compare), DamagedIndex);
  return [...keys];
}

/** Reports damaged names, and names of fds that are removed or do not exist. */
async function checkNames(objects: ObjectStore, report: CheckReport): Promise<void> {
  const onDamaged = (key: string) => addFinding(report, "name_damaged", key, "the name's object is damaged");
  const names = await listSharedNames(objects, new Map(), onDamaged);
  await inParallel(names, AT_ONCE, async ({ name, id }) => {
    // A damaged one is reported with the fd.
    const fd = await unlessDamaged(() => readShared(objects, id, RECORD_BYTES), () => "damaged" as const);
    if (fd === "damaged" || fd !== undefined && fd.log.tomb === undefined) return;
    const detail = fd === undefined ? "bound to an unknown fd" : "bound to a removed fd";
    addFinding(report, "name_dangling", nameKey(name), detail, { id });
  });
}
