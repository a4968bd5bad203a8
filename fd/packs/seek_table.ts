/**
 * The seek table at the end of a packed content file, in the published format of seekable zstd files: a frame that
 * decompressors skip, with the sizes of all frames before it (FORMAT.md, "Packed content"). Its entries are those of the
 * frames with content and, after each group of them, of the group's filter, if the file has filters.
 */

/** Plain bytes in a frame, 4 blocks; only the last frame may have fewer. */
export const FRAME_BYTES = 131_072;

/** A frame's compressed size is at most this: what zstd may add to content that does not shrink is far less. */
const MAX_PACKED_BYTES = FRAME_BYTES + 4096;

/** A frame's compressed size is at least this: magic, descriptor, size, and a block of one byte. */
const MIN_PACKED_BYTES = 10;

/** Frames with one filter together; only the last group may have fewer. */
export const GROUP_FRAMES = 64;
/** A last group of fewer frames has no filter: unpacking them takes a millisecond. */
const MIN_GROUP_FRAMES = 8;

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

/** Returns how many filters a file with filters has. */
export function filterCountOf(frameCount: number): number {
  return Math.floor((frameCount + GROUP_FRAMES - MIN_GROUP_FRAMES) / GROUP_FRAMES);
}

/** Whether a filter follows frame `frame` in a file with filters. */
export function endsFilteredGroup(frame: number, frameCount: number): boolean {
  const isLast = (frame + 1) % GROUP_FRAMES === 0 || frame + 1 === frameCount;
  return isLast && Math.floor(frame / GROUP_FRAMES) < filterCountOf(frameCount);
}

/** Returns the entry of frame `frame` in the table of a file with `filterCount` filters. */
export function entryOfFrame(frame: number, filterCount: number): number {
  return frame + Math.min(Math.floor(frame / GROUP_FRAMES), filterCount);
}

/** Returns the entry of the filter of group `group`. */
export function entryOfFilter(group: number, frameCount: number): number {
  return Math.min((group + 1) * GROUP_FRAMES, frameCount) + group;
}

/** Returns the size of a seek table with `entryCount` entries. */
export function seekTableLength(entryCount: number): number {
  return HEADER_BYTES + entryCount * ENTRY_BYTES + FOOTER_BYTES;
}

/** Returns the size of the longest seek table of `byteCount` plain bytes: that of a file with filters. */
export function longestTable(byteCount: number): number {
  const frameCount = frameCountOf(byteCount);
  return seekTableLength(frameCount + filterCountOf(frameCount));
}

/** Returns the seek table of `byteCount` plain bytes in the last bytes of a file; it may be damaged. */
export function tableIn(lastBytes: Uint8Array, byteCount: number): Uint8Array {
  const frameCount = frameCountOf(byteCount);
  const hasFilters = footerFrameCount(lastBytes.subarray(-FOOTER_BYTES)) !== frameCount;
  return hasFilters ? lastBytes : lastBytes.subarray(-seekTableLength(frameCount));
}

/** Returns the size of the longest file that `byteCount` plain bytes are packed in. */
export function longestPack(byteCount: number): number {
  const frameCount = frameCountOf(byteCount);
  return (frameCount + filterCountOf(frameCount)) * MAX_PACKED_BYTES + longestTable(byteCount);
}

/** Whether a file of `fileBytes` can hold `frameCount` frames: what claims more is refused before memory is taken for it. */
export function canHold(frameCount: number, fileBytes: number): boolean {
  return frameCount * MIN_PACKED_BYTES <= fileBytes;
}

/** Sizes of a frame, of which a filter's has no plain bytes. */
export interface TableEntry {
  packedBytes: number;
  plainBytes: number;
}

