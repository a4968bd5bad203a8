/** Gets content of a shared store before it is read all at once. */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { locateIn, type SliceRequest } from "./locate_slice.ts";
import { type OpenContent, usedContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";
import type { ByteRange } from "./read_slice.ts";
import { whenReady } from "./when_ready.ts";
import { isName, parseFdArgument } from "../store/fd_id.ts";
import { namedId } from "../records/find_fd.ts";
import { readLog } from "../records/record_log.ts";

/**
 * Gets a slice of `entry` into the cache, if `store` is one: reading it waits for nothing then. Wrong requests and damage are
 * left to who reads.
 *
 * @throws {FdError} `store_unreachable` and the like; `storage_full`.
 */
export async function prepareContent(
  store: Store,
  entry: FdEntry,
  request: SliceRequest = { all: true },
): Promise<void> {
  if (entry.byteCount === 0 || store.backend.fetched(entry.id) === undefined) return;
  await store.backend.refresh({ kind: "block", id: entry.id, block: 0 });
  using content = usedContent(store, entry);
  if (content.prepareEntries !== undefined) {
    await prepareBytes(content, await whenReady(content, (ready) => locateIn(ready, request)));
  }
}

/** Prepares bytes `[fromByte, toByte)`. */
export async function prepareBytes(content: OpenContent, { fromByte, toByte }: ByteRange): Promise<void> {
  await content.prepare?.(Math.floor(fromByte / BLOCK_BYTES), Math.ceil(toByte / BLOCK_BYTES));
}

/**
 * Gets what `findFd` and opening the content need, if `store` is the cache of a shared store. Other words are left to
 * `findFd`, and so are failures.
 */
export async function prepareFd(store: Store, argument: string): Promise<void> {
  const { backend } = store;
  if (backend.hasWholeFiles) return;
  const parsed = parseFdArgument(argument);
  const name = parsed?.by === "name" ? parsed.name : argument;
  if (parsed?.by !== "id" && isName(name)) await backend.refresh({ kind: "name", name });
  const id = namedId(store, argument);
  if (id === undefined) return;
  await backend.refresh({ kind: "record", id });
  const { seal, tomb } = readLog(store, id) ?? {};
  if (tomb === undefined && seal?.bytes !== 0) await backend.refresh({ kind: "block", id, block: 0 });
}
