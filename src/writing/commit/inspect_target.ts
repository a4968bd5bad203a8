/**
 * Locks and inspects the path that a write would change. Everything later (checks, backup, the comparison before the rename) is
 * about the file as it was inspected here.
 */

import { dirname } from "node:path";
import {
  type ByteSource,
  bytesSource,
  dataPath,
  formatFd,
  gatherBytes,
  holdLocks,
  sha256Of,
  type Store,
} from "../../../fd/mod.ts";
import {
  closeReader,
  disk,
  fail,
  failureOfSystem,
  otherKind,
  readSome,
  systemCode,
} from "../../../fd/system.ts";
import { meantFile, refuseUnclear } from "./meant_path.ts";
import { type Confinement, openInside } from "./open_inside.ts";
import { isInside, resolveRealPath } from "./resolve_path.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { refuse, refuseStale } from "../../calls/terms/write_failure.ts";

/** The state of a file at one moment. */
export interface FileStamp {
  device: bigint;
  inode: bigint;
  byteCount: number;
  modifiedNs: bigint;
  changedNs: bigint;
}

/** An existing regular file. */
export interface PresentFile {
  stamp: FileStamp;
  /** Permission bits, with set-user and set-group. */
  mode: number;
  owner: { uid: number; gid: number };
  linkCount: number;
  sha256: string;
  /** The content with this sum, if it was asked for and is not large: else it is read again for each use. */
  content?: Uint8Array | undefined;
}

/** Content of this size at most is kept in memory, unless a caller needs all of it. */
const MAX_KEPT_BYTES = 2 ** 20;

/** New content in pieces, so that it need not fit in memory. */
export type NewContent = Pick<ByteSource, "chunks" | "bytes">;

/** The target of a write: `path` as the caller wrote it, its real path, where it must stay, and the file, if it exists. */
export interface Target {
  path: string;
  realPath: string;
  place: Confinement;
  file: PresentFile | undefined;
  /** The current content, none if there is no file. It is read when it is walked, unless it is in memory. */
  before: NewContent;
}

/** The place in which paths are resolved. */
export interface Place extends Confinement {
  /** The store of the call, whose files must not be written to. */
  store?: Store | undefined;
}

/**
 * The real path of `path`, which must be within the root. `action` says what for, if not to write.
 *
 * @throws {FdError} `outside_root`, and the failures of {@link resolveRealPath}.
 */
export function resolveInRoot(path: string, place: Confinement, action?: string): string {
  const realPath = resolveRealPath(path, place.cwd);
  if (place.root !== undefined) {
    const realRoot = resolveRealPath(place.root, place.cwd);
    if (!isInside(realPath, realRoot)) {
      const meant = meantFile(path, place);
      fail({ kind: "outside_root", path, root: realRoot, cwd: place.cwd, meant, action });
    }
  }
  return realPath;
}

/** Opens the file `path` to read it: it must be a regular one within the root. */
export function openInRoot(path: string, place: Confinement): number {
  return openInside(resolveInRoot(path, place, "read"), path, place);
}

/**
 * The real path of a target that may be written to.
 *
 * @throws {FdError} the failures of {@link resolveInRoot}; {@link WriteError} `write_error` for a path that ends like
 * a directory, `store_file` for a file of the store.
 */
export function resolveTarget(path: string, place: Place): string {
  const realPath = resolveInRoot(path, place);
  if (place.store !== undefined) {
    const realData = resolveRealPath(dataPath(resolveRealPath(place.store.path, place.cwd)), place.cwd);
    // macOS takes two cases of a path for one as well; where it does not, a file beside the store is refused.
    if (isInside(realPath, realData, FOLDS_CASE)) {
      const id = /[\\/]([1-9][0-9]{0,14})\.(?:dat|pack)$/.exec(realPath)?.[1];
      refuse({ kind: "store_file", path, fd: id === undefined ? undefined : formatFd(Number(id)) });
    }
  }
  if (/[\\/]\.?$/.test(path)) {
    const isThere = look(realPath, path) !== undefined;
    refuse({ kind: "write_error", path, what: isThere ? "a directory" : "the name of a directory" });
  }
  return realPath;
}

const FOLDS_CASE = process.platform === "win32" || process.platform === "darwin";

/**
 * Inspects the target `path`, resolved to `realPath`, and reads it for its sum. Content of up to `keptBytes` is kept.
 *
 * @throws {FdError} `permission_error`, `read_error`; {@link WriteError} `write_error` if it is not a regular file.
 */
export async function inspectTarget(
  path: string,
  realPath: string,
  place: Confinement,
  keptBytes = MAX_KEPT_BYTES,
): Promise<Target> {
  const file = await inspectFile(realPath, path, place, keptBytes);
  if (file === undefined) {
    // A path below a file is refused before anyone is asked for content.
    let above = dirname(realPath);
    while (look(above, path) === undefined && above !== dirname(above)) above = dirname(above);
    if (look(above, path)?.isDirectory() === false) {
      fail({ kind: "write_error", path, action: "write", code: "ENOTDIR" });
    }
  }
  return targetOf(path, realPath, place, file);
}

