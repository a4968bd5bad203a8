/**
 * Names on the object store (SHARED.md, "Names"). The last binding wins. A name that was bound protects its fd from cleaning
 * on every host.
 */

import { parseDecimal } from "../../bytes/decimal.ts";
import { utf8Bytes, utf8Text } from "../../bytes/utf8_bytes.ts";
import { fail } from "../../disk/errors.ts";
import { failRemoved } from "../../records/find_fd.ts";
import { listPages, type ObjectPart, type ObjectStore } from "../remote/object_store.ts";
import { type BoundName, nameLine } from "../../store/bind_name.ts";
import { checkName, formatFd, isName } from "../../store/fd_id.ts";
import { highestShared } from "./claim_shared_id.ts";
import { keptObject, readShared, readWholeObject, type SharedFd } from "./fd_object.ts";
import { readGc } from "./gc_object.ts";
import { inParallel } from "./in_parallel.ts";
import { fdKey, NAME_PREFIX, nameKey } from "./shared_keys.ts";

/** More than the object of a name has. One that was forged may be long, and many are read at once. */
const NAME_RANGE = { from: 0, byteCount: 64 };
/** The id in the file of a name that is bound to nothing. */
const UNBOUND = 0;

/**
 * Binds `name` to fd `id`. Returns the id it was bound to before. `newNonce` returns random hex digits.
 *
 * @throws {FdError} `not_found` or `removed`; the binding of before is then in force again.
 */
export async function bindSharedName(
  objects: ObjectStore,
  name: string,
  id: number,
  newNonce: () => string,
): Promise<number | undefined> {
  checkName(name);
  const [nameObject, known] = await Promise.all([
    objects.get(nameKey(name), NAME_RANGE),
    readShared(objects, id),
  ]);
  const before = boundIn(name, nameObject);
  // Before the name is written: until it is put back, the fd that it is bound to would have no name.
  await refuseGone(objects, id, known);
  const { etag } = await objects.put(nameKey(name), utf8Bytes(nameLine(name, id)));
  // In this order: if the cleaner has ended what it had condemned before it knew the name, the tombstone is there now.
  const { condemned } = await readGc(objects);
  const isCondemned = condemned.some((each) => each.id === id);
  const fd = isCondemned ? await keepFd(objects, id, newNonce) : await readShared(objects, id);
  if (fd === undefined || fd.log.tomb !== undefined) {
    await objects.replace(nameKey(name), utf8Bytes(nameLine(name, before?.id ?? UNBOUND)), etag);
    await refuseGone(objects, id, fd);
  }
  return before?.id;
}

/** @throws {FdError} `not_found` or `removed`. */
async function refuseGone(objects: ObjectStore, id: number, fd: SharedFd | undefined): Promise<void> {
  if (fd?.log.tomb !== undefined) failRemoved(id, fd.log, fd.log.tomb);
  if (fd === undefined) {
    fail({ kind: "not_found", fd: formatFd(id), highestId: await highestShared(objects) });
  }
}

/** Changes the etag of fd `id` unless it is removed. Returns the fd as it was found; undefined if there is none. */
async function keepFd(
  objects: ObjectStore,
  id: number,
  newNonce: () => string,
): Promise<SharedFd | undefined> {
  for (;;) {
    const fd = await readWholeObject(objects, id);
    if (fd === undefined || fd.log.tomb !== undefined) return fd;
    if (await objects.replace(fdKey(id), keptObject(fd, newNonce()), fd.etag) !== null) return fd;
  }
}

/** Returns the binding of `name`; undefined if it is not bound, or its object is damaged. */
export async function readSharedName(objects: ObjectStore, name: string): Promise<BoundName | undefined> {
  return boundIn(name, await objects.get(nameKey(name), NAME_RANGE));
}

function boundIn(name: string, part: ObjectPart | null): BoundName | undefined {
  if (part === null) return undefined;
  const text = utf8Text(part.bytes);
  const id = parseDecimal(text.split(" ")[0] ?? "");
  if (id === undefined || id === UNBOUND || text !== nameLine(name, id)) return undefined;
  return { name, id, boundMs: part.modifiedAtMs };
}

/** Names that were read before, by name and etag, so that a later list reads only those that changed. */
export type KnownNames = Map<string, { etag: string; bound: BoundName | undefined }>;

const AT_ONCE = 16;

/** Lists all names, in order. Damaged ones are left out, and reported to `onDamaged`. */
export async function listSharedNames(
  objects: ObjectStore,
  known: KnownNames = new Map(),
  onDamaged: (key: string) => void = () => undefined,
): Promise<BoundName[]> {
  const names: BoundName[] = [];
  for await (const { objects: listed } of listPages(objects, NAME_PREFIX)) {
    const found = await inParallel(listed, AT_ONCE, async ({ key, etag }) => {
      const name = key.slice(NAME_PREFIX.length);
      if (!isName(name)) return undefined;
      const seen = known.get(name);
      if (seen?.etag === etag) return seen.bound;
      const part = await objects.get(key, NAME_RANGE);
      const bound = boundIn(name, part);
      if (part === null) return undefined;
      known.set(name, { etag: part.etag, bound });
      if (bound === undefined && utf8Text(part.bytes) !== nameLine(name, UNBOUND)) onDamaged(key);
      return bound;
    });
    for (const bound of found) if (bound !== undefined) names.push(bound);
  }
  // Keys that hide names have another order.
  return names.sort((a, b) => a.name < b.name ? -1 : 1);
}
