/** A file as it is on the disk: its status, its stamp and its content. */

import { type ByteSource, bytesSource, gatherBytes, sha256Of } from "../../../fd/mod.ts";
import {
  closeReader,
  disk,
  fail,
  failureOfSystem,
  otherKind,
  readSome,
  systemCode,
} from "../../../fd/system.ts";
import { refuse } from "../../calls/terms/write_failure.ts";
import { type Confinement, openInside } from "./open_inside.ts";

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
  /** The content with this sum. It is read again for each use, unless it was asked for and is not large. */
  content: NewContent;
}

/** New content in pieces, so that it need not fit in memory. */
export type NewContent = Pick<ByteSource, "chunks" | "bytes">;

/**
 * Inspects the file at `realPath`, which must stay within the root of `place`, and reads it for its sum; content of up to
 * `bufferedBytes` stays in memory. Returns undefined if there is none. `path` is for messages.
 *
 * @throws {FdError} `permission_error`, `read_error`; {@link WriteError} `write_error` if it is not a regular file.
 */
export async function inspectFile(
  realPath: string,
  path: string,
  place?: Confinement,
  bufferedBytes = 0,
): Promise<PresentFile | undefined> {
  const stat = statusOf(realPath, path);
  if (stat === undefined) return undefined;
  const kind = otherKind(stat);
  if (kind !== undefined) refuse({ kind: "write_error", path, what: kind });
  const stored = fileContent(realPath, path, place);
  const content = stat.size > bufferedBytes
    ? stored
    : bytesSource(gatherBytes(stored.chunks(), Number(stat.size)));
  return {
    stamp: stampOf(stat),
    mode: Number(stat.mode) & 0o7777,
    owner: { uid: Number(stat.uid), gid: Number(stat.gid) },
    linkCount: Number(stat.nlink),
    sha256: await sha256Of(content.chunks()),
    content,
  };
}

/** The current stamp at `realPath`. Returns undefined if nothing is there. */
export function stampNow(realPath: string, path: string): FileStamp | undefined {
  const stat = statusOf(realPath, path);
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

export function wholeFile(realPath: string, path: string, place?: Confinement): Uint8Array {
  return gatherBytes(fileContent(realPath, path, place).chunks(), stampNow(realPath, path)?.byteCount);
}

type Stat = NonNullable<ReturnType<typeof statusOf>>;

function statusOf(realPath: string, path: string) {
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
