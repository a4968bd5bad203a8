/**
 * The seek table at the end of a packed content file, in the published format of seekable zstd files: a frame that
 * decompressors skip, with the sizes of all frames before it (FORMAT.md, "Packed content").
 *
 * @module
 */

/** Plain bytes in a frame, 4 blocks; only the last frame may have fewer. */
export const FRAME_BYTES = 131_072;

/** A frame's compressed size is at most this: what zstd may add to content that does not shrink is far less. */
const MOST_PACKED_BYTES = FRAME_BYTES + 4096;

/** A frame's compressed size is at least this: magic, descriptor, size, and a block of one byte. */
const LEAST_PACKED_BYTES = 10;

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
const HEADER_BYTES = 8;
/** Bytes at the end of a file that say how long its seek table is. */
export const FOOTER_BYTES = 9;
const ENTRY_BYTES = 8;

/** Returns how many frames hold `byteCount` plain bytes. */
export function frameCountOf(byteCount: number): number {
  return Math.ceil(byteCount / FRAME_BYTES);
}

/** Returns the plain bytes in frame `frame` of `byteCount` bytes. */
export function frameLength(frame: number, byteCount: number): number {
  return Math.min(FRAME_BYTES, byteCount - frame * FRAME_BYTES);
}

/** Returns the size of the seek table of `frameCount` frames. */
export function seekTableLength(frameCount: number): number {
  return HEADER_BYTES + frameCount * ENTRY_BYTES + FOOTER_BYTES;
}

/** Whether a file of `fileBytes` can hold `frameCount` frames: what claims more is refused before memory is taken for it. */
export function canHold(frameCount: number, fileBytes: number): boolean {
  return frameCount * LEAST_PACKED_BYTES <= fileBytes;
}

/** Encodes the seek table of frames with these compressed sizes, which hold `byteCount` plain bytes. */
export function encodeSeekTable(packedLengths: readonly number[], byteCount: number): Uint8Array {
  const length = seekTableLength(packedLengths.length);
  const table = new DataView(new ArrayBuffer(length));
  table.setUint32(0, SKIPPABLE_MAGIC, true);
  table.setUint32(4, length - HEADER_BYTES, true);
  packedLengths.forEach((packedLength, frame) => {
    table.setUint32(HEADER_BYTES + frame * ENTRY_BYTES, packedLength, true);
    table.setUint32(HEADER_BYTES + frame * ENTRY_BYTES + 4, frameLength(frame, byteCount), true);
  });
  table.setUint32(length - FOOTER_BYTES, packedLengths.length, true);
  table.setUint32(length - 4, SEEKABLE_MAGIC, true);
  return new Uint8Array(table.buffer);
}

/** Returns the number of frames that a file's last bytes claim; undefined if they end no seek table. */
export function footerFrameCount(footer: Uint8Array): number | undefined {
  if (footer.byteLength !== FOOTER_BYTES) return undefined;
  const view = new DataView(footer.buffer, footer.byteOffset, footer.byteLength);
  return view.getUint32(5, true) === SEEKABLE_MAGIC ? view.getUint32(0, true) : undefined;
}

/** Reads the number of plain bytes from the end of a seek table; undefined if it is not one. */
export function plainLength(table: Uint8Array): number | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  if (!isTable(view)) return undefined;
  let byteCount = 0;
  for (let at = HEADER_BYTES + 4; at < view.byteLength - FOOTER_BYTES; at += ENTRY_BYTES) {
    byteCount += view.getUint32(at, true);
  }
  return byteCount;
}

/** The place of a frame in a file. */
export interface FramePlace {
  fromByte: number;
  toByte: number;
}

/**
 * Returns where a frame is; undefined if a table is damaged on the way there. Frames of which none is near the last one
 * asked for take as long as there are frames between.
 */
export type FramePlaces = (frame: number) => FramePlace | undefined;

