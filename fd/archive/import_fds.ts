/**
 * Imports an archive of fds (FORMAT.md, "Archives"). Everything in it is verified: headers byte by byte, contents
 * against their sums. Content is stored in temporary files until the whole archive is verified; only then are ids
 * claimed and the content moved. Each fd gets a new id, since ids of another store mean nothing here.
 */

import { Buffer } from "node:buffer";
import { writeCheckedLine } from "../store/checked_log.ts";
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
import { bindForAll, readName } from "../store/bind_name.ts";
import { claimFd } from "../store/claim_id.ts";
import { FILE_MODE } from "../disk/private_files.ts";
import { closeReader, inWritten, moveIfPossible } from "../disk/file_calls.ts";
import { disk } from "../disk/disk.ts";
import { nodeCrypto } from "../disk/loaded_late.ts";
import { attempt, fail, failureOfSystem, refuse } from "../disk/errors.ts";
import { describeFd, type FdEntry, sealLine } from "../records/fd_entry.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Store } from "../store/open_store.ts";
import type { OnProgress } from "../disk/on_progress.ts";
import { type ContentInRecord, readContentInRecord, writeObject } from "../records/object_record.ts";
import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { type ClaimLine, type DigestLine, momentNow, type SealLine } from "../records/record_line.ts";
import { CLAIMING_MODE, claimTogether, withStaging } from "../upkeep/unfinished_imports.ts";
import type { ScanTotals } from "../index/scan_text.ts";
import { contentPathIn } from "../store/further_paths.ts";
import { contentPath, indexPath } from "../store/store_paths.ts";
import { readTarHeader, TAR_BLOCK_BYTES, TAR_END, tarHeader, tarPadding } from "./tar_header.ts";
import { type ContentSink, endSink, feedSink, openSink, windowOf } from "../put/content_sink.ts";
import { shareSealed } from "../put/share_sealed.ts";
import { thisWriter } from "../store/writer_identity.ts";

/** Reads the next bytes of an archive into `into`. Returns how many were read, 0 at the end. */
export type ReadArchive = (into: Uint8Array) => number;

/** An fd that an import made. */
export interface Imported {
  /** The new fd. */
  entry: FdEntry;
  /** Its id in the store that exported it. */
  oldId: number;
  /** Names from the archive that were bound to it. */
  names: string[];
  /** Names from the archive that already belong to other fds here. */
  takenNames: string[];
}

/**
 * Imports all fds of an archive or, if anything is wrong with it, none. `onProgress` gets the archive's bytes.
 *
 * @throws {FdError} `archive_truncated`, `archive_malformed`, `archive_mismatch`; `invalid_parameter` for an fd above
 * the store's size limit; whatever `read` throws; `storage_full`, `permission_error`, `write_error`.
 */
export async function importFds(
  store: Store,
  read: ReadArchive,
  onProgress?: OnProgress,
): Promise<Imported[]> {
  let totalBytes: number | undefined = undefined;
  const total = () => totalBytes;
  const archive = openArchive(read, (doneBytes) => onProgress?.(doneBytes, total));
  const manifest = readManifest(archive);
  for (const fd of manifest.fds) checkSize(store, fd);
  totalBytes = archive.byteOffset + membersBytes(manifest);
  return await withStaging(store, async (directory) => {
    const staged = manifest.fds.map((fd) => {
      archive.expect(tarHeader(memberOf(fd)), "a header");
      const content = stage(directory, archive, fd);
      archive.expect(Buffer.alloc(tarPadding(fd.bytes)), "the padding after a content");
      return content;
    });
    archive.expect(TAR_END, "the end");
    archive.expectNothing();
    return await claimTogether(store, directory, (note) => createFds(store, staged, note));
  });
}

function startHash() {
  return nodeCrypto().createHash("sha256");
}

/** An archive, read once from start to end. */
type Archive = ReturnType<typeof openArchive>;

/** The bytes of an archive after its manifest. */
function membersBytes({ fds }: Manifest): number {
  const bytesOf = ({ bytes }: ArchivedFd) => TAR_BLOCK_BYTES + bytes + tarPadding(bytes);
  return fds.reduce((sum, fd) => sum + bytesOf(fd), TAR_END.length);
}

