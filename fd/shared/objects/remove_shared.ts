/** Removes fds from the object store (SHARED.md, "Removing"). */

import { fail } from "../../disk/errors.ts";
import { failRemoved } from "../../records/find_fd.ts";
import { refuseLive, type Removal } from "../../records/fd_entry.ts";
import type { TombLine } from "../../records/record_line.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { formatFd } from "../../store/fd_id.ts";
import { highestShared } from "./claim_shared_id.ts";
import { readWholeObject, removedObject, type SharedFd, stateOf } from "./fd_object.ts";
import type { ListedFd } from "./list_shared.ts";
import { fdKey } from "./shared_keys.ts";
import { removeSegments } from "./upload_segments.ts";

/**
 * Removes fd `id` and leaves its tombstone.
 *
 * @throws {FdError} `not_found`; `removed`; `invalid_parameter` for a live fd.
 */
export async function removeShared(objects: ObjectStore, id: number, why: string): Promise<Removal> {
  for (;;) {
    const fd = await readWholeObject(objects, id);
    if (fd === undefined) {
      fail({ kind: "not_found", fd: formatFd(id), highestId: await highestShared(objects) });
    }
    if (fd.log.tomb !== undefined) failRemoved(id, fd.log, fd.log.tomb);
    if (stateOf(fd) === "live") refuseLive({ id, state: "live" });
    const removal = await replaceByTomb(objects, fd, why);
    if (removal !== undefined) return removal;
  }
}

/** Removes this version of an fd. Returns undefined if the object has changed since it was read. */
export async function replaceByTomb(
  objects: ObjectStore,
  fd: SharedFd,
  why: string,
): Promise<Removal | undefined> {
  const removal = removalOf(fd, why);
  const { byteCount, sha256 } = removal;
  const { stored } = fd.log;
  const tomb: TombLine = { event: "tomb", at: fd.serverNowMs, why, bytes: byteCount, sha256 };
  if (await objects.replace(fdKey(fd.id), removedObject(fd, tomb), fd.etag) === null) return undefined;
  if (stored !== undefined) await removeSegments(objects, fd.id, stored.data);
  return removal;
}

/** The report about the removal of an fd. */
export function removalOf({ id, log }: Pick<ListedFd, "id" | "log">, why: string): Removal {
  const { claim, seal, stored, digest } = log;
  const { source = "unknown", command } = claim ?? {};
  const byteCount = seal?.bytes ?? stored?.bytes ?? 0;
  return { id, source, command, byteCount, sha256: digest?.sha256, why };
}
