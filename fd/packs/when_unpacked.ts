/**
 * Unpacks the one or two frames of a small read by the runtime's own `DecompressionStream`. Loading `node:zlib` for them
 * costs as much as the rest of the call. Where the runtime's streams have no zstd, `node:zlib` is used all the same.
 */

import { frameHeader, frameLength, zstdBlockCount } from "./seek_table.ts";
import type { PackedContent } from "./stored_content.ts";

/** A read of more frames than this is not small. */
const MAX_FRAMES = 3;

/** A sound frame has a block or a few. Each may claim 128 KiB, and a stream has no limit of size. */
const MAX_BLOCKS = 16;

/** Thrown to ask for a frame. Not an Error, since that collects a stack. */
class FrameWanted {
  readonly frame: number;

  constructor(frame: number) {
    this.frame = frame;
  }
}

/**
 * Calls `read`, which reads `packed`, and returns its result. Calls it again for every frame that it turned out to need,
 * so it must change nothing.
 */
export async function whenUnpacked<T>(packed: PackedContent, read: () => T): Promise<Awaited<T>> {
  const { unpack } = packed;
  const frames = new Map<number, Uint8Array>();
  packed.unpack = (frame) => {
    const plain = frames.get(frame);
    if (plain === undefined) throw new FrameWanted(frame);
    return plain;
  };
  try {
    while (frames.size < MAX_FRAMES) {
      const result = tried(read);
      if (!(result instanceof FrameWanted)) return await result;
      const frame = packed.packedFrame(result.frame);
      const plain = frame && await streamed(frame, frameLength(result.frame, packed.byteCount));
      if (plain === undefined) break;
      frames.set(result.frame, plain);
    }
  } finally {
    packed.unpack = (frame) => frames.get(frame) ?? unpack(frame);
  }
  return await read();
}

function tried<T>(read: () => T): T | FrameWanted {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof FrameWanted) return thrown;
    throw thrown;
  }
}

/** Returns the `length` bytes in a frame; undefined if it is damaged, or the runtime's streams have no zstd. */
async function streamed(packed: Uint8Array, length: number): Promise<Uint8Array | undefined> {
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
