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
    const { readable, writable } = new DecompressionStream("zstd" as CompressionFormat);
    const writer = writable.getWriter();
    // A failure is that of the reader, too.
    const ignore = () => {};
    writer.write(packed as Uint8Array<ArrayBuffer>).catch(ignore);
    writer.close().catch(ignore);
    const reader = readable.getReader();
    const plain = new Uint8Array(length);
    for (let filled = 0;;) {
      const { done, value } = await reader.read();
      if (done) return filled === length ? plain : undefined;
      // Throws if there is more than `length`.
      plain.set(value, filled);
      filled += value.length;
    }
  } catch {
    // How runtimes report damage, and formats that they do not know, differs.
    return undefined;
  }
}
