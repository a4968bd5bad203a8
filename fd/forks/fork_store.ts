/**
 * A store that starts with the fds of another one, under the same ids, and then goes its own way (FORMAT.md, "Forked
 * stores").
 *
 * Content and index of an fd that has ended are never written again, so both stores name the same files. Records are
 * appended to, so each store has its own. The new store is made aside and appears whole, by one rename.
 *
 * @module
 */

import { checkPath } from "../disk/check_path.ts";
import { Buffer } from "node:buffer";
import { constants } from "node:fs";
import { basename, join } from "node:path";
import { listNames, nameLine } from "../store/bind_name.ts";
import { readCheckedLog } from "../store/checked_log.ts";
import { highestId, highestNumber, readFloor, writeFloor, writeHint } from "../store/claim_id.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError, systemCode } from "../disk/errors.ts";
import { entryOf, isAlive, settle } from "../records/find_fd.ts";
import { listIds, namesIn } from "../records/list_fds.ts";
import { openStore, type Store } from "../store/open_store.ts";
import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import {
  makePrivateDirectories,
  makePrivateDirectory,
  NO_FOLLOW,
  openPrivate,
} from "../disk/private_files.ts";
import { randomName } from "../disk/random_name.ts";
import { decodeLog } from "../records/record_log.ts";
import { readListing } from "../records/shard_listing.ts";
import { copyFile, shareFile } from "./share_file.ts";
import {
  contentPath,
  fdNumbers,
  indexPath,
  inquiryNumbers,
  journalNumbers,
  listingPath,
  namePath,
  namesPath,
  recordPath,
  shardName,
  shardPath,
  shardsPath,
  temporaryDirectory,
  versionPath,
} from "../store/store_paths.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { writeWhole } from "../disk/write_whole.ts";

/** What a forked store was given. */
export interface ForkReport {
  /** The new store. */
  store: Store;
  /** Fds that are not removed. */
  fdCount: number;
  /** Fds whose tombstones came along. */
  removedCount: number;
  /** Names that are bound in both. */
  nameCount: number;
  /** The largest id that is taken in both; each goes on from there. */
  highestId: number;
  /** Fds that were being written: the new store has what had arrived, as incomplete. */
  snapshotIds: number[];
  /** Bytes of content that had to be copied instead of shared; 0 where all is shared. */
  copiedBytes: number;
  /** Why files could not be shared, as the system says it: EXDEV for another file system. */
  copyReason: string | undefined;
}

/** What a forked store is to hold. */
export interface ForkOptions {
  /** The fds it is given; all of them unless given. Its new ids are above all of the other store's in either case. */
  ids?: readonly number[] | undefined;
  /** Puts more into the new store before it appears; where this throws, it never does. */
  addTo?: ((store: Store) => void) | undefined;
}

/**
 * Makes a store in the directory `path` (which may be there, but holds no store yet) that starts with fds of `store`,
 * under the same ids. From then on neither changes what the other has.
 *
 * @throws {FdError} `file_exists` where `path` holds a store; what reading the one and writing the other throw.
 */
export function forkStore(store: Store, path: string, { ids, addTo }: ForkOptions = {}): ForkReport {
  checkPath(path);
  const aside = asideOf(path);
  try {
    if (disk.lstat(versionPath(path), { throwIfNoEntry: false }) !== undefined) {
      fail({ kind: "file_exists", path: versionPath(path) });
    }
    makePrivateDirectories(shardsPath(aside));
    makePrivateDirectory(temporaryDirectory(aside));
    const making: Store = { path: aside, limits: store.limits };
    const report = fill(store, making, ids);
    addTo?.(making);
    appear(aside, path);
    return { ...report, store: openStore(path, store.limits) };
  } catch (thrown) {
    dropAside(aside);
    if (thrown instanceof FdError) throw thrown;
    return fail(failureOfSystem(thrown, "write", "make the store", path));
  }
}

/** Where a store is made before it appears: beside it in its own directory, so that a rename suffices. */
function asideOf(path: string): string {
  return join(path, `.fork-${process.pid}-${randomName()}`);
}

/** What cannot be removed is litter that no store knows of; why the fork failed is what is told. */
function dropAside(aside: string): void {
  try {
    disk.removeTree(aside, { recursive: true, force: true });
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
  }
}

function appear(aside: string, path: string): void {
  try {
    disk.rename(versionPath(aside), versionPath(path));
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ENOTEMPTY" || code === "EEXIST") fail({ kind: "file_exists", path: versionPath(path) });
    throw thrown;
  }
  disk.rmdir(aside);
}

type Filling = Omit<ForkReport, "store">;

function fill(from: Store, to: Store, chosen: readonly number[] | undefined): Filling {
  // Fixed first: what is claimed from now on is the business of one store alone.
  const highest = highestId(from);
  const report: Filling = {
    fdCount: 0,
    removedCount: 0,
    nameCount: 0,
    highestId: highest,
    snapshotIds: [],
    copiedBytes: 0,
    copyReason: undefined,
  };
  const ids = (chosen ?? listIds(from)).filter((id) => id <= highest);
  let shard: Shard | undefined;
  for (const id of ids) {
    if (shard === undefined || shardName(id) !== shard.name) {
      makePrivateDirectory(shardPath(to.path, id));
      shard = openShard(from, to, shardName(id), chosen === undefined ? highest : 0);
    }
    carry(from, to, id, shard, report);
  }
  carryNames(from, to, new Set(ids), report);
  const floor = chosen === undefined ? readFloor(from) : highest;
  if (floor > 0) writeFloor(to, fdNumbers(), floor);
  writeHint(to, fdNumbers(), highest + 1);
  // Steps and questions are the other store's; their numbers mean nothing else here.
  for (const numbers of [journalNumbers(), inquiryNumbers()]) {
    const last = highestNumber(from, numbers);
    if (last === 0) continue;
    makePrivateDirectory(numbers.shardsPath(to.path));
    writeFloor(to, numbers, last);
  }
  return report;
}