function openArchive(read: ReadArchive, onBytes: (doneBytes: number) => void) {
  let byteOffset = 0;
  const fill = (into: Uint8Array) => {
    for (let length = 0; length < into.length;) {
      const got = read(into.subarray(length));
      if (got === 0) fail({ kind: "archive_truncated", byteCount: byteOffset });
      length += got;
      byteOffset += got;
      onBytes(byteOffset);
    }
  };
  return {
    get byteOffset() {
      return byteOffset;
    },
    fill,
    /** Reads `wanted.length` bytes, which must equal `wanted`. */
    expect(wanted: Buffer, what: string): void {
      const at = byteOffset;
      const bytes = Buffer.alloc(wanted.length);
      fill(bytes);
      if (!bytes.equals(wanted)) failMalformed(at, `${what} is invalid`);
    },
    expectNothing(): void {
      if (read(new Uint8Array(1)) > 0) failMalformed(byteOffset, "data follows its end");
    },
  };
}

function failMalformed(byteOffset: number, what: string): never {
  fail({ kind: "archive_malformed", byteOffset, what });
}

/** Maximum size of a manifest or list of sums: about 100,000 fds. */
const MAX_MANIFEST_BYTES = 64 * 2 ** 20;

function readManifest(archive: Archive): Manifest {
  const sums = readSmall(archive, SUMS_NAME);
  const manifestAt = archive.byteOffset;
  const { bytes, mtimeSeconds } = readSmall(archive, MANIFEST_NAME);
  const sha256 = startHash().update(bytes).digest("hex");
  const wanted = sums.bytes.toString("latin1", 0, 64);
  if (sha256 !== wanted) {
    fail({ kind: "archive_mismatch", member: "manifest.json", unit: "sha256", got: sha256, wanted });
  }
  const manifest = decodeManifest(bytes);
  if (typeof manifest === "string") failMalformed(manifestAt, manifest);
  if (sums.bytes.toString() !== sumsText(manifest, sha256)) {
    failMalformed(manifestAt, "the list of sums does not match the manifest");
  }
  const seconds = secondsOf(manifest.exported);
  if (mtimeSeconds !== seconds || sums.mtimeSeconds !== seconds) {
    failMalformed(manifestAt, "the time does not match the manifest");
  }
  return manifest;
}

/** Reads a whole member of known name and unknown size. */
function readSmall(archive: Archive, name: string): { bytes: Buffer; mtimeSeconds: number } {
  const at = archive.byteOffset;
  const block = Buffer.alloc(TAR_BLOCK_BYTES);
  archive.fill(block);
  const member = readTarHeader(block);
  if (member?.name !== name) failMalformed(at, `expected ${name}`);
  if (member.byteCount > MAX_MANIFEST_BYTES) failMalformed(at, `${name} is too large`);
  const bytes = Buffer.alloc(member.byteCount);
  archive.fill(bytes);
  archive.expect(Buffer.alloc(tarPadding(bytes.length)), "the padding after a content");
  return { bytes, mtimeSeconds: member.mtimeSeconds };
}

function checkSize(store: Store, fd: ArchivedFd): void {
  const { maxBytes } = store.limits;
  if (maxBytes === 0 || fd.bytes <= maxBytes) return;
  const wanted = `at most ${maxBytes} bytes (FDTOOL_MAX_BYTES; 0 for no limit)`;
  refuse(`${formatFd(fd.id)} of the archive`, `${fd.bytes} bytes`, wanted);
}

/** Verified content on disk that is not an fd yet. */
type Staged = ReturnType<typeof stage>;

/** Writes the content of `fd` to a temporary file, scans and indexes it, and compares it with its sums. */
function stage(directory: string, archive: Archive, fd: ArchivedFd) {
  const content = contentPathIn(directory, fd.id);
  const index = `${content}.idx`;
  const hash = startHash();
  let sink: ContentSink | undefined;
  try {
    sink = openSink(content, index, fd.page_size);
    while (sink.byteCount < fd.bytes) {
      const window = windowOf(sink);
      const bytes = window.subarray(0, Math.min(window.length, fd.bytes - sink.byteCount));
      archive.fill(bytes);
      hash.update(bytes);
      feedSink(sink, window, bytes.length);
    }
    const totals = endSink(sink, false);
    checkTotals(fd, totals, hash.digest("hex"));
    disk.close(sink.file);
    return { fd, content, index, totals };
  } catch (thrown) {
    if (sink !== undefined) closeReader(sink.file);
    sink?.long?.index.abandon();
    return fail(failureOfSystem(thrown, "write", "store", content, "content"));
  }
}

