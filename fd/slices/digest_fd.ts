/**
 * Computes the sha-256 of an fd when first requested and stores it in the record. Capture does not wait for it; block
 * sums protect the content until then.
 */

import type { FdEntry } from "../records/fd_entry.ts";
import { ifPossible } from "../disk/errors.ts";
import type { Store } from "../store/open_store.ts";
import { prepareContent } from "./prepare_content.ts";
import { readSlice } from "./read_slice.ts";
import { appendLine, readLog } from "../records/record_log.ts";

/**
 * Returns the sha-256 of an fd's content, in hex. For a live fd it covers the content so far and is not stored.
 * `onBytes` gets the size of each piece that is read for it.
 *
 * @throws {FdError} `store_corrupt` if the content differs from what was stored.
 */
export async function digestFd(
  store: Store,
  entry: FdEntry,
  onBytes?: (byteCount: number) => void,
): Promise<string> {
  if (entry.sha256 !== undefined) return entry.sha256;
  const { byteCount } = entry;
  await prepareContent(store, entry);
  const sha256 = await sha256Of(
    readSlice(store, entry, { fromByte: 0, toByte: byteCount }).chunks(),
    onBytes,
  );
  // Don't store it if the fd changed meanwhile: it only seemed to have ended.
  const seal = readLog(store, entry.id)?.seal;
  if (seal === undefined || seal.sum !== entry.sum || seal.bytes !== entry.byteCount) return sha256;
  // A read-only store can still be queried; the next request computes the digest again.
  ifPossible(() => appendLine(store, entry.id, { event: "digest", sha256 }, false));
  return sha256;
}

/** Returns the sha-256 of bytes in pieces, in hex. Imports `node:crypto` lazily because it slows start-up. */
export async function sha256Of(
  chunks: Iterable<Uint8Array>,
  onBytes?: (byteCount: number) => void,
): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for (const chunk of chunks) {
    hash.update(chunk);
    onBytes?.(chunk.length);
  }
  return hash.digest("hex");
}
