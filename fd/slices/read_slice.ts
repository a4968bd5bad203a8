/** Reads a range of bytes in verified pieces, so that memory use does not grow with the slice. */

import { joinBytes, withRoom } from "../bytes/utf8_bytes.ts";
import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { type OpenContent, usedContent } from "./open_content.ts";
import type { Store } from "../store/open_store.ts";

/** Bytes that can be iterated repeatedly, in pieces of at most 64 KiB. */
export interface ByteSource {
  /** Bytes in all pieces. */
  readonly byteLength: number;
  /** Iterates over the bytes. A piece may be overwritten by the next one: copy what you need. */
  chunks(): Iterable<Uint8Array>;
  /** All bytes, if they are in memory. */
  readonly bytes?: Uint8Array | undefined;
}

/** Bytes `[fromByte, toByte)` of a content. */
export interface ByteRange {
  fromByte: number;
  toByte: number;
}

/**
 * Returns bytes `[fromByte, toByte)` of an fd. Reads nothing before `chunks` is iterated; each piece is valid until
 * the next one is requested.
 *
 * Iterating throws {@link FdError} `store_corrupt` if the bytes differ from those stored.
 */
export function readSlice(store: Store, entry: FdEntry, slice: ByteRange): ByteSource {
  const { fromByte, toByte } = slice;
  return {
    byteLength: toByte - fromByte,
    *chunks() {
      if (toByte === fromByte) return;
      using content = usedContent(store, entry);
      yield* piecesIn(content, slice);
    },
  };
}

function* piecesIn(content: OpenContent, { fromByte, toByte }: ByteRange): Iterable<Uint8Array> {
  for (let block = blockAt(fromByte); block * BLOCK_BYTES < toByte; block++) {
    yield pieceIn(content, block, fromByte, toByte);
  }
}

/** Returns the part of bytes `[fromByte, toByte)` in a block. */
function pieceIn(content: OpenContent, block: number, fromByte: number, toByte: number): Uint8Array {
  const start = block * BLOCK_BYTES;
  return content.block(block).subarray(fromByte > start ? fromByte - start : 0, toByte - start);
}

/** Slices up to this size are read while their content is open. */
const READ_AT_ONCE_BYTES = 65_536;

/**
 * Like {@link readSlice}, for open content that may be closed before the bytes are used. Small slices are read at
 * once, so that content is opened and checked only once; for larger ones it is opened again.
 *
 * @throws {FdError} `store_corrupt` if the bytes differ from those stored.
 */
export function readIn(store: Store, content: OpenContent, slice: ByteRange): ByteSource {
  const { fromByte, toByte } = slice;
  const byteLength = toByte - fromByte;
  if (byteLength > READ_AT_ONCE_BYTES) return readSlice(store, content.entry, slice);
  const bytes = new Uint8Array(byteLength);
  let length = 0;
  for (let block = blockAt(fromByte); length < byteLength; block++) {
    const piece = pieceIn(content, block, fromByte, toByte);
    bytes.set(piece, length);
    length += piece.length;
  }
  return { byteLength, chunks: () => [bytes], bytes };
}

/**
 * Like {@link readIn}, for content that will not be read further: bytes of one block are not copied, since nothing
 * else will reuse its buffer.
 *
 * @throws {FdError} `store_corrupt` if the bytes differ from those stored.
 */
export function readLast(store: Store, content: OpenContent, slice: ByteRange): ByteSource {
  const { fromByte, toByte } = slice;
  const block = blockAt(fromByte);
  if (toByte === fromByte || toByte > (block + 1) * BLOCK_BYTES) return readIn(store, content, slice);
  const bytes = pieceIn(content, block, fromByte, toByte);
  return { byteLength: bytes.length, chunks: () => [bytes], bytes };
}

/** Reads all bytes of a source that is known to be small. */
export function readWhole(source: ByteSource): Uint8Array {
  return gatherBytes(source.chunks(), source.byteLength);
}

/**
 * Joins pieces, each of which may be overwritten once the next is asked for. If `byteCount`, an estimate, is right,
 * no byte is copied twice.
 */
export function gatherBytes(chunks: Iterable<Uint8Array>, byteCount = 0): Uint8Array {
  let gathered = new Uint8Array(byteCount);
  let length = 0;
  for (const chunk of chunks) {
    const end = length + chunk.length;
    if (end > gathered.length) gathered = withRoom(gathered, length, end);
    gathered.set(chunk, length);
    length = end;
  }
  return gathered.subarray(0, length);
}

/** A copy of the first bytes of content, at most `most`. */
export function firstBytes(chunks: Iterable<Uint8Array>, most: number): Uint8Array {
  const first: Uint8Array[] = [];
  let left = most;
  for (const chunk of chunks) {
    first.push(chunk.slice(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return joinBytes(first);
}

/** No runtime writes or sums 2 GiB at once. */
const PIECE_BYTES = 65_536;

/** Bytes in memory as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource & { bytes: Uint8Array } {
  return {
    byteLength: bytes.length,
    bytes,
    *chunks() {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        yield bytes.subarray(from, from + PIECE_BYTES);
      }
    },
  };
}
