/**
 * What stands at the path that a write would change. All that comes after (checks, backup, the last look before the
 * rename) speaks of the file as it was inspected here.
 *
 * @module
 */

import { dirname } from "node:path";
import {
  closeReader,
  dataPath,
  disk,
  fail,
  failureOfSystem,
  formatFd,
  openRegular,
  otherKind,
  readSome,
  type Store,
  systemCode,
} from "../../../fd/mod.ts";
import { gatherBytes } from "./gather_bytes.ts";
import { bytesSource } from "./given_content.ts";
import type { FileIdentity } from "./journal.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";
import { refuse } from "../../terms/write_failure.ts";

/** A file as it was at one moment. */
export interface FileStamp {
  device: bigint;
  inode: bigint;
  byteCount: number;
  modifiedNs: bigint;
  changedNs: bigint;
}

/** A regular file that is there. */
export interface PresentFile {
  stamp: FileStamp;
  /** Permission bits, set-user and set-group among them. */
  mode: number;
  owner: { uid: number; gid: number };
  linkCount: number;
  sha256: string;
}

/** The place of a write: `path` as the caller wrote it, `realPath` as it is, and the file there, if any. */
export interface Target {
  path: string;
  realPath: string;
  file: PresentFile | undefined;
}

/** Where a path is resolved, and what confines it. */
export interface Place {
  cwd: string;
  /** As the caller gave it; resolved against `cwd`. */
  root: string | undefined;
  /** The store of the call, whose own files are nobody's to write. */
  store?: Store | undefined;
}

/**
 * The real path of `path`, if it is within the root. `action` says what for, if not to write.
 *
 * @throws {FdError} `outside_root`, and what {@link resolveRealPath} throws.
 */
export function resolveInRoot(path: string, place: Place, action?: string): string {
  const realPath = resolveRealPath(path, place.cwd);
  if (place.root !== undefined) {
    const realRoot = resolveRealPath(place.root, place.cwd);
    if (!isInside(realPath, realRoot)) fail({ kind: "outside_root", path, root: place.root, action });
  }
  return realPath;
}

/**
 * The real path of a target, if it may be written to.
 *
 * @throws {FdError} what {@link resolveInRoot} throws; {@link WriteError} `write_error` for what ends like a directory,
 * `store_file` for what lies among the store's own files: what is sealed never changes.
 */
export function resolveTarget(path: string, place: Place): string {
  const realPath = resolveInRoot(path, place);
  if (place.store !== undefined) {
    refuseStoreFile(realPath, path, place.store, place.cwd);
  }
  if (/[\\/]\.?$/.test(path)) {
    const isThere = look(realPath, path) !== undefined;
    refuse({ kind: "write_error", path, what: isThere ? "a directory" : "the name of a directory" });
  }
  return realPath;
}

function refuseStoreFile(realPath: string, path: string, store: Store, cwd: string): void {
  const realData = resolveRealPath(dataPath(resolveRealPath(store.path, cwd)), cwd);
  if (!isInside(realPath, realData)) return;
  const id = /[\\/]([1-9][0-9]{0,14})\.dat$/.exec(realPath)?.[1];
  refuse({ kind: "store_file", path, fd: id === undefined ? undefined : formatFd(Number(id)) });
}

/**
 * Looks at a target and reads it once for its sum.
 *
 * @throws {FdError} `outside_root`, `permission_error`, `read_error`; {@link WriteError} `write_error` for what is no
 * regular file.
 */
export async function inspectTarget(path: string, place: Place): Promise<Target> {
  const realPath = resolveTarget(path, place);
  const file = await inspectFile(realPath, path);
  if (file === undefined) refuseBelowFile(dirname(realPath), path);
  return { path, realPath, file };
}

/**
 * Inspects a target whose content is needed whole: what is edited is then what was summed. Without a file, `before` is
 * empty. Throws what {@link inspectTarget} throws.
 */
export async function readTarget(
  path: string,
  place: Place,
): Promise<{ target: Target; before: Uint8Array }> {
  const realPath = resolveTarget(path, place);
  const stat = lookForFile(realPath, path);
  if (stat === undefined) {
    refuseBelowFile(dirname(realPath), path);
    return { target: { path, realPath, file: undefined }, before: new Uint8Array(0) };
  }
  const before = gatherBytes(fileContent(realPath, path).chunks(), Number(stat.size));
  const file = await presentFile(stat, bytesSource(before).chunks());
  return { target: { path, realPath, file }, before };
}

