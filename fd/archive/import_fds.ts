/**
 * Takes in an archive of fds (FORMAT.md, "Archives"). Everything in it is held against what it must be: headers byte
 * by byte, contents against their sums. Content is kept aside until the whole archive is right; only then are ids taken,
 * and the content moved to them. An id of the other store means nothing here, so each fd gets a new one.
 *
 * @module
 */

import { refuseArgument } from "../disk/check_argument.ts";
import { Buffer } from "node:buffer";
import type { Hash } from "node:crypto";
import { constants } from "node:fs";
import { appendLine, writeLine } from "../records/append_record.ts";
import {
  type ArchivedFd,
  decodeManifest,
  type Manifest,
  MANIFEST_NAME,
  memberOf,
  secondsOf,
  SUMS_NAME,
  sumsText,
} from "./archive_manifest.ts";
import { bindName, readName } from "../store/bind_name.ts";
import { claimId } from "../store/claim_id.ts";
import { closeReader } from "../disk/close_reader.ts";
import { disk } from "../disk/disk.ts";
import { fail, failureOfSystem, FdError } from "../disk/errors.ts";
import { describeFd, type FdEntry } from "../records/fd_entry.ts";
import { formatFd } from "../store/fd_id.ts";
import { type IndexWriter, startIndex } from "../index/index_file.ts";
import { moveIfThere } from "../disk/move_if_there.ts";
import { makeStore, type Store } from "../store/open_store.ts";
import { NO_FOLLOW, openPrivate } from "../disk/private_files.ts";
import type { ClaimLine, SealLine } from "../records/record_line.ts";
import { dropContent } from "../upkeep/remove_fd.ts";
import { type ScanTotals, startScan } from "../index/scan_text.ts";
import { sealLine } from "../records/seal_line.ts";
import { contentPath, indexPath, namePath, temporaryPath } from "../store/store_paths.ts";
import { readTarHeader, TAR_BLOCK_BYTES, TAR_END, tarHeader, tarPadding } from "./tar_header.ts";
import { unlinkIfThere } from "../disk/unlink_if_there.ts";
import { writeWhole } from "../disk/write_whole.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** Reads what comes next of an archive into `into`; answers how many bytes came, 0 at the end. */
export type ReadArchive = (into: Uint8Array) => number;

/** An fd that was taken in. */
export interface Imported {
  /** What it is here. */
  entry: FdEntry;
  /** Its id in the store that it comes from. */
  oldId: number;
  /** Names that came with it, and are bound to it here. */
  names: string[];
  /** Names that are bound to other fds here, and stay so. */
  takenNames: string[];
}

/**
 * Takes in all fds of an archive, or, if anything is wrong with it, none.
 *
 * @throws {FdError} `archive_truncated`, `archive_malformed`, `archive_mismatch`; `invalid_parameter` for an fd that is
 * over the store's limit; what reading the archive throws; `storage_full`, `permission_error`, `write_error`.
 */
export async function importFds(store: Store, read: ReadArchive): Promise<Imported[]> {
  if (typeof read !== "function") refuseArgument("read", read, "a function that fills a Uint8Array");
  // Dear at start-up, and wanted here alone.
  const { createHash } = await import("node:crypto");
  const startHash: StartHash = () => createHash("sha256");
  const archive = openArchive(read);
  const staged: Staged[] = [];
  try {
    const manifest = readManifest(archive, startHash);
    for (const fd of manifest.fds) checkSize(store, fd);
    if (manifest.fds.length > 0) makeStore(store);
    for (const fd of manifest.fds) {
      archive.expect(tarHeader(memberOf(fd)), "a header");
      staged.push(stage(store, archive, fd, startHash));
      archive.expect(Buffer.alloc(tarPadding(fd.bytes)), "what follows a content");
    }
    archive.expect(TAR_END, "the end");
    archive.expectNothing();
    return settleIn(store, staged);
  } finally {
    for (const { content, index } of staged) {
      unlinkIfThere(content);
      unlinkIfThere(index);
    }
  }
}

type StartHash = () => Hash;

/** An archive that is read once, from its beginning to its end. */
interface Archive {
  readonly byteOffset: number;
  /** Fills `into`. */
  fill(into: Uint8Array): void;
  /** Reads as many bytes as `wanted` has, which they must be. */
  expect(wanted: Buffer, what: string): void;
  expectNothing(): void;
}

