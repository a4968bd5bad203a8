/**
 * Creates a store that starts with the fds of another one, under the same ids, and is independent from then on
 * (FORMAT.md, "Forked stores").
 *
 * Content and index of an ended fd are never written again, so both stores share those files. Records are appended
 * to, so each store has its own. Files of a cache are copied, since parts are written into them. The new store is
 * built in a temporary directory and appears complete, by one rename.
 */

import { checkPath } from "../disk/check_argument.ts";
import { Buffer } from "node:buffer";
import { basename, join } from "node:path";
import { listNames, nameLine } from "../store/bind_name.ts";
import { readCheckedLog } from "../store/checked_log.ts";
import { highestId, highestNumber, readFloor, writeFloor, writeHint } from "../store/claim_id.ts";
import { disk } from "../disk/disk.ts";
import { atEnd, attempt, fail, failureOfSystem, ifPossible, orUndo, systemCode } from "../disk/errors.ts";
import { entryOf, isAlive, settle } from "../records/find_fd.ts";
import {
  closeReader,
  inWritten,
  namesIn,
  randomName,
  unlinkIfExists,
  writeWhole,
} from "../disk/file_calls.ts";
import { listIds } from "../records/list_fds.ts";
import { LOCAL } from "../store/backend.ts";
import { isOffline } from "../store/fd_id.ts";
import { openStore, type Store } from "../store/open_store.ts";
import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import {
  makePrivateDirectories,
  makePrivateDirectory,
  NO_FOLLOW,
  openPrivate,
  openReader,
  writePrivate,
} from "../disk/private_files.ts";
import { decodeLog } from "../records/record_log.ts";
import { noteRemoved, openListing } from "../records/shard_listing.ts";
import { isObjectForm } from "../packs/object_form.ts";
import { firstId, listingPath, NUMBERS } from "../store/further_paths.ts";
import {
  contentPath,
  FD_NUMBERS,
  indexPath,
  namePath,
  namesPath,
  packPath,
  recordPath,
  shardName,
  shardPath,
  shardsPath,
  temporaryDirectory,
  versionPath,
} from "../store/store_paths.ts";
import { constants } from "node:fs";

/** The result of a fork. */
export interface ForkReport {
  /** The new store. */
  store: Store;
  /** Fds that are not removed. */
  fdCount: number;
  /** Removed fds, whose tombstones were copied. */
  removedCount: number;
  /** Names bound in both stores. */
  nameCount: number;
  /** The highest id used in both; each continues from it. */
  highestId: number;
  /** Fds that were being written: the new store has their content so far, as incomplete. */
  snapshotIds: number[];
  /** Bytes of content that were copied because they could not be shared. */
  copiedBytes: number;
  /** System error code that prevented sharing: EXDEV for another file system. */
  copyReason: string | undefined;
}

/** Options of a fork. */
export interface ForkOptions {
  /** Fds to include; defaults to all. In either case new ids are above all of the source store's. */
  ids?: readonly number[] | undefined;
  /** Of a cache, with `ids`: the highest id of the shared store that is known. */
  highestId?: number | undefined;
  /** Called to add to the new store before it appears. If it throws, the store is not created. */
  addTo?: ((store: Store) => void) | undefined;
}

/**
 * Creates a store in the directory `path` (which may exist, but must not contain a store) with fds of `store`, under
 * the same ids. From then on neither store's changes affect the other.
 *
 * @throws {FdError} `file_exists` if `path` contains a store; failures of reading one store or writing the other.
 */
export function forkStore(store: Store, path: string, options: ForkOptions = {}): ForkReport {
  checkPath(path);
  // Inside of `path`, so that a rename within one file system completes the fork.
  const aside = join(path, `.fork-${process.pid}-${randomName()}`);
  // The caller reports why the fork failed, and no store knows of leftovers.
  const dropAside = () => ifPossible(() => disk.removeTree(aside, { recursive: true, force: true }));
  const make = () => {
    if (disk.lstat(versionPath(path), { throwIfNoEntry: false }) !== undefined) {
      fail({ kind: "file_exists", path: versionPath(path) });
    }
    makePrivateDirectories(shardsPath(aside));
    makePrivateDirectory(temporaryDirectory(aside));
    const making: Store = { path: aside, limits: store.limits, backend: LOCAL };
    const report = fill(store, making, options);
    options.addTo?.(making);
    appear(aside, path);
    return { ...report, store: openStore(path, store.limits) };
  };
  return attempt("write", "create the child's store", path, () => orUndo(make, dropAside));
}