/** Nothing can be made below a file: said before anybody is asked for content. */
function refuseBelowFile(directory: string, path: string): void {
  const stat = look(directory, path);
  if (stat === undefined) {
    if (directory !== dirname(directory)) refuseBelowFile(dirname(directory), path);
  } else if (!stat.isDirectory()) {
    fail({ kind: "write_error", path, action: "write", code: "ENOTDIR" });
  }
}

/** The file at `realPath`; undefined where nothing is. `path` is how the caller calls it. */
export async function inspectFile(realPath: string, path: string): Promise<PresentFile | undefined> {
  const stat = lookForFile(realPath, path);
  return stat && await presentFile(stat, fileContent(realPath, path).chunks());
}

/** The status of the file at `realPath`, undefined if there is none. Refuses what is not a regular file. */
function lookForFile(realPath: string, path: string): Stat | undefined {
  const stat = look(realPath, path);
  const kind = stat && otherKind(stat);
  if (kind !== undefined) refuse({ kind: "write_error", path, what: kind });
  return stat;
}

async function presentFile(stat: Stat, chunks: Iterable<Uint8Array>): Promise<PresentFile> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return {
    stamp: stampOf(stat),
    mode: Number(stat.mode) & 0o7777,
    owner: { uid: Number(stat.uid), gid: Number(stat.gid) },
    linkCount: Number(stat.nlink),
    sha256: hash.digest("hex"),
  };
}

/** The stamp of what is at `realPath` now; undefined where nothing is. */
export function stampNow(realPath: string, path: string): FileStamp | undefined {
  const stat = look(realPath, path);
  return stat === undefined ? undefined : stampOf(stat);
}

/** By what the file of `stamp` is known again under another name. */
export function identityOf({ inode, modifiedNs }: FileStamp): FileIdentity {
  return { inode: String(inode), modified_ns: String(modifiedNs) };
}

/** Whether two stamps are of the same file, unchanged as far as its inode tells. */
export function isSameStamp(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.device === other.device && one.inode === other.inode && one.byteCount === other.byteCount &&
    one.modifiedNs === other.modifiedNs && one.changedNs === other.changedNs;
}

/** The bytes of a file in pieces of 256 KiB, each valid until the next is asked for. `toByte` ends it early. */
export function fileContent(
  realPath: string,
  path: string,
  toByte = Infinity,
): { chunks(): Iterable<Uint8Array> } {
  return {
    *chunks() {
      const file = openRegular(realPath, path);
      try {
        const window = new Uint8Array(262_144);
        let left = toByte;
        while (left > 0) {
          const got = readSome(file, window, Math.min(left, window.length), path);
          if (got === 0) return;
          yield window.subarray(0, got);
          left -= got;
        }
      } finally {
        closeReader(file);
      }
    },
  };
}

/** The bytes of a target in pieces; none if there is no file. Opened when the first is asked for. */
export function currentContent({ file, realPath, path }: Target): Iterable<Uint8Array> {
  return file === undefined ? [] : fileContent(realPath, path).chunks();
}

/** The bytes of a file that a caller names to be read, in pieces, and how many they are now. */
export function namedContent(
  path: string,
  place: Place,
): { byteCount: number; chunks(): Iterable<Uint8Array> } {
  const realPath = resolveInRoot(path, place, "read");
  return { byteCount: stampNow(realPath, path)?.byteCount ?? 0, ...fileContent(realPath, path) };
}

/** All bytes of a file that a caller names to be read. */
export function namedBytes(path: string, place: Place): Uint8Array {
  return wholeFile(resolveInRoot(path, place, "read"), path);
}

/** All bytes of a file. */
export function wholeFile(realPath: string, path: string): Uint8Array {
  return gatherBytes(fileContent(realPath, path).chunks(), stampNow(realPath, path)?.byteCount);
}

type Stat = NonNullable<ReturnType<typeof look>>;

function look(realPath: string, path: string) {
  try {
    return disk.lstat(realPath, { bigint: true, throwIfNoEntry: false });
  } catch (thrown) {
    const code = systemCode(thrown);
    // A file where a directory is wanted, a name too long for any: nothing is there, and making it will say why it cannot be.
    if (code === "ENOTDIR" || code === "ENAMETOOLONG") return undefined;
    return fail(failureOfSystem(thrown, "read", "read the status of", path));
  }
}

function stampOf(stat: Stat): FileStamp {
  return {
    device: stat.dev,
    inode: stat.ino,
    byteCount: Number(stat.size),
    modifiedNs: stat.mtimeNs,
    changedNs: stat.ctimeNs,
  };
}