/** A target whose `file` was inspected. */
export function targetOf(
  path: string,
  realPath: string,
  place: Confinement,
  file: PresentFile | undefined,
): Target {
  const before = file === undefined || file.content !== undefined
    ? bytesSource(file?.content ?? new Uint8Array(0))
    : fileContent(realPath, path, place);
  return { path, realPath, place, file, before };
}

const LOCK_WAIT_MS = 15_000;

/**
 * Runs `action` while no other fdtool of this store writes to the files at `realPaths`.
 *
 * @throws {WriteError} `stale_file` if another one does not finish in time.
 */
export async function withTargetsLocked<T>(
  store: Store,
  realPaths: readonly string[],
  action: () => Promise<T>,
): Promise<T> {
  const keys = realPaths.map((path) => `file ${path}`);
  const locks = await holdLocks(store, keys, LOCK_WAIT_MS);
  if (locks === undefined) return refuseStale(realPaths[0] ?? "", "another fdtool is writing it");
  return await action().finally(locks.release);
}

/**
 * Runs `action` on the target `path`, inspected while no other fdtool of this store writes to it. Its content of up to
 * `keptBytes` is in memory.
 *
 * @throws {FdError} and {@link WriteError}: the failures of {@link resolveTarget}, {@link withTargetsLocked} and {@link
 * inspectTarget}.
 */
export async function withTarget<T>(
  path: string,
  place: Place & { store: Store },
  action: (target: Target) => Promise<T> | T,
  { keptBytes, retryWith }: { keptBytes?: number; retryWith?: (meant: string) => NextCall | undefined } = {},
): Promise<T> {
  const realPath = resolveTarget(path, place);
  refuseUnclear(path, realPath, place, retryWith);
  return await withTargetsLocked(
    place.store,
    [realPath],
    async () => await action(await inspectTarget(path, realPath, place, keptBytes)),
  );
}

/**
 * Inspects the file at `realPath`, which must stay within the root of `place`. Returns undefined if there is none. `path` is
 * for messages.
 */
export async function inspectFile(
  realPath: string,
  path: string,
  place?: Confinement,
  keptBytes = 0,
): Promise<PresentFile | undefined> {
  const stat = look(realPath, path);
  if (stat === undefined) return undefined;
  const kind = otherKind(stat);
  if (kind !== undefined) refuse({ kind: "write_error", path, what: kind });
  const { chunks } = fileContent(realPath, path, place);
  const content = stat.size <= keptBytes ? gatherBytes(chunks(), Number(stat.size)) : undefined;
  return {
    stamp: stampOf(stat),
    mode: Number(stat.mode) & 0o7777,
    owner: { uid: Number(stat.uid), gid: Number(stat.gid) },
    linkCount: Number(stat.nlink),
    sha256: await sha256Of(content === undefined ? chunks() : bytesSource(content).chunks()),
    content,
  };
}

/** The current stamp at `realPath`. Returns undefined if nothing is there. */
export function stampNow(realPath: string, path: string): FileStamp | undefined {
  const stat = look(realPath, path);
  return stat === undefined ? undefined : stampOf(stat);
}

/** Whether two stamps are of the same file, unchanged as far as its inode shows. */
export function isSameStamp(one: FileStamp | undefined, other: FileStamp | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.device === other.device && one.inode === other.inode && one.byteCount === other.byteCount &&
    one.modifiedNs === other.modifiedNs && one.changedNs === other.changedNs;
}

/** The bytes of a file, or those before `toByte`, in pieces of 256 KiB, each valid until the next. Each walk opens the file. */
export function fileContent(
  realPath: string,
  path: string,
  place?: Confinement,
  toByte = Infinity,
): { chunks(): Iterable<Uint8Array> } {
  return {
    *chunks() {
      const file = openInside(realPath, path, place);
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

/** All bytes of a target. */
export function wholeContent({ before, file }: Target): Uint8Array {
  return before.bytes ?? gatherBytes(before.chunks(), file?.stamp.byteCount);
}

/** All bytes of a file that a caller names. */
export function namedBytes(path: string, place: Confinement): Uint8Array {
  return wholeFile(resolveInRoot(path, place, "read"), path, place);
}

export function wholeFile(realPath: string, path: string, place?: Confinement): Uint8Array {
  return gatherBytes(fileContent(realPath, path, place).chunks(), stampNow(realPath, path)?.byteCount);
}

type Stat = NonNullable<ReturnType<typeof look>>;

function look(realPath: string, path: string) {
  try {
    return disk.lstat(realPath, { bigint: true, throwIfNoEntry: false });
  } catch (thrown) {
    const code = systemCode(thrown);
    // A parent is a file, or the name is too long: nothing is there, and creating it will fail with the reason.
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