/**
 * Returns the places in the seek table of `byteCount` plain bytes, in a file of `fileBytes`; undefined if `table` is not
 * one. A place is found by adding up sizes from the last frame asked for, the first or the last one, whichever is
 * nearest: a read near the end of 1 GiB looks at some of 8,192. So damage elsewhere in the table is not noticed, and
 * damage on the way may give a wrong place.
 */
export function placesInTable(
  table: Uint8Array,
  byteCount: number,
  fileBytes: number,
): FramePlaces | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const frameCount = frameCountOf(byteCount);
  if (table.byteLength !== seekTableLength(frameCount) || !isTable(view)) return undefined;
  const words = new Uint32Array(table.slice(HEADER_BYTES, HEADER_BYTES + frameCount * ENTRY_BYTES).buffer);
  if (words[words.length - 1] !== frameLength(frameCount - 1, byteCount)) return undefined;
  const end = fileBytes - table.byteLength;
  let atFrame = 0;
  let atByte = 0;
  return (frame) => {
    if (Math.abs(frame - atFrame) > frame) atFrame = atByte = 0;
    if (Math.abs(frame - atFrame) > frameCount - frame) [atFrame, atByte] = [frameCount, end];
    atByte += frame < atFrame ? -sizesIn(words, frame, atFrame) : sizesIn(words, atFrame, frame);
    atFrame = frame;
    const size = words[frame * 2]!;
    const isPlausible = size <= MOST_PACKED_BYTES && atByte >= 0 && atByte + size <= end;
    return isPlausible ? { fromByte: atByte, toByte: atByte + size } : undefined;
  };
}

/**
 * Adds up the compressed sizes of frames `[fromFrame, toFrame)`. A read runs this once: eight at a time, so that a few
 * thousand do not start the compiler, which costs a third of the call.
 */
function sizesIn(words: Uint32Array, fromFrame: number, toFrame: number): number {
  let byteCount = 0;
  let at = fromFrame * 2;
  for (let rounds = toFrame - fromFrame >> 3; rounds > 0; rounds--, at += 16) {
    byteCount += words[at]! + words[at + 2]! + words[at + 4]! + words[at + 6]! +
      words[at + 8]! + words[at + 10]! + words[at + 12]! + words[at + 14]!;
  }
  for (; at < toFrame * 2; at += 2) byteCount += words[at]!;
  return byteCount;
}

/** Returns the places that {@link decodeSeekTable} or {@link walkFrames} found. */
export function placesAt(offsets: Float64Array): FramePlaces {
  return (frame) => ({ fromByte: offsets[frame]!, toByte: offsets[frame + 1]! });
}

/**
 * Decodes a seek table that must be that of `byteCount` plain bytes, in a file of `fileBytes`. Returns the offset of
 * each frame and of the end of the last; undefined if the table claims anything else.
 */
export function decodeSeekTable(
  table: Uint8Array,
  byteCount: number,
  fileBytes: number,
): Float64Array | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const frameCount = frameCountOf(byteCount);
  if (table.byteLength !== seekTableLength(frameCount) || !isTable(view)) return undefined;
  const words = new Uint32Array(table.slice(HEADER_BYTES, HEADER_BYTES + frameCount * ENTRY_BYTES).buffer);
  const lastLength = frameLength(frameCount - 1, byteCount);
  const offsets = new Float64Array(frameCount + 1);
  let offset = 0;
  for (let frame = 0, word = 0; frame < frameCount; word += 2) {
    const packedLength = words[word]!;
    const length = words[word + 1];
    if (packedLength > MOST_PACKED_BYTES) return undefined;
    offset += packedLength;
    offsets[++frame] = offset;
    if (length !== FRAME_BYTES && (frame < frameCount || length !== lastLength)) return undefined;
  }
  const isWhole = offset + table.byteLength === fileBytes && words[words.length - 1] === lastLength;
  return isWhole ? offsets : undefined;
}

