/**
 * Leaves out what packed content cannot match, without unpacking it. The filters of its frames (`frame_filter.ts`) say
 * which of them may have the start of what every match contains; only lines that touch one of those are searched.
 *
 * In clean view, what is left of a line need not be in the content in one piece, so frames with something to clean are
 * searched whatever their filter says.
 */

import { BLOCK_BYTES, blockAt } from "../bytes/block_sum.ts";
import { utf8Bytes } from "../bytes/utf8_bytes.ts";
import { FILTER_BYTES, filtersOf, trigramHashes } from "../packs/frame_filter.ts";
import { FRAME_BYTES, frameCountOf, GROUP_FRAMES } from "../packs/seek_table.ts";
import type { OpenContent } from "../slices/open_content.ts";
import type { PatternNode } from "./pattern_syntax.ts";
import { type RequiredPart, requiredParts } from "./required_parts.ts";
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
  const parts = requiredParts(root)?.map(soughtPart);
  if (parts === undefined) return undefined;
  let group = -1;
  let filters: Uint8Array | undefined;

  return linesTouching(content, {
    needOf(frame) {
      if (Math.floor(frame / GROUP_FRAMES) !== group) {
        group = Math.floor(frame / GROUP_FRAMES);
        filters = filtersOf(packed, entry, group);
      }
      if (filters === undefined || isClean && mayNeedCleaning(content, frame)) return "all";
      const start = frame % GROUP_FRAMES * FILTER_BYTES;
      const isInFilter = (hash: number) => (filters![start + (hash >> 3)]! >> (hash & 7) & 1) === 1;
      return parts.some(({ hashes }) => hashes.every(isInFilter)) ? "text" : undefined;
    },
    mayHave(bytes) {
      const present = new Set(trigramHashes(bytes));
      return parts.some(({ hashes }) => hashes.every((hash) => present.has(hash)));
    },
    mayStartIn(bytes) {
      const present = new Set(trigramHashes(bytes));
      const [last, end] = bytes.slice(-2).map(folded);
      return parts.some(({ first, start: [one, two] }) =>
        present.has(first) || last === one && end === two || end === one
      );
    },
  });
}

/** The hashes of all trigrams of a required part, that of the first, and its bytes without case. */
function soughtPart(texts: RequiredPart) {
  const hashes = texts.flatMap((text) => trigramHashes(utf8Bytes(text)));
  return { hashes, first: hashes[0]!, start: utf8Bytes(texts[0]!).slice(0, 3).map(folded) };
}

/** Letters in both cases are the same. */
function folded(byte: number): number {
  return byte | 0x20;
}

/** Tells where in a content the start of a required part may be. */
interface FrameJudge {
  /** Of a frame, only the lines with a part may match (`text`), or lines without one, too (`all`); or none. */
  needOf(frame: number): "text" | "all" | undefined;
  /** Whether a part may be in `bytes`. */
  mayHave(bytes: Uint8Array): boolean;
  /** Whether a part may start in `bytes`, at least two, and go on after them. */
  mayStartIn(bytes: Uint8Array): boolean;
}

function mayNeedCleaning({ index }: OpenContent, frame: number): boolean {
  const end = Math.min(index.blockCount, (frame + 1) * BLOCKS_PER_FRAME);
  for (let block = frame * BLOCKS_PER_FRAME; block < end; block++) {
    if (index.at(block).hasControls !== false) return true;
  }
  return false;
}

/** Parts of lines at the ends of a frame are looked at on their own if they have at most this many bytes. */
const MAX_EDGE_BYTES = 4096;

/**
 * Yields the lines that may match: those that touch a frame with a need, except, if that is text, those whose part in it
 * has none. Yields once for each group of frames how far it is.
 */
function* linesTouching(content: OpenContent, judge: FrameJudge): Iterable<Chunk> {
  const { byteCount } = content.entry;
  const frameCount = frameCountOf(byteCount);
  /** Up to here, lines were yielded or left out. */
  let doneByte = 0;
  for (let frame = 0; frame < frameCount; frame++) {
    if (frame % GROUP_FRAMES === 0) yield Math.max(doneByte, frame * FRAME_BYTES);
    if (judge.needOf(frame) === undefined) continue;
    const start = frame * FRAME_BYTES;
    // The line that was yielded last may have ended in this frame.
    if (start > doneByte) {
      doneByte = secondLine(content, frame, judge) ?? startOfLine(content, start, doneByte);
    }
    yield doneByte;
    for (let isEnd = false; !isEnd && doneByte < byteCount;) {
      const block = blockAt(doneByte);
      const bytes = content.block(block).subarray(doneByte - block * BLOCK_BYTES);
      const length = lengthOfRun(content, block, bytes, judge);
      isEnd = length !== undefined;
      yield bytes.subarray(0, length);
      doneByte += length ?? bytes.length;
    }
    frame = Math.ceil(doneByte / FRAME_BYTES) - 1;
  }
}

/**
 * Returns how many of `bytes`, the rest of block `block`, end what is to be searched, after a line; undefined if it goes
 * on after them.
 */
function lengthOfRun(
  content: OpenContent,
  block: number,
  bytes: Uint8Array,
  judge: FrameJudge,
): number | undefined {
  const need = judge.needOf(Math.floor(block / BLOCKS_PER_FRAME));
  if (need === undefined) {
    const lineFeed = bytes.indexOf(LINE_FEED);
    return lineFeed < 0 ? undefined : lineFeed + 1;
  }
  const next = block + 1;
  const isLastWanted = next % BLOCKS_PER_FRAME === 0 && next < content.index.blockCount &&
    judge.needOf(next / BLOCKS_PER_FRAME) === undefined;
  if (!isLastWanted) return undefined;
  const end = bytes.lastIndexOf(LINE_FEED) + 1;
  if (end === bytes.length) return end;
  const edgeBytes = bytes.length - end;
  const isShort = end > 0 && edgeBytes > 1 && edgeBytes <= MAX_EDGE_BYTES;
  return need === "text" && isShort && !judge.mayStartIn(bytes.subarray(end)) ? end : undefined;
}

/** Returns the start of the first line that starts in a frame after its first byte, if the line before it cannot match. */
function secondLine(content: OpenContent, frame: number, judge: FrameJudge): number | undefined {
  if (judge.needOf(frame) !== "text") return undefined;
  const bytes = content.block(frame * BLOCKS_PER_FRAME);
  const lineFeed = bytes.indexOf(LINE_FEED);
  if (lineFeed < 0 || lineFeed > MAX_EDGE_BYTES || judge.mayHave(bytes.subarray(0, lineFeed))) {
    return undefined;
  }
  return frame * FRAME_BYTES + lineFeed + 1;
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
