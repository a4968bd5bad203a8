/**
 * Out of the store: a range of bytes, in verified pieces, so that memory does not grow with the slice.
 *
 * @module
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type OpenContent, openContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";

/** Bytes that can be walked any number of times, in pieces of at most 64 KiB. */
export interface ByteSource {
  /** How many bytes there are. */
  readonly byteLength: number;
  /** Walks the bytes. A piece may be overwritten when the next one is asked for: copy what is kept. */
  chunks(): Iterable<Uint8Array>;
  /** All of them, where they are in memory. */
  readonly bytes?: Uint8Array | undefined;
}

/**
 * Bytes `[fromByte, toByte)` of an fd. Nothing is read before `chunks` is walked; each piece is valid until the next one
 * is asked for.
 *
 * Walking throws {@link FdError} `store_corrupt` where the bytes are not those that were stored.
 */
export function readSlice(
  store: Store,
  entry: FdEntry,
  slice: { fromByte: number; toByte: number },
): ByteSource {
  const { fromByte, toByte } = slice;
  return {
    byteLength: toByte - fromByte,
    *chunks() {
      if (toByte === fromByte) return;
      const content = openContent(store, entry);
      try {
        yield* piecesIn(content, slice);
      } finally {
        content.close();
      }
    },
  };
}

function* piecesIn(
  content: OpenContent,
  { fromByte, toByte }: { fromByte: number; toByte: number },
): Iterable<Uint8Array> {
  for (let block = Math.floor(fromByte / BLOCK_BYTES); block * BLOCK_BYTES < toByte; block++) {
    yield pieceIn(content, block, fromByte, toByte);
  }
}

/** The part of bytes `[fromByte, toByte)` that stands in a block. */
function pieceIn(content: OpenContent, block: number, fromByte: number, toByte: number): Uint8Array {
  const start = block * BLOCK_BYTES;
  return content.block(block).subarray(Math.max(0, fromByte - start), toByte - start);
}

/** Slices up to this size are read while their content is open. */
const READ_AT_ONCE_BYTES = 65_536;

/**
 * The same for content that is open, and may be closed before the bytes are walked: few of them are read at once, so that
 * a small slice opens and checks its content once; for more it is opened again.
 *
 * @throws {FdError} `store_corrupt` where the bytes are not those that were stored.
 */
export function readIn(
  store: Store,
  content: OpenContent,
  slice: { fromByte: number; toByte: number },
): ByteSource {
  const { fromByte, toByte } = slice;
  const byteLength = toByte - fromByte;
  if (byteLength > READ_AT_ONCE_BYTES) return readSlice(store, content.entry, slice);
  const bytes = new Uint8Array(byteLength);
  let length = 0;
  for (let block = Math.floor(fromByte / BLOCK_BYTES); length < byteLength; block++) {
    const piece = pieceIn(content, block, fromByte, toByte);
    bytes.set(piece, length);
    length += piece.length;
  }
  return { byteLength, chunks: () => [bytes], bytes };
}

/**
 * The same where nothing more is asked of `content` but to close it: bytes of one block are not copied, since nothing else
 * will take its memory.
 *
 * @throws {FdError} `store_corrupt` where the bytes are not those that were stored.
 */
export function readLast(
  store: Store,
  content: OpenContent,
  slice: { fromByte: number; toByte: number },
): ByteSource {
  const { fromByte, toByte } = slice;
  const block = Math.floor(fromByte / BLOCK_BYTES);
  if (toByte === fromByte || toByte > (block + 1) * BLOCK_BYTES) return readIn(store, content, slice);
  const bytes = pieceIn(content, block, fromByte, toByte);
  return { byteLength: bytes.length, chunks: () => [bytes], bytes };
}

/** All bytes of a source that is known to be small. */
export function readWhole(source: ByteSource): Uint8Array {
  const bytes = new Uint8Array(source.byteLength);
  let length = 0;
  for (const chunk of source.chunks()) {
    bytes.set(chunk, length);
    length += chunk.length;
  }
  return bytes;
}
