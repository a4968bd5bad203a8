/**
 * The object `next` (SHARED.md, "Claiming an id", "Listings"): the highest id divisible by 16 that was claimed, a hint and a
 * floor; and entries of the newest fds up to it, so that a list of them need not read each.
 */

import { parseDecimal } from "../../bytes/decimal.ts";
import { joinBytes, utf8Bytes, utf8Text } from "../../bytes/utf8_bytes.ts";
import { FdError, undefinedIf } from "../../disk/errors.ts";
import type { ObjectStore } from "../remote/object_store.ts";
import { nameLine } from "../../store/bind_name.ts";
import { inParallel } from "./in_parallel.ts";
import { type ListedFd, packEntries, readListed, unpackEntries } from "./listed_fds.ts";
import { fdKey, idOfKey, NEXT_KEY } from "./shared_keys.ts";

/** A claim of a multiple of this raises the hint. */
export const HINT_EVERY = 16;
/** Fds that `next` has entries of at most: a list of the newest 100, and some that were removed. */
const MAX_ENTRIES = 128;
const AT_ONCE = 8;
const LINE_FEED = 0x0a;

/**
 * Reads `next`: its id, 0 if the object is missing or damaged, and packed entries of the newest fds. Without an etag it does
 * not exist.
 */
export async function readHint(objects: ObjectStore) {
  const part = await objects.get(NEXT_KEY);
  const bytes = part?.bytes ?? new Uint8Array();
  const lineEnd = bytes.indexOf(LINE_FEED) + 1;
  const line = utf8Text(bytes.subarray(0, lineEnd));
  const id = parseDecimal(line.split(" ")[0] ?? "") ?? 0;
  const isRight = line === nameLine(NEXT_KEY, id) && idOfKey(fdKey(id)) === id;
  return { id: isRight ? id : 0, etag: part?.etag, packed: bytes.subarray(lineEnd) };
}

/**
 * Raises the hint to `id` and adds entries of the fds before it, once: if another host changed the object at the same
 * moment, its value is as good.
 */
export async function raiseHint(objects: ObjectStore, id: number): Promise<void> {
  const ids = Array.from({ length: HINT_EVERY }, (_, at) => id - HINT_EVERY + 1 + at);
  const reading = inParallel(ids, AT_ONCE, (each) => readListed(objects, each, () => undefined));
  const [hint, read] = await Promise.all([
    readHint(objects),
    // Entries are a help for lists: the hint is raised without them.
    reading.catch(undefinedIf(FdError)),
  ]);
  if (hint.id >= id) return;
  const newer = (read ?? []).filter((fd): fd is ListedFd => fd !== undefined);
  const entries = [...unpackEntries(hint.packed).values(), ...newer];
  const bytes = joinBytes([utf8Bytes(nameLine(NEXT_KEY, id)), packEntries(entries.slice(-MAX_ENTRIES))]);
  if (hint.etag === undefined) await objects.create(NEXT_KEY, bytes);
  else await objects.replace(NEXT_KEY, bytes, hint.etag);
}
