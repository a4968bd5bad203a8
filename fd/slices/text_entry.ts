/** Finds out whether content is in UTF-16, and then reads its text instead (`decoded_entry.ts`). */

import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { type OpenContent, usedContent } from "./open_content.ts";
import { whenReady } from "./when_ready.ts";

/**
 * Returns the entry of the text of an fd in UTF-16; other entries as they are.
 *
 * @throws {FdError} `store_corrupt`, `read_error`.
 */
export async function textEntry(store: Store, entry: FdEntry): Promise<FdEntry> {
  if (entry.byteCount < 2 || entry.decoded !== undefined) return entry;
  await store.backend.refresh({ kind: "block", id: entry.id, block: 0 });
  using content = usedContent(store, entry);
  return await textEntryIn(store, content);
}

/** Like {@link textEntry}, for open content. */
export async function textEntryIn(store: Store, content: OpenContent): Promise<FdEntry> {
  const { entry } = content;
  if (entry.byteCount < 2 || entry.decoded !== undefined) return entry;
  const bytes = content.prepare === undefined
    ? content.block(0)
    : await whenReady(content, (ready) => ready.block(0));
  const encoding = utf16Of(bytes);
  if (encoding === undefined) return entry;
  const { decodedEntry } = await import("./decoded_entry.ts");
  return await decodedEntry(store, entry, encoding);
}

const SAMPLE_BYTES = 4096;
const MIN_PAIRS = 4;
/** The share of chars with a NUL from which on content without a mark is UTF-16. */
const MOST = 0.9;

/** Returns the encoding of content that starts with `bytes`, by its mark or by every second byte; undefined for others. */
export function utf16Of(bytes: Uint8Array): NonNullable<FdEntry["decoded"]>["encoding"] | undefined {
  // By index: the first use of the runtime's iterators costs a twentieth of a small read.
  const [first, second] = [bytes[0], bytes[1]];
  // The mark of UTF-32 begins like that of UTF-16.
  if (first === 0xff && second === 0xfe) return bytes[2] === 0 && bytes[3] === 0 ? undefined : "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first !== 0 && second !== 0) return undefined;
  const pairs = Math.min(bytes.length, SAMPLE_BYTES) >> 1;
  const nuls = [0, 0];
  for (let at = 0; at < 2 * pairs; at++) if (bytes[at] === 0) nuls[at & 1]!++;
  const [even = 0, odd = 0] = nuls;
  if (pairs < MIN_PAIRS || Math.max(even, odd) < MOST * pairs || Math.min(even, odd) > 0) return undefined;
  return odd > 0 ? "utf-16le" : "utf-16be";
}
