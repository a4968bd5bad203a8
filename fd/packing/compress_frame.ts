/** Compresses frames of packed content, and makes their filters for the search (FORMAT.md, "Packed content"). */

import { refuse } from "../disk/errors.ts";
import { nodeZlib } from "../disk/loaded_late.ts";
import {
  condenseMarks,
  encodeFilters,
  FILTER_BYTES,
  type FilteredContent,
  filtersLength,
  markTrigrams,
  REACH_BYTES,
} from "../packs/frame_filter.ts";
import { FRAME_BYTES, GROUP_FRAMES } from "../packs/seek_table.ts";

/** Higher levels save little for their time (docs/decisions.md). */
const LEVEL = 3;

/** Compresses one frame, which states the size of its content. */
export function compressFrame(plain: Uint8Array): Uint8Array {
  const { zstdCompressSync, constants: zlib } = nodeZlib();
  if (zstdCompressSync === undefined || zlib === undefined) {
    return refuse("pack", process.version, "a runtime with zstd in node:zlib (Node.js 22.15 or later)");
  }
  return zstdCompressSync(plain, {
    params: { [zlib.ZSTD_c_compressionLevel]: LEVEL },
    pledgedSrcSize: plain.length,
  });
}

/** Words in which a text starts that is in a frame's filter. */
const MARKED_WORDS = Math.ceil((FRAME_BYTES + REACH_BYTES) / 4);

/** Bytes of a frame and of what filters need after it: whole words, and the one that follows. */
export const FILTERED_BYTES = (MARKED_WORDS + 1) * 4;

/** Collects the filters of a content, a group of frames at a time. */
export function filterMaker(content: FilteredContent) {
  const marks = new Uint8Array(FILTER_BYTES * 8);
  const markWords = new Uint32Array(marks.buffer);
  const filters = new Uint8Array(GROUP_FRAMES * FILTER_BYTES);
  let frameCount = 0;
  return {
    /** Adds the next frame: {@link FILTERED_BYTES}, at the start of their memory. */
    add(plain: Uint8Array): void {
      marks.fill(0);
      markTrigrams(new Uint32Array(plain.buffer), MARKED_WORDS, marks);
      condenseMarks(markWords, filters.subarray(frameCount++ % GROUP_FRAMES * FILTER_BYTES));
    },
    /** Returns the filters of the group whose last frame was added, as they are in the file. */
    end(): Uint8Array {
      const group = Math.ceil(frameCount / GROUP_FRAMES) - 1;
      return encodeFilters(content, group, compressFrame(filters.subarray(0, filtersLength(group, content))));
    },
  };
}
