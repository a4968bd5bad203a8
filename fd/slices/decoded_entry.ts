/**
 * The text of content in UTF-16, as UTF-8 in memory. Its entry is read like that of an fd; what is stored stays as it is.
 * Each line feed of the text is a byte 0A of the content, so lines have the same numbers.
 */

import { Buffer } from "node:buffer";
import type { BlockEntry } from "../index/block_entries.ts";
import { startScan } from "../index/scan_text.ts";
import { copyThrough } from "../put/content_sink.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { prepareContent } from "./prepare_content.ts";
import { gatherBytes, readSlice } from "./read_slice.ts";

/** Longer content, live content and content with a gap are read as they are stored. */
const MAX_BYTES = 64 * 2 ** 20;

type Encoding = NonNullable<FdEntry["decoded"]>["encoding"];

/**
 * Returns the entry of the text of an fd in `encoding`; other entries as they are.
 *
 * @throws {FdError} `store_corrupt`, `read_error`.
 */
export async function decodedEntry(store: Store, entry: FdEntry, encoding: Encoding): Promise<FdEntry> {
  const { byteCount, gap, state } = entry;
  if (byteCount > MAX_BYTES || gap !== undefined || state === "live") return entry;
  await prepareContent(store, entry);
  return decodedFrom(entry, encoding, readSlice(store, entry, { fromByte: 0, toByte: byteCount }).chunks());
}

/** Decodes `chunks`, all of the content of `entry`; all but the last have an even number of bytes. */
export function decodedFrom(entry: FdEntry, encoding: Encoding, chunks: Iterable<Uint8Array>): FdEntry {
  const blocks: BlockEntry[] = [];
  const scan = startScan({ pageSize: entry.pageSize, onEntry: (each) => blocks.push(each) });
  const bytes = gatherBytes(utf8Pieces(encoding, chunks, (piece) => copyThrough(piece, scan)));
  const totals = scan.end();
  return {
    ...entry,
    ...totals,
    inRecord: undefined,
    decoded: { encoding, bytes, blocks, stored: entry },
  };
}

function* utf8Pieces(encoding: Encoding, chunks: Iterable<Uint8Array>, see: (piece: Uint8Array) => void) {
  const decoder = new TextDecoder("utf-16le");
  const encoder = new TextEncoder();
  for (const chunk of chunks) {
    const pairs = Buffer.from(chunk.subarray(0, chunk.length & ~1));
    const piece = encoder.encode(
      decoder.decode(encoding === "utf-16be" ? pairs.swap16() : pairs, { stream: true }),
    );
    see(piece);
    yield piece;
  }
}
