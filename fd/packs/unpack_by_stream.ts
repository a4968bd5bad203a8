/**
 * Unpacks a frame by the runtime's own `DecompressionStream`. Loading `node:zlib` for the one or two frames of a small read
 * costs as much as the rest of the call.
 */

import { frameHeader, zstdBlockCount } from "./seek_table.ts";

/** A sound frame has a block or a few. Each may claim 128 KiB, and a stream has no limit of size. */
const MAX_BLOCKS = 16;

/** Returns the `length` bytes in a frame; undefined if it is damaged, or the runtime's streams have no zstd. */
export async function unpackedByStream(packed: Uint8Array, length: number): Promise<Uint8Array | undefined> {
  const header = frameHeader(packed);
  const isSound = header?.plainBytes === length && header.isSingleSegment &&
    (zstdBlockCount(packed) ?? Infinity) <= MAX_BLOCKS;
  if (!isSound) return undefined;
  try {
    const stream = new Blob([packed as Uint8Array<ArrayBuffer>]).stream();
    const unpacked = stream.pipeThrough(new DecompressionStream("zstd" as CompressionFormat));
    const plain = new Uint8Array(await new Response(unpacked).arrayBuffer());
    return plain.length === length ? plain : undefined;
  } catch {
    // How runtimes report damage, and formats that they do not know, differs.
    return undefined;
  }
}
