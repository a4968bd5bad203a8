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
  // As words: a read of a few lines runs this loop once, in an interpreter, for each frame before them.
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
      const [low = 0, middle = 0, high] = bytesAt(offset, 3);
      if (high === undefined) return undefined;
      isLast = (low & 1) === 1;
      const isOneByte = (low >> 1 & 3) === 1;
      offset += 3 + (isOneByte ? 1 : (low | middle << 8 | high << 16) >> 3);
    }
    offset += header.hasChecksum ? 4 : 0;
    offsets[frame + 1] = offset;
    if (offset - offsets[frame]! > MOST_PACKED_BYTES) return undefined;
  }
  return offsets;
}

const ZSTD_MAGIC = 0xfd2fb528;

/** Decodes a zstd frame header (RFC 8878); undefined if it is not one that states its content's size. */
export function frameHeader(
  bytes: Uint8Array,
): { length: number; plainBytes: number; hasChecksum: boolean } | undefined {
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
  return { length: at + sizeBytes, plainBytes, hasChecksum: (descriptor & 4) !== 0 };
}