/** Encodes a seek table. */
export function encodeSeekTable(entries: readonly TableEntry[]): Uint8Array {
  const length = seekTableLength(entries.length);
  const table = new DataView(new ArrayBuffer(length));
  table.setUint32(0, SKIPPABLE_MAGIC, true);
  table.setUint32(4, length - HEADER_BYTES, true);
  entries.forEach(({ packedBytes, plainBytes }, entry) => {
    table.setUint32(HEADER_BYTES + entry * ENTRY_BYTES, packedBytes, true);
    table.setUint32(HEADER_BYTES + entry * ENTRY_BYTES + 4, plainBytes, true);
  });
  table.setUint32(length - FOOTER_BYTES, entries.length, true);
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

/** Contents of a seek table. */
export interface FramePlaces {
  /** Filters in the file: none, or as many as {@link filterCountOf} says. */
  filterCount: number;
  /**
   * Returns where the frame of an entry is; undefined if a table is damaged on the way there. Entries of which none is
   * near the last one asked for take as long as there are entries between.
   */
  at(entry: number): FramePlace | undefined;
}

/** Returns the filters in a file whose table has `entryCount` entries; undefined if it cannot have as many. */
function filterCountIn(entryCount: number, frameCount: number): number | undefined {
  const filterCount = entryCount - frameCount;
  return filterCount === 0 || filterCount === filterCountOf(frameCount) ? filterCount : undefined;
}

/** The sizes in a table; undefined if it is not that of `byteCount` plain bytes. */
function sizesOf(
  table: Uint8Array,
  byteCount: number,
): { words: Uint32Array; entryCount: number; filterCount: number } | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const frameCount = frameCountOf(byteCount);
  const entryCount = (table.byteLength - seekTableLength(0)) / ENTRY_BYTES;
  const filterCount = filterCountIn(entryCount, frameCount);
  if (filterCount === undefined || !isTable(view)) return undefined;
  const words = new Uint32Array(table.slice(HEADER_BYTES, HEADER_BYTES + entryCount * ENTRY_BYTES).buffer);
  const last = words[entryOfFrame(frameCount - 1, filterCount) * 2 + 1];
  return last === frameLength(frameCount - 1, byteCount) ? { words, entryCount, filterCount } : undefined;
}

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
  const sizes = sizesOf(table, byteCount);
  if (sizes === undefined) return undefined;
  const { words, entryCount, filterCount } = sizes;
  const end = fileBytes - table.byteLength;
  let atEntry = 0;
  let atByte = 0;
  return {
    filterCount,
    at(entry) {
      if (Math.abs(entry - atEntry) > entry) atEntry = atByte = 0;
      if (Math.abs(entry - atEntry) > entryCount - entry) [atEntry, atByte] = [entryCount, end];
      atByte += entry < atEntry ? -sizesIn(words, entry, atEntry) : sizesIn(words, atEntry, entry);
      atEntry = entry;
      const size = words[entry * 2]!;
      const isPlausible = size <= MAX_PACKED_BYTES && atByte >= 0 && atByte + size <= end;
      return isPlausible ? { fromByte: atByte, toByte: atByte + size } : undefined;
    },
  };
}

/**
 * Adds up the compressed sizes of entries `[fromEntry, toEntry)`. A read runs this once: eight at a time, so that a few
 * thousand do not start the compiler, which costs a third of the call.
 */
function sizesIn(words: Uint32Array, fromEntry: number, toEntry: number): number {
  let byteCount = 0;
  let at = fromEntry * 2;
  for (let rounds = toEntry - fromEntry >> 3; rounds > 0; rounds--, at += 16) {
    byteCount += words[at]! + words[at + 2]! + words[at + 4]! + words[at + 6]! +
      words[at + 8]! + words[at + 10]! + words[at + 12]! + words[at + 14]!;
  }
  for (; at < toEntry * 2; at += 2) byteCount += words[at]!;
  return byteCount;
}

/**
 * Decodes a seek table that must be that of `byteCount` plain bytes, in a file of `fileBytes`. Returns undefined if the
 * table claims anything else.
 */
export function decodeSeekTable(
  table: Uint8Array,
  byteCount: number,
  fileBytes: number,
): FramePlaces | undefined {
  const sizes = sizesOf(table, byteCount);
  if (sizes === undefined) return undefined;
  const { words, entryCount, filterCount } = sizes;
  const frameCount = frameCountOf(byteCount);
  let end = table.byteLength;
  for (let entry = 0; entry < entryCount; entry++) {
    const packedLength = words[entry * 2]!;
    if (packedLength > MAX_PACKED_BYTES) return undefined;
    end += packedLength;
  }
  for (let frame = 0; frame < frameCount; frame++) {
    const length = words[entryOfFrame(frame, filterCount) * 2 + 1];
    if (length !== frameLength(frame, byteCount)) return undefined;
  }
  for (let group = 0; group < filterCount; group++) {
    if (words[entryOfFilter(group, frameCount) * 2 + 1] !== 0) return undefined;
  }
  return end === fileBytes ? placesInTable(table, byteCount, fileBytes) : undefined;
}