function appear(aside: string, path: string): void {
  const rename = () => (disk.rename(versionPath(aside), versionPath(path)), true);
  if (!ifPossible(rename, "ENOTEMPTY", "EEXIST")) fail({ kind: "file_exists", path: versionPath(path) });
  disk.rmdir(aside);
}

type Filling = Omit<ForkReport, "store">;

function fill(from: Store, to: Store, { ids: chosen, highestId: known }: ForkOptions): Filling {
  // Read first: ids claimed from now on belong to one store only.
  const highest = known ?? highestId(from);
  const counts = { fdCount: 0, removedCount: 0, nameCount: 0, copiedBytes: 0, copyReason: undefined };
  const report: Filling = { ...counts, highestId: highest, snapshotIds: [] };
  const ids = (chosen ?? listIds(from)).filter((id) => id <= highest || isOffline(id));
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
  if (floor > 0) writeFloor(to, FD_NUMBERS, floor);
  writeHint(to, FD_NUMBERS, highest + 1);
  // Transactions and inquiries stay in the source store; their numbers are not reused here.
  for (const numbers of Object.values(NUMBERS)) {
    const last = highestNumber(from, numbers);
    if (last === 0) continue;
    makePrivateDirectory(shardsPath(to.path, numbers));
    writeFloor(to, numbers, last);
  }
  return report;
}

/** Facts about a shard's fds that need no record. */
type Shard = ReturnType<typeof openShard>;

function openShard(from: Store, to: Store, name: string, highest: number) {
  return {
    name,
    /** Existing files. Looking for the missing index of each small fd would cost as much as all the rest. */
    files: new Set(namesIn(join(shardsPath(from.path), name))),
    /** Fds that are known to have ended. */
    listed: shareListing(from, to, name, highest),
    /** Whether files may be linked: not those of a cache. */
    mayLink: from.backend.hasWholeFiles,
  };
}

/** Copies or shares fd `id`, as its record describes it now, into the new store. */
function carry(from: Store, to: Store, id: number, shard: Shard, report: Filling): void {
  let record = recordOf(from, id);
  if (record === undefined) return;
  if (isObjectForm(record)) return carryObject(to, id, record, report);
  if (!shard.listed.has(id) && !hasSeal(record) && !hasTomb(record)) {
    const log = decodeLog(record);
    const isElsewhere = from.backend.writerElsewhere(id) !== undefined;
    const isLive = isElsewhere || log.claim === undefined || isAlive(from, id, log.claim.writer);
    // If its writer died, seal it first, as every reader does.
    if (!isLive) entryOf(from, id, log);
    record = recordOf(from, id) ?? record;
    if (!hasSeal(record)) {
      if (snapshot(from, to, id, record, report)) return;
      record = recordOf(from, id) ?? record;
    }
  }
  if (!hasTomb(record)) {
    // Packing puts the packed form in place before it removes the plain one.
    const { mayLink } = shard;
    const exists = share(contentPath(from.path, id), contentPath(to.path, id), report, mayLink) ||
      share(packPath(from.path, id), packPath(to.path, id), report, mayLink);
    const index = indexPath(from.path, id);
    // An index that was created since is rebuilt.
    if (exists && shard.files.has(basename(index))) share(index, indexPath(to.path, id), report, mayLink);
    // Removed meanwhile: the tombstone is written before the content is deleted.
    if (!exists) record = recordOf(from, id) ?? record;
  }
  writePrivate(recordPath(to.path, id), record);
  if (!hasTomb(record)) report.fdCount++;
  else {
    report.removedCount++;
    if (shard.listed.has(id)) noteRemoved(to, id);
  }
}

/** Copies a record that has the content too: lines may be appended to it. If it is cut off, so is the copy. */
function carryObject(to: Store, id: number, record: Buffer, report: Filling): void {
  writePrivate(recordPath(to.path, id), record);
  report.fdCount++;
}

const SEAL = Buffer.from('"event":"seal"');
const TOMB = Buffer.from('"event":"tomb"');
const LINE_FEED = 0x0a;

/**
 * Whether the record has a seal. Searches text, since decoding 100,000 records would take longer than all the rest.
 */
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

/**
 * Shares a file, which then has a name in each store: as a hard link or, if the file system cannot link, as a copy. Only files
 * that are never written in place may be linked: sealed content, its index. Returns whether it existed.
 */
