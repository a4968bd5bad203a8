/**
 * The sha-256 of an fd, computed when somebody first asks and kept in its record: capture does not wait for it, and the
 * block sums guard the content until then.
 *
 * @module
 */

import type { FdEntry } from "../records/fd_entry.ts";
import { FdError } from "../disk/errors.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";
import { readLog } from "../records/record_log.ts";
import { appendLine } from "../records/append_record.ts";

/**
 * The sha-256 of an fd's content, in hex. A live fd's is that of what has arrived, and is not kept.
 *
 * @throws {FdError} `store_corrupt` where the content is not what was stored.
 */
export async function digestFd(store: Store, entry: FdEntry): Promise<string> {
  if (entry.sha256 !== undefined) return entry.sha256;
  const sha256 = await sha256Of(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }).chunks());
  // An fd that was taken for ended, and went on, is another one by now.
  const seal = readLog(store, entry.id)?.seal;
  if (seal === undefined || seal.sum !== entry.sum || seal.bytes !== entry.byteCount) return sha256;
  try {
    appendLine(store, entry.id, { event: "digest", sha256 }, false);
  } catch (thrown) {
    // A store that cannot be written to can still be asked; the next one to ask computes it again.
    if (!(thrown instanceof FdError)) throw thrown;
  }
  return sha256;
}

/** The sha-256 of bytes in pieces, in hex. `node:crypto` is loaded here and not before: it is dear at start-up. */
export async function sha256Of(chunks: Iterable<Uint8Array>): Promise<string> {
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