function openArchive(read: ReadArchive): Archive {
  let byteOffset = 0;
  const fill = (into: Uint8Array) => {
    for (let length = 0; length < into.length;) {
      const got = read(into.subarray(length));
      if (got === 0) fail({ kind: "archive_truncated", byteCount: byteOffset });
      length += got;
      byteOffset += got;
    }
  };
  return {
    get byteOffset() {
      return byteOffset;
    },
    fill,
    expect(wanted, what) {
      const at = byteOffset;
      const bytes = Buffer.alloc(wanted.length);
      fill(bytes);
      if (!bytes.equals(wanted)) {
        fail({ kind: "archive_malformed", byteOffset: at, what: `${what} is not what it must be` });
      }
    },
    expectNothing() {
      if (read(new Uint8Array(1)) > 0) {
        fail({ kind: "archive_malformed", byteOffset, what: "something follows its end" });
      }
    },
  };
}

/** The most that a manifest, or the list of sums, may take: some 100,000 fds. */
const MOST_MANIFEST_BYTES = 64 * 2 ** 20;

function readManifest(archive: Archive, startHash: StartHash): Manifest {
  const sums = readSmall(archive, SUMS_NAME);
  const manifestAt = archive.byteOffset;
  const { bytes, mtimeSeconds } = readSmall(archive, MANIFEST_NAME);
  const malformed = (what: string): never =>
    fail({ kind: "archive_malformed", byteOffset: manifestAt, what });
  const sha256 = startHash().update(bytes).digest("hex");
  const wanted = sums.bytes.toString("latin1", 0, 64);
  if (sha256 !== wanted) {
    fail({ kind: "archive_mismatch", member: "manifest.json", unit: "sha256", got: sha256, wanted });
  }
  const manifest = decodeManifest(bytes);
  if (typeof manifest === "string") return malformed(manifest);
  if (sums.bytes.toString() !== sumsText(manifest, sha256)) {
    malformed("the list of sums is not the manifest's");
  }
  const seconds = secondsOf(manifest.exported);
  if (mtimeSeconds !== seconds || sums.mtimeSeconds !== seconds) malformed("the time is not the manifest's");
  return manifest;
}

/** A member that is read whole: its name is known, its size is not. */
function readSmall(archive: Archive, name: string): { bytes: Buffer; mtimeSeconds: number } {
  const at = archive.byteOffset;
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  archive.fill(block);
  const member = readTarHeader(block);
  if (member?.name !== name) {
    return fail({ kind: "archive_malformed", byteOffset: at, what: `${name} does not stand there` });
  }
  if (member.byteCount > MOST_MANIFEST_BYTES) {
    return fail({ kind: "archive_malformed", byteOffset: at, what: `${name} is too large` });
  }
  const bytes = Buffer.alloc(member.byteCount);
  archive.fill(bytes);
  archive.expect(Buffer.alloc(tarPadding(bytes.length)), "what follows a content");
  return { bytes, mtimeSeconds: member.mtimeSeconds };
}

function checkSize(store: Store, fd: ArchivedFd): void {
  const { maxBytes } = store.limits;
  if (maxBytes === 0 || fd.bytes <= maxBytes) return;
  fail({
    kind: "invalid_parameter",
    field: `${formatFd(fd.id)} of the archive`,
    got: `${fd.bytes} bytes`,
    wanted: `at most ${maxBytes} bytes (FDTOOL_MAX_BYTES; 0 for no limit)`,
  });
}

/** Content that is on the disk and right, and not yet an fd. */
interface Staged {
  fd: ArchivedFd;
  content: string;
  index: string;
  totals: ScanTotals;
}

/** Writes the content of `fd` aside, scanned and indexed on the way, and holds it against its sums. */
function stage(store: Store, archive: Archive, fd: ArchivedFd, startHash: StartHash): Staged {
  const content = temporaryPath(store.path, "import");
  const indexAt = temporaryPath(store.path, "index");
  const hash = startHash();
  let file: number | undefined;
  let index: IndexWriter | undefined;
  try {
    file = openPrivate(content, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW);
    index = startIndex(indexAt);
    const scan = startScan({ pageSize: fd.page_size, onEntry: index.add });
    for (let byteCount = 0; byteCount < fd.bytes;) {
      const window = scan.window();
      const bytes = window.subarray(0, Math.min(window.length, fd.bytes - byteCount));
      archive.fill(bytes);
      hash.update(bytes);
      writeWhole(file, bytes);
      scan.accept(bytes.length);
      byteCount += bytes.length;
    }
    const totals = scan.end();
    index.end(false);
    index = undefined;
    disk.close(file);
    file = undefined;
    checkTotals(fd, totals, hash.digest("hex"));
    return { fd, content, index: indexAt, totals };
  } catch (thrown) {
    if (file !== undefined) closeReader(file);
    index?.abandon();
    unlinkIfThere(content);
    unlinkIfThere(indexAt);
    if (thrown instanceof FdError) throw thrown;
    return fail(failureOfSystem(thrown, "write", "store", content));
  }
}

