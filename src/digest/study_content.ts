/**
 * Studies stored content: all lines of short content; the beginning, the end, and the places that a watcher noted of long
 * content.
 */

import { contentInMemory, type FdEntry, type OpenContent, openContent, type Store } from "../../fd/mod.ts";
import { BLOCK_BYTES, countLineFeeds } from "../../fd/system.ts";
import { newStudy, type Study, studyLines } from "./studied_lines.ts";
import { type NotedKind, type Notes, STUDIED_START_BYTES, watchContent } from "./watch_content.ts";

/** Content of more bytes or lines is not studied line by line. */
const LONG_BYTES = 8 * 2 ** 20;
const LONG_LINES = 200_000;
/** Bytes that are studied at the end of long content. */
const ENDING_BYTES = 65_536;
/** Bytes that are studied before and after a noted place. */
const BEFORE_BYTES = 4096;
const AFTER_BYTES = 6144;
/** Places in long content whose surroundings are studied. */
const MAX_PLACES = 32;
const LINE_FEED = 0x0a;

/** Bytes of the content. */
interface ByteRange {
  from: number;
  to: number;
}

/** Studies the content of `entry`. `bytes` is all of it, if it is in memory; `notes` is what a watcher noted of it. */
export function studyContent(store: Store, entry: FdEntry, bytes?: Uint8Array, notes?: Notes): Study {
  const study = newStudy();
  study.totalLines = entry.lineCount;
  const content = bytes === undefined ? openContent(store, entry) : contentInMemory(entry, bytes);
  try {
    if (entry.byteCount <= LONG_BYTES && entry.lineCount <= LONG_LINES) {
      studyRange(study, content, { from: 0, to: entry.byteCount });
    } else {
      const noted = notes ?? watchStored(content);
      for (const range of rangesOf(noted.kinds, entry.byteCount)) studyRange(study, content, range);
      countNoted(study, noted.kinds);
    }
  } finally {
    content.close();
  }
  return study;
}

/** Watches content that another process stored. */
function watchStored(content: OpenContent): Notes {
  const watcher = watchContent();
  for (let block = 0; block < content.index.blockCount; block++) watcher.see(content.block(block));
  return watcher.end();
}

/** The ranges of long content to study, in order and apart. */
function rangesOf(kinds: readonly NotedKind[], byteCount: number): ByteRange[] {
  const weight = ({ strength, count }: NotedKind) => strength / (1 + Math.log2(count) / 3);
  const heaviest = [...kinds].sort((one, other) =>
    weight(other) - weight(one) || one.firstAt[0]! - other.firstAt[0]!
  );
  const places: number[] = [];
  for (const { firstAt, lastAt } of heaviest) {
    if (places.length >= MAX_PLACES) break;
    places.push(...firstAt, lastAt);
  }
  const ranges: ByteRange[] = [
    { from: 0, to: STUDIED_START_BYTES },
    ...places.map((at) => ({
      from: Math.max(0, at - BEFORE_BYTES),
      to: Math.min(byteCount, at + AFTER_BYTES),
    })),
    { from: byteCount - ENDING_BYTES, to: byteCount },
  ].sort((one, other) => one.from - other.from);
  const apart: ByteRange[] = [];
  for (const range of ranges) {
    const before = apart.at(-1);
    // A line that a range cuts is not studied, so ranges that are close are joined.
    if (before !== undefined && range.from <= before.to + BLOCK_BYTES) {
      before.to = Math.max(before.to, range.to);
    } else apart.push({ ...range });
  }
  return apart;
}

/** Counts all lines that were noted, since only a few of them were studied. */
function countNoted(study: Study, kinds: readonly NotedKind[]): void {
  for (const { kind, count } of kinds) {
    if ((study.kinds.get(kind) ?? count) < count) study.kinds.set(kind, count);
  }
}

/** Studies the lines that are completely in the range. */
function studyRange(study: Study, content: OpenContent, range: ByteRange): void {
  const { index, entry } = content;
  const bytes = readRange(content, range);
  const isEnd = range.to >= entry.byteCount;
  const from = range.from === 0 ? 0 : bytes.indexOf(LINE_FEED) + 1;
  const to = isEnd ? bytes.length : bytes.lastIndexOf(LINE_FEED) + 1;
  if (to <= from || range.from > 0 && from === 0) return;
  const firstByte = range.from + from;
  const block = Math.floor(firstByte / BLOCK_BYTES);
  const blockStart = block * BLOCK_BYTES;
  const before = index.at(block).lineFeedsBefore +
    countLineFeeds(content.block(block).subarray(0, firstByte - blockStart));
  const lineCount = isEnd ? entry.lineCount - before : undefined;
  studyLines(study, bytes.subarray(from, to), before + 1, lineCount);
}

function readRange(content: OpenContent, { from, to }: ByteRange): Uint8Array {
  const firstBlock = Math.floor(from / BLOCK_BYTES);
  if (content.index.blockCount === 1) return content.block(0).subarray(from, to);
  const bytes = new Uint8Array(to - from);
  for (let block = firstBlock; block * BLOCK_BYTES < to; block++) {
    const start = block * BLOCK_BYTES;
    const piece = content.block(block).subarray(Math.max(0, from - start), to - start);
    bytes.set(piece, Math.max(0, start - from));
  }
  return bytes;
}
