/**
 * Leaves out what packed content cannot match, without unpacking it. The filters of its frames (`frame_filter.ts`) say
 * which of them may have the start of what every match contains; only lines that touch one of those are searched.
 *
 * In clean view, what is left of a line need not be in the content in one piece, so frames with something to clean are
 * searched whatever their filter says.
 *
 * @module
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { FILTER_BYTES, filtersOf, trigramHashes } from "../packs/frame_filter.ts";
import { FRAME_BYTES, frameCountOf, GROUP_FRAMES } from "../packs/seek_table.ts";
import type { OpenContent } from "../slices/open_content.ts";
import type { PatternNode } from "./pattern_syntax.ts";
import { requiredParts } from "./required_parts.ts";
import type { Chunk } from "./scan_lines.ts";

const LINE_FEED = 0x0a;
const BLOCKS_PER_FRAME = FRAME_BYTES / BLOCK_BYTES;

/**
 * Returns the chunks of the lines that may match `root`, whole lines in order; undefined if nothing can be left out.
 * With `isClean`, lines are matched in clean view.
 */
export function skipFrames(
  content: OpenContent,
  root: PatternNode,
  isClean: boolean,
): Iterable<Chunk> | undefined {
  const { packed, entry } = content;
  if (packed === undefined || packed.filterCount === 0) return undefined;
  const parts = requiredParts(root);
  if (parts === undefined) return undefined;
  const hashes = parts.map((part) => part.flatMap((text) => trigramHashes(utf8Bytes(text))));
  let group = -1;
  let filters: Uint8Array | undefined;

  function mayMatch(frame: number): boolean {
    if (Math.floor(frame / GROUP_FRAMES) !== group) {
      group = Math.floor(frame / GROUP_FRAMES);
      filters = filtersOf(packed!, entry, group);
    }
    return filters === undefined || hasAny(filters, frame % GROUP_FRAMES, hashes) ||
      isClean && mayNeedCleaning(content, frame);
  }

  return linesTouching(content, mayMatch);
}

/** Whether the filter number `place` has every hash of one of `parts`. */
function hasAny(filters: Uint8Array, place: number, parts: readonly (readonly number[])[]): boolean {
  const start = place * FILTER_BYTES;
  return parts.some((part) => part.every((hash) => (filters[start + (hash >> 3)]! >> (hash & 7) & 1) === 1));
}

function mayNeedCleaning({ index }: OpenContent, frame: number): boolean {
  const end = Math.min(index.blockCount, (frame + 1) * BLOCKS_PER_FRAME);
  for (let block = frame * BLOCKS_PER_FRAME; block < end; block++) {
    if (index.at(block).hasControls !== false) return true;
  }
  return false;
}

/** Yields the lines of which a part is in a frame that `isWanted`; once for a group of others, how far it is. */
function* linesTouching(content: OpenContent, isWanted: (frame: number) => boolean): Iterable<Chunk> {
  const { byteCount } = content.entry;
  const frameCount = frameCountOf(byteCount);
  /** Up to here, lines were yielded or left out. */
  let doneByte = 0;
  for (let frame = 0; frame < frameCount; frame++) {
    if (frame % GROUP_FRAMES === 0) yield Math.max(doneByte, frame * FRAME_BYTES);
    if (!isWanted(frame)) continue;
    const start = frame * FRAME_BYTES;
    // What was yielded last may have ended in this frame.
    if (start > doneByte) doneByte = startOfLine(content, start, doneByte);
    yield doneByte;
    for (let isEnd = false; !isEnd;) {
      const block = Math.floor(doneByte / BLOCK_BYTES);
      const bytes = content.block(block);
      const from = doneByte - block * BLOCK_BYTES;
      const isInside = isWanted(Math.floor(block / BLOCKS_PER_FRAME));
      const lineFeed = isInside ? -1 : bytes.indexOf(LINE_FEED, from);
      const to = lineFeed < 0 ? bytes.length : lineFeed + 1;
      yield bytes.subarray(from, to);
      doneByte += to - from;
      isEnd = doneByte === byteCount || !isInside && lineFeed >= 0 ||
        isInside && bytes[to - 1] === LINE_FEED && doneByte % FRAME_BYTES === 0;
    }
    frame = Math.ceil(doneByte / FRAME_BYTES) - 1;
  }
}

/** Returns the start of the line that reaches byte `byte`, or `least` if there is none between. */
function startOfLine(content: OpenContent, byte: number, least: number): number {
  for (let block = byte / BLOCK_BYTES - 1; (block + 1) * BLOCK_BYTES > least; block--) {
    if (!hasLineFeed(content, block)) continue;
    const lineFeed = content.block(block).lastIndexOf(LINE_FEED);
    if (lineFeed >= 0) return Math.max(least, block * BLOCK_BYTES + lineFeed + 1);
  }
  return least;
}

/** Whether a block that is not the last has a line feed. */
function hasLineFeed({ index }: OpenContent, block: number): boolean {
  return index.at(block + 1).lineFeedsBefore > index.at(block).lineFeedsBefore;
}
