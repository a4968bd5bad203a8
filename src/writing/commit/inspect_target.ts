/**
 * Locks and inspects the path that a write would change. Everything later (checks, backup, the comparison before the rename) is
 * about the file as it was inspected here.
 */

import { Buffer } from "node:buffer";
import { bytesSource, gatherBytes, holdLocks, type Store, utf16Of } from "../../../fd/mod.ts";
import { utf8Bytes, utf8Text } from "../../../fd/system.ts";
import type { Confinement } from "./open_inside.ts";
import { inspectFile, type NewContent, type PresentFile } from "./present_file.ts";
import { type NewPath, type Place, resolveTarget } from "./target_path.ts";
import { refuseStale } from "../../calls/terms/write_failure.ts";

/** Content of this size at most stays in memory, unless a caller needs all of it. */
const MAX_BUFFERED_BYTES = 2 ** 20;

/** The target of a write: `path` as the caller wrote it, its real path, where it must stay, and the file, if it exists. */
export interface Target {
  path: string;
  realPath: string;
  place: Confinement;
  file: PresentFile | undefined;
  /** The current content, none if there is no file. It is read when it is walked, unless it is in memory. */
  before: NewContent;
}

/**
 * Inspects the target `path`, resolved to `realPath`. Content of up to `bufferedBytes` stays in memory.
 *
 * @throws the failures of {@link inspectFile}.
 */
export async function inspectTarget(
  path: string,
  realPath: string,
  place: Confinement,
  bufferedBytes = MAX_BUFFERED_BYTES,
): Promise<Target> {
  const file = await inspectFile(realPath, path, place, bufferedBytes);
  return { path, realPath, place, file, before: file?.content ?? bytesSource(new Uint8Array(0)) };
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
 * `bufferedBytes` is in memory.
 *
 * @throws {FdError} and {@link WriteError}: the failures of {@link resolveTarget}, {@link withTargetsLocked} and {@link
 * inspectTarget}.
 */
export async function withTarget<T>(
  path: string,
  place: Place & { store: Store },
  action: (target: Target) => Promise<T> | T,
  { bufferedBytes, retryWith }: { bufferedBytes?: number } & NewPath = {},
): Promise<T> {
  const realPath = resolveTarget(path, place, { retryWith });
  return await withTargetsLocked(
    place.store,
    [realPath],
    async () => await action(await inspectTarget(path, realPath, place, bufferedBytes)),
  );
}

/** All bytes of a target. */
export function wholeContent({ before, file }: Target): Uint8Array {
  return before.bytes ?? gatherBytes(before.chunks(), file?.stamp.byteCount);
}

/** A target with its text in UTF-8, and what turns that into the file's own encoding. */
export interface TextTarget {
  text: Target;
  inFile: (text: Uint8Array) => Uint8Array;
}

/** The text of a target in UTF-16; of another, one with ill-formed parts, or one that is replaced, its bytes as they are. */
export function textTarget(target: Target, isReplaced = false): TextTarget {
  const content = wholeContent(target);
  const encoding = isReplaced ? undefined : utf16Of(content);
  const inFile = (text: Uint8Array) => {
    const units = Buffer.from(utf8Text(text), "utf16le");
    return encoding === "utf-16be" ? units.swap16() : units;
  };
  if (encoding !== undefined) {
    const bytes = utf8Bytes(new TextDecoder(encoding, { ignoreBOM: true }).decode(content));
    if (inFile(bytes).equals(content)) return { text: { ...target, before: bytesSource(bytes) }, inFile };
  }
  return { text: target, inFile: (text) => text };
}
