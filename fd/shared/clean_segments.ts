/** Deletes segments that belong to no fd (SHARED.md, "Cleaning"). @module */

import { FdError } from "../disk/errors.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { readShared } from "./fd_object.ts";
import { inParallel } from "./in_parallel.ts";
import { dataPartPrefix, parseSegmentKey, type SegmentName } from "./shared_keys.ts";
import { removeSegments } from "./upload_segments.ts";

/** Younger segments stay, whatever they belong to. */
const LITTER_MS = 24 * 60 * 60 * 1000;
/** Of a record, the lines before the index: nearly every one is shorter. */
const RECORD_BYTES = 4096;
const AT_ONCE = 8;

/** Looks through one of 256 parts of the data. Returns the number of segments deleted. */
export async function sweepData(objects: ObjectStore, part: number): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const { objects: listed, isCut, serverNowMs } = await objects.list(dataPartPrefix(part), after);
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
    count += counts.reduce((sum, each) => sum + each, 0);
    if (!isCut) return count;
    after = listed.at(-1)?.key;
  }
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
