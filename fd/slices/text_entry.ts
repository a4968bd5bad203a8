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
  if (!mayBeUtf16(bytes)) return entry;
  const { decodedEntry } = await import("./decoded_entry.ts");
  return await decodedEntry(store, entry, bytes);
}

/** Whether content that starts with `bytes` may be in UTF-16. */
export function mayBeUtf16(bytes: Uint8Array): boolean {
  return bytes[0]! >= 0xfe || bytes[0] === 0 || bytes[1] === 0;
}
