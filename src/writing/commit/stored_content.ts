/**
 * Content that fdtool stores for itself: the request of a question, a plan, content to be used by its handle. It is
 * whole whatever the cap on captures, synced before anything refers to it, and used whole or not at all: JSON
 * truncated inside a string could still be repaired, and would be written.
 */

import {
  type ByteSource,
  type FdEntry,
  findFd,
  formatFd,
  putBytes,
  readSlice,
  readWhole,
  type Store,
} from "../../../fd/mod.ts";
import { refuse } from "../../calls/terms/write_failure.ts";

/** Stores all of `bytes`. */
export function storeContent(store: Store, bytes: Uint8Array, source: string): FdEntry {
  return putBytes(store, bytes, { source, maxBytes: 0, durable: true });
}

/**
 * The content of fd `id`, which was stored for `handle` (`inq:4`, `tx:7`).
 *
 * @throws {WriteError} `incomplete_content`; {@link FdError} if it was removed or is damaged.
 */
export function storedContent(store: Store, id: number, handle: string): ByteSource {
  const entry = findFd(store, formatFd(id));
  if (entry.state !== "sealed" || entry.gap !== undefined) {
    const { byteCount, gap } = entry;
    refuse({
      kind: "incomplete_content",
      handle,
      fd: formatFd(id),
      byteCount,
      droppedBytes: gap?.droppedBytes,
    });
  }
  return readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
}

/** Parses the JSON in fd `id`; see {@link storedContent}. */
export function storedJson(store: Store, id: number, handle: string): unknown {
  return JSON.parse(new TextDecoder().decode(readWhole(storedContent(store, id, handle))));
}