function share(from: string, to: string, report: Filling, mayLink: boolean): boolean {
  let code: string | undefined;
  if (mayLink) {
    try {
      disk.link(from, to);
      return true;
    } catch (thrown) {
      code = systemCode(thrown);
      if (code === undefined || code === "EEXIST") fail(failureOfSystem(thrown, "write", "create", to));
      // Errors that also affect a copy are reported by it, in more detail.
    }
  }
  const byteCount = copyFile(from, to, Infinity);
  if (byteCount === undefined) return false;
  report.copiedBytes += byteCount;
  report.copyReason ??= code;
  return true;
}

/**
 * Copies the content so far of an fd that is being written, as an incomplete fd. Returns false if the fd ended
 * meanwhile, which may have replaced the content that was copied; the caller must read it again.
 */
function snapshot(from: Store, to: Store, id: number, record: Buffer, report: Filling): boolean {
  const size = disk.lstat(contentPath(from.path, id), { throwIfNoEntry: false })?.size ?? 0;
  const copiedBytes = copyFile(contentPath(from.path, id), contentPath(to.path, id), size) ?? 0;
  if (hasSeal(recordOf(from, id) ?? record)) {
    unlinkIfExists(contentPath(to.path, id));
    return false;
  }
  const { claim } = decodeLog(record);
  report.copiedBytes += copiedBytes;
  writePrivate(recordPath(to.path, id), record);
  settle(to, id, claim?.page_size ?? DEFAULT_PAGE_SIZE, claim !== undefined);
  report.fdCount++;
  report.snapshotIds.push(id);
  return true;
}

/**
 * Shares the listing of a shard, which is always replaced as a whole. Returns its ids. A listing with an fd newer
 * than the fork is not shared: in the new store that id will be another fd.
 */
function shareListing(from: Store, to: Store, shard: string, highest: number): Set<number> {
  const path = listingPath(to.path, shard);
  if (highest === 0) return new Set();
  const ids = new Set<number>();
  if (ifPossible(() => (disk.link(listingPath(from.path, shard), path), true)) !== true) return ids;
  const first = firstId(shard);
  openListing(to, shard)?.isListed.forEach((isListed, place) => {
    if (isListed === 1) ids.add(first + place);
  });
  if (![...ids].some((id) => id > highest)) return ids;
  unlinkIfExists(path);
  return new Set();
}

function carryNames(from: Store, to: Store, ids: ReadonlySet<number>, report: Filling): void {
  const names = listNames(from).filter(({ id }) => ids.has(id));
  if (names.length > 0) makePrivateDirectory(namesPath(to.path));
  for (const { name, id, boundMs } of names) {
    const path = namePath(to.path, name);
    writePrivate(path, Buffer.from(nameLine(name, id)));
    disk.utimes(path, boundMs / 1000, boundMs / 1000);
    report.nameCount++;
  }
}

const COPY_BYTES = 262_144;

/**
 * Copies the first `mostBytes` bytes of a file, at most, to a new private one. Clones the file if the file system can
 * (whole files only), and preserves holes: runs of zeros are not written. Returns the size of the copy, or undefined
 * if `from` does not exist.
 */
function copyFile(from: string, to: string, mostBytes: number): number | undefined {
  const source = attempt("read", "open", from, () => ifPossible(() => openReader(from), "ENOENT"));
  if (source === undefined) return undefined;
  using _source = atEnd(() => closeReader(source));
  if (mostBytes === Infinity && cloneFile(from, to)) return disk.stat(to).size;
  return copyBytes(source, from, to, mostBytes);
}

/** Deno copies, and fills holes, even if told to clone or fail. */
const CLONES = process.versions["deno"] === undefined;

function cloneFile(from: string, to: string): boolean {
  if (!CLONES) return false;
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE;
  const isCloned = ifPossible(() =>
    ifPossible(() => (disk.copyFile(from, to, flags), true), "EEXIST") ?? false
  );
  if (isCloned === undefined) disk.removeTree(to, { force: true });
  return isCloned === true;
}

function copyBytes(source: number, from: string, to: string, mostBytes: number): number {
  const piece = Buffer.allocUnsafe(COPY_BYTES);
  const zeros = Buffer.alloc(COPY_BYTES);
  // Not for appending, which would fill the holes.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  return attempt("write", "copy", to, () =>
    inWritten(openPrivate(to, flags), (target) => {
      for (let byteCount = 0, length = 0;; byteCount += length) {
        const most = Math.min(piece.length, mostBytes - byteCount);
        length = attempt("read", "copy", from, () => disk.read(source, piece, 0, most, byteCount));
        const bytes = piece.subarray(0, length);
        if (!bytes.equals(zeros.subarray(0, length))) writeWhole(target, bytes, length, byteCount);
        if (length > 0) continue;
        disk.ftruncate(target, byteCount);
        return byteCount;
      }
    }));
}