function isTable(table: DataView): boolean {
  const length = table.byteLength;
  return length >= seekTableLength(0) && table.getUint32(0, true) === SKIPPABLE_MAGIC &&
    table.getUint32(4, true) === length - HEADER_BYTES && table.getUint8(length - 5) === 0 &&
    table.getUint32(length - FOOTER_BYTES, true) * ENTRY_BYTES === length - seekTableLength(0) &&
    table.getUint32(length - 4, true) === SEEKABLE_MAGIC;
}

/** The number that a filter starts with. */
export const FILTER_MAGIC = 0x184d2a5f;

/**
 * Finds the frames of `byteCount` plain bytes by walking over their headers, for a file whose seek table is damaged.
 * `bytesAt` returns up to `length` bytes at an offset. Returns as {@link decodeSeekTable}.
 */
export function walkFrames(
  bytesAt: (offset: number, length: number) => Uint8Array,
  byteCount: number,
): FramePlaces | undefined {
  const frameCount = frameCountOf(byteCount);
  const offsets: number[] = [0];
  let offset = 0;
  const end = (): boolean =>
    offset - offsets[offsets.length - 1]! <= MAX_PACKED_BYTES && offsets.push(offset) > 0;
  for (let frame = 0; frame < frameCount; frame++) {
    const walked = walkBlocks(bytesAt, offset);
    if (walked?.plainBytes !== frameLength(frame, byteCount)) return undefined;
    offset = walked.end;
    if (!end()) return undefined;
    if (!endsFilteredGroup(frame, frameCount)) continue;
    const filterBytes = filterLength(bytesAt(offset, HEADER_BYTES));
    if (filterBytes === undefined) continue;
    offset += filterBytes;
    if (!end()) return undefined;
  }
  const filterCount = filterCountIn(offsets.length - 1, frameCount);
  if (filterCount === undefined) return undefined;
  return { filterCount, at: (entry) => ({ fromByte: offsets[entry]!, toByte: offsets[entry + 1]! }) };
}

/** Returns the size of the filter that starts with these bytes; undefined if none does. */
function filterLength(header: Uint8Array): number | undefined {
  if (header.length < HEADER_BYTES) return undefined;
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  return view.getUint32(0, true) === FILTER_MAGIC ? HEADER_BYTES + view.getUint32(4, true) : undefined;
}

/** Decodes the header of a block within a frame: 3 bytes, before its `packedBytes`; undefined if it is cut off. */
function blockHeader(bytes: Uint8Array): { isLast: boolean; packedBytes: number } | undefined {
  const [low = 0, middle = 0, high] = bytes;
  if (high === undefined) return undefined;
  const isOneByte = (low >> 1 & 3) === 1;
  return { isLast: (low & 1) === 1, packedBytes: isOneByte ? 1 : (low | middle << 8 | high << 16) >> 3 };
}

/** Walks over the blocks of the frame at `offset`; undefined if there is none, or it is cut off. */
function walkBlocks(bytesAt: (offset: number, length: number) => Uint8Array, offset: number) {
  const header = frameHeader(bytesAt(offset, 18));
  if (header === undefined) return undefined;
  let end = offset + header.length;
  for (let blockCount = 1;; blockCount++) {
    const block = blockHeader(bytesAt(end, 3));
    if (block === undefined) return undefined;
    end += 3 + block.packedBytes;
    if (!block.isLast) continue;
    return { plainBytes: header.plainBytes, end: end + (header.hasChecksum ? 4 : 0), blockCount };
  }
}

/**
 * Returns the number of blocks in a frame, each of which unpacks to at most 128 KiB; undefined if they do not end where
 * it does.
 */
export function zstdBlockCount(frame: Uint8Array): number | undefined {
  const walked = walkBlocks((offset, length) => frame.subarray(offset, offset + length), 0);
  return walked?.end === frame.length ? walked.blockCount : undefined;
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
  let plainBytes = sizeBytes === 2 ? 256 : 0;
  for (let byte = 0; byte < sizeBytes; byte++) plainBytes += bytes[at + byte]! * 256 ** byte;
  return { length: at + sizeBytes, plainBytes, isSingleSegment, hasChecksum: (descriptor & 4) !== 0 };
}