/** What is known of the fds of a shard without looking at each. */
interface Shard {
  name: string;
  /** The files that are there: looking in vain for the index of each small fd would cost as much as all the rest. */
  files: ReadonlySet<string>;
  /** The fds that are known to have ended. */
  listed: ReadonlySet<number>;
}

function openShard(from: Store, to: Store, name: string, highest: number): Shard {
  const files = new Set(namesIn(join(shardsPath(from.path), name)));
  return { name, files, listed: shareListing(from, to, name, highest) };
}

/** Gives fd `id`, as its record says it is now, to the new store. */
function carry(from: Store, to: Store, id: number, shard: Shard, report: Filling): void {
  let record = recordOf(from, id);
  if (record === undefined) return;
  if (!shard.listed.has(id) && !hasSeal(record) && !hasTomb(record)) {
    const log = decodeLog(record);
    const isLive = log.claim === undefined || isAlive(from, id, log.claim.writer);
    // One whose writer died is ended first, as whoever meets it does.
    if (!isLive) entryOf(from, id, log);
    record = recordOf(from, id) ?? record;
    if (!hasSeal(record)) {
      if (snapshot(from, to, id, record, report)) return;
      record = recordOf(from, id) ?? record;
    }
  }
  if (!hasTomb(record)) {
    const isThere = share(contentPath(from.path, id), contentPath(to.path, id), report);
    const index = indexPath(from.path, id);
    // One that came later is rebuilt.
    if (isThere && shard.files.has(basename(index))) share(index, indexPath(to.path, id), report);
    // Removed meanwhile: its tombstone was there before its content went.
    if (!isThere) record = recordOf(from, id) ?? record;
  }
  writeNew(recordPath(to.path, id), record);
  if (hasTomb(record)) report.removedCount++;
  else report.fdCount++;
}

const SEAL = Buffer.from('"event":"seal"');
const TOMB = Buffer.from('"event":"tomb"');
const LINE_FEED = 0x0a;

/** Whether the record says that its fd has ended: decoding 100,000 records would take longer than all the rest. */
function hasSeal(record: Buffer): boolean {
  return record.includes(SEAL) && record[record.length - 1] === LINE_FEED;
}

function hasTomb(record: Buffer): boolean {
  return record.includes(TOMB) && decodeLog(record).tomb !== undefined;
}

function recordOf(store: Store, id: number): Buffer | undefined {
  const record = readCheckedLog(recordPath(store.path, id), `fd:${id}`);
  return record && Buffer.from(record.buffer, record.byteOffset, record.byteLength);
}

/** Shares a file; answers whether it was there. */
function share(from: string, to: string, report: Filling): boolean {
  const shared = shareFile(from, to);
  if (shared.how === "copied") {
    report.copiedBytes += shared.byteCount;
    report.copyReason ??= shared.code;
  }
  return shared.how !== "missing";
}

/**
 * What has arrived of an fd that is still being written, as an incomplete one that will not grow. False where it ended
 * meanwhile, which may have put other content in the place of what was copied: then it is to be taken as it is now.
 */
function snapshot(from: Store, to: Store, id: number, record: Buffer, report: Filling): boolean {
  const size = disk.lstat(contentPath(from.path, id), { throwIfNoEntry: false })?.size ?? 0;
  const copiedBytes = copyFile(contentPath(from.path, id), contentPath(to.path, id), size) ?? 0;
  if (hasSeal(recordOf(from, id) ?? record)) {
    unlinkIfThere(contentPath(to.path, id));
    return false;
  }
  const { claim } = decodeLog(record);
  report.copiedBytes += copiedBytes;
  writeNew(recordPath(to.path, id), record);
  settle(to, id, claim?.page_size ?? DEFAULT_PAGE_SIZE, claim !== undefined);
  report.fdCount++;
  report.snapshotIds.push(id);
  return true;
}

/**
 * Shares the cache of a shard, which is replaced whole when it changes; answers the ids that it knows. One that knows an
 * fd that is newer than the fork is left out: in the new store, that id will mean something else.
 */
function shareListing(from: Store, to: Store, shard: string, highest: number): Set<number> {
  const path = listingPath(to.path, shard);
  if (highest === 0) return new Set();
  try {
    disk.link(listingPath(from.path, shard), path);
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return new Set();
  }
  const ids = readListing(to, shard).map(({ id }) => id);
  if (ids.every((id) => id <= highest)) return new Set(ids);
  unlinkIfThere(path);
  return new Set();
}

function carryNames(from: Store, to: Store, ids: ReadonlySet<number>, report: Filling): void {
  const names = listNames(from).filter(({ id }) => ids.has(id));
  if (names.length > 0) makePrivateDirectory(namesPath(to.path));
  for (const { name, id, boundMs } of names) {
    const path = namePath(to.path, name);
    writeNew(path, Buffer.from(nameLine(name, id)));
    disk.utimes(path, boundMs / 1000, boundMs / 1000);
    report.nameCount++;
  }
}

function writeNew(path: string, bytes: Buffer): void {
  const file = openPrivate(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
  try {
    writeWhole(file, bytes);
  } finally {
    disk.close(file);
  }
}