function isTable(table: DataView): boolean {
  const length = table.byteLength;
  return length >= seekTableLength(0) && table.getUint32(0, true) === SKIPPABLE_MAGIC &&
    table.getUint32(4, true) === length - HEADER_BYTES && table.getUint8(length - 5) === 0 &&
    table.getUint32(length - FOOTER_BYTES, true) * ENTRY_BYTES === length - seekTableLength(0) &&
    table.getUint32(length - 4, true) === SEEKABLE_MAGIC;
}

/**
 * Finds the frames of `byteCount` plain bytes by walking over their headers, for a file whose seek table is damaged.
 * `bytesAt` returns up to `length` bytes at an offset. Returns as {@link decodeSeekTable}.
 */
export function walkFrames(
  bytesAt: (offset: number, length: number) => Uint8Array,
  byteCount: number,
): Float64Array | undefined {
  const frameCount = frameCountOf(byteCount);
  const offsets = new Float64Array(frameCount + 1);
  let offset = 0;
  for (let frame = 0; frame < frameCount; frame++) {
    const header = frameHeader(bytesAt(offset, 18));
    if (header === undefined || header.plainBytes !== frameLength(frame, byteCount)) return undefined;
    offset += header.length;
    for (let isLast = false; !isLast;) {
      const block = blockHeader(bytesAt(offset, 3));
      if (block === undefined) return undefined;
      isLast = block.isLast;
      offset += 3 + block.packedBytes;
    }
    offset += header.hasChecksum ? 4 : 0;
    offsets[frame + 1] = offset;
    if (offset - offsets[frame]! > MOST_PACKED_BYTES) return undefined;
  }
  return offsets;
}

/** Decodes the header of a block within a frame: 3 bytes, before its `packedBytes`; undefined if it is cut off. */
function blockHeader(bytes: Uint8Array): { isLast: boolean; packedBytes: number } | undefined {
  const [low = 0, middle = 0, high] = bytes;
  if (high === undefined) return undefined;
  const isOneByte = (low >> 1 & 3) === 1;
  return { isLast: (low & 1) === 1, packedBytes: isOneByte ? 1 : (low | middle << 8 | high << 16) >> 3 };
}

/**
 * Returns the number of blocks in a frame, each of which unpacks to at most 128 KiB; undefined if they do not end where
 * it does.
 */
export function zstdBlockCount(frame: Uint8Array): number | undefined {
  const header = frameHeader(frame);
  if (header === undefined) return undefined;
  let offset = header.length;
  for (let count = 1;; count++) {
    const block = blockHeader(frame.subarray(offset, offset + 3));
    if (block === undefined) return undefined;
    offset += 3 + block.packedBytes;
    if (block.isLast) return offset + (header.hasChecksum ? 4 : 0) === frame.length ? count : undefined;
  }
}

const ZSTD_MAGIC = 0xfd2fb528;

/** Decodes a zstd frame header (RFC 8878); undefined if it is not one that states its content's size. */
export function frameHeader(
  bytes: Uint8Array,
): { length: number; plainBytes: number; isSingleSegment: boolean; hasChecksum: boolean } | undefined {
  if (bytes.length < 6) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0, true) !== ZSTD_MAGIC) return undefined;
  const descriptor = bytes[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? isSingleSegment ? 1 : 0 : 1 << sizeFlag;
  const at = 5 + (isSingleSegment ? 0 : 1);
  // No dictionary is ever used.
  if ((descriptor & 3) !== 0 || sizeBytes === 0 || bytes.length < at + sizeBytes) return undefined;
  const plainBytes = sizeBytes === 1
    ? bytes[at]!
    : sizeBytes === 2
    ? view.getUint16(at, true) + 256
    : sizeBytes === 4
    ? view.getUint32(at, true)
    : Number(view.getBigUint64(at, true));
  return { length: at + sizeBytes, plainBytes, isSingleSegment, hasChecksum: (descriptor & 4) !== 0 };
}
