/** Deletes segments that belong to no fd (SHARED.md, "Cleaning"). */

import { FdError } from "../disk/errors.ts";
import type { ListedObject, ObjectStore } from "../remote/object_store.ts";
import { readShared } from "./fd_object.ts";
import { inParallel } from "./in_parallel.ts";
import { DATA_PREFIX, dataPartPrefix, parseSegmentKey, type SegmentName } from "./shared_keys.ts";
import { removeSegments } from "./upload_segments.ts";

/** Younger segments stay, whatever they belong to. */
const LITTER_MS = 24 * 60 * 60 * 1000;
/** Bytes to read of an object for its record: nearly every record is shorter. */
const RECORD_BYTES = 4096;
const AT_ONCE = 8;

/** Pages of a thousand segments that are looked through in one cleaning: 80 GB of content. */
const MAX_PAGES = 10;

/** Looks through the data from `part` on. Returns the number of segments deleted, and the part where the next sweep begins. */
export async function sweepData(
  objects: ObjectStore,
  part: number,
): Promise<{ count: number; nextPart: number }> {
  let count = 0;
  let after = dataPartPrefix(part);
  for (let page = 1;; page++) {
    const { objects: listed, isCut, serverNowMs } = await objects.list(DATA_PREFIX, after);
    count += await sweepPage(objects, listed, serverNowMs);
    if (!isCut) return { count, nextPart: 0 };
    after = listed.at(-1)?.key ?? after;
    const reached = partOf(after) ?? part;
    // A part that is longer than one sweep is checked in one go.
    if (page >= MAX_PAGES && reached > part) return { count, nextPart: reached };
  }
}

async function sweepPage(
  objects: ObjectStore,
  listed: readonly ListedObject[],
  serverNowMs: number,
): Promise<number> {
  const uploads = new Map<string, { name: SegmentName; newestMs: number }>();
  for (const { key, modifiedAtMs } of listed) {
    const name = parseSegmentKey(key);
    if (name === undefined) continue;
    const upload = `${name.data} ${name.id}`;
    const newestMs = Math.max(modifiedAtMs, uploads.get(upload)?.newestMs ?? 0);
    uploads.set(upload, { name, newestMs });
  }
  const old = [...uploads.values()].filter(({ newestMs }) => serverNowMs - newestMs > LITTER_MS);
  const counts = await inParallel(old, AT_ONCE, async ({ name: { id, data } }) => {
    return await isNamed(objects, id, data) ? 0 : await removeSegments(objects, id, data);
  });
  return counts.reduce((sum, each) => sum + each, 0);
}

function partOf(key: string): number | undefined {
  const data = parseSegmentKey(key)?.data;
  return data === undefined ? undefined : parseInt(data.slice(0, 2), 16);
}

/**
 * Whether fd `id` has its content under `data`. A claim names its data before the first segment is written, so once that is
 * false it stays so.
 */
async function isNamed(objects: ObjectStore, id: number, data: string): Promise<boolean> {
  try {
    const fd = await readShared(objects, id, RECORD_BYTES);
    return fd !== undefined && fd.log.tomb === undefined && fd.log.stored?.data === data;
  } catch (thrown) {
    // A person may restore the damaged object.
    if (thrown instanceof FdError && thrown.failure.kind === "store_corrupt") return true;
    throw thrown;
  }
}