function checkTotals(fd: ArchivedFd, totals: ScanTotals, sha256: string): void {
  const member = formatFd(fd.id);
  const compare = (unit: string, got: string | number, wanted: string | number) => {
    if (got === wanted) return;
    fail({ kind: "archive_mismatch", member, unit, got: String(got), wanted: String(wanted) });
  };
  compare("sha256", sha256, fd.sha256);
  compare("chars", totals.charCount, fd.chars);
  compare("line_feeds", totals.lineFeedCount, fd.line_feeds);
  compare("lines", totals.lineCount, fd.lines);
  compare("pages", totals.pageCount, fd.pages);
}

/** Turns staged content into fds. */
async function createFds(
  store: Store,
  staged: readonly Staged[],
  note: (id: number) => void,
): Promise<Imported[]> {
  const newIds = new Map<number, number>();
  const imported: Imported[] = [];
  for (const each of staged) {
    const made = makeFd(store, each, newIds, note);
    const entry = await shareSealed(store, made);
    if (entry.id !== made.id) note(entry.id);
    newIds.set(each.fd.id, entry.id);
    imported.push({ entry, oldId: each.fd.id, names: [], takenNames: [] });
  }
  await store.backend.refresh({ kind: "names" });
  for (const [at, { entry, names, takenNames }] of imported.entries()) {
    for (const name of staged[at]!.fd.names) {
      if (readName(store, name) !== undefined) takenNames.push(name);
      else {
        await bindForAll(store, name, entry.id);
        names.push(name);
      }
    }
  }
  return imported;
}

/** `newIds` maps ids of the archive to new ones. */
function makeFd(
  store: Store,
  { fd, content, index, totals }: Staged,
  newIds: ReadonlyMap<number, number>,
  note: (id: number) => void,
): FdEntry {
  const { id, recordFile } = claimFd(store, fd.source, CLAIMING_MODE);
  const parent = parentHere(fd, newIds);
  const claim: ClaimLine = {
    event: "claim",
    at: fd.created,
    source: fd.source,
    page_size: fd.page_size,
    command: fd.command,
    cwd: fd.cwd,
    parent,
    imported_at: momentNow(),
    writer: thisWriter(),
  };
  const end = { exit_code: fd.exit_code, signal: fd.signal, duration_ms: fd.duration_ms };
  const seal: SealLine = { ...sealLine(totals, { incomplete: fd.ended === "incomplete" }, fd.gap), ...end };
  const digest: DigestLine = { event: "digest", sha256: fd.sha256 };
  let object: { inRecord: ContentInRecord } | undefined;
  attempt("write", "store", contentPath(store.path, id), () => {
    inWritten(recordFile, () => {
      note(id);
      disk.fchmod(recordFile, FILE_MODE);
      if (totals.byteCount <= BLOCK_BYTES && store.backend.keepsSmallInRecords) {
        const bytes = readContentInRecord(content, 0, totals.byteCount);
        object = { inRecord: writeObject(recordFile, id, { claim, seal, digest }, bytes) };
      } else {
        writeCheckedLine(recordFile, claim);
        disk.rename(content, contentPath(store.path, id));
        moveIfPossible(index, indexPath(store.path, id));
        writeCheckedLine(recordFile, seal);
        writeCheckedLine(recordFile, digest);
      }
    });
  }, "content");
  return describeFd(store, id, { claim, digest, object }, seal);
}

/** Returns the parent if it was imported before this fd; a parent outside the archive is dropped. */
function parentHere({ parent }: ArchivedFd, newIds: ReadonlyMap<number, number>): ClaimLine["parent"] {
  const id = parent === undefined ? undefined : newIds.get(parent.id);
  return parent === undefined || id === undefined ? undefined : { ...parent, id };
}