function checkTotals(fd: ArchivedFd, totals: ScanTotals, sha256: string): void {
  const compare = (unit: string, got: string | number, wanted: string | number) => {
    if (got === wanted) return;
    fail({
      kind: "archive_mismatch",
      member: formatFd(fd.id),
      unit,
      got: String(got),
      wanted: String(wanted),
    });
  };
  compare("sha256", sha256, fd.sha256);
  compare("chars", totals.charCount, fd.chars);
  compare("line_feeds", totals.lineFeedCount, fd.line_feeds);
  compare("lines", totals.lineCount, fd.lines);
  compare("pages", totals.pageCount, fd.pages);
}

/** Makes fds of all that was staged. Where the disk fails in the middle of it, those that were made are removed again. */
function settleIn(store: Store, staged: readonly Staged[]): Imported[] {
  const newIds = new Map<number, number>();
  const boundNames: string[] = [];
  try {
    const entries = staged.map((each) => makeFd(store, each, newIds));
    return staged.map(({ fd }, at) => {
      const entry = entries[at]!;
      const takenNames = fd.names.filter((name) => readName(store, name) !== undefined);
      const names = fd.names.filter((name) => !takenNames.includes(name));
      for (const name of names) {
        boundNames.push(name);
        bindName(store, name, entry.id);
      }
      return { entry, oldId: fd.id, names, takenNames };
    });
  } catch (thrown) {
    takeBack(store, boundNames, [...newIds.values()]);
    throw thrown;
  }
}

/** `newIds` says which id each fd of the archive got; this one is added as soon as it has one. */
function makeFd(store: Store, { fd, content, index, totals }: Staged, newIds: Map<number, number>): FdEntry {
  const { id, recordFile } = claimId(store);
  const parent = parentHere(fd, newIds);
  newIds.set(fd.id, id);
  const claim: ClaimLine = {
    event: "claim",
    at: fd.created,
    source: fd.source,
    page_size: fd.page_size,
    command: fd.command,
    cwd: fd.cwd,
    parent,
    imported_at: Date.now(),
    writer: thisWriter(),
  };
  const seal: SealLine = {
    ...sealLine(totals, { incomplete: fd.ended === "incomplete" }, fd.gap),
    exit_code: fd.exit_code,
    signal: fd.signal,
    duration_ms: fd.duration_ms,
  };
  try {
    try {
      writeLine(recordFile, claim);
      disk.rename(content, contentPath(store.path, id));
      moveIfThere(index, indexPath(store.path, id));
      writeLine(recordFile, seal);
      writeLine(recordFile, { event: "digest", sha256: fd.sha256 });
    } finally {
      disk.close(recordFile);
    }
  } catch (thrown) {
    fail(failureOfSystem(thrown, "write", "store", contentPath(store.path, id)));
  }
  return describeFd(store, id, { claim, digest: { event: "digest", sha256: fd.sha256 } }, seal);
}

/** Where it was extracted from, if that came along before it; else that fd means nothing here. */
function parentHere({ parent }: ArchivedFd, newIds: ReadonlyMap<number, number>): ClaimLine["parent"] {
  const id = parent === undefined ? undefined : newIds.get(parent.id);
  return parent === undefined || id === undefined ? undefined : { ...parent, id };
}

/** On a disk that fails this may fail too; then it stays as what it is, and the import still tells why it failed. */
function takeBack(store: Store, names: readonly string[], ids: readonly number[]): void {
  try {
    for (const name of names) unlinkIfThere(namePath(store.path, name));
    for (const id of ids) {
      appendLine(store, id, { event: "tomb", at: Date.now(), why: "its import failed", bytes: 0 }, false);
      dropContent(store, id);
    }
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
  }
}
