/**
 * Stored content whose lines were watched: what was found in them, and the text of any of them, which is read when asked for.
 */

import { BLOCK_BYTES, cleanBytes, Cleaning, nodeBuffer } from "../../../fd/system.ts";
import { type BlockContent, latin1Of, promptCollection } from "../outline/outlined_content.ts";
import type { PreviewGap } from "../../calls/terms/answers.ts";
import { type ContentWatcher, watchContent } from "./watch_content.ts";
import type { WatchedLines } from "./watched_lines.ts";

/** The results of studying the content. */
export interface Study {
  readonly totalLines: number;
  /** Lines of the content before the first one that was studied. */
  readonly linesBefore: number;
  /** Undefined if the runtime cannot watch. */
  readonly watched: WatchedLines | undefined;
  readonly content: BlockContent;
  /** Whether the clean view is the content as it is stored. */
  readonly isPlain: boolean;
  /** The line feeds before blocks that were looked up. */
  readonly lineFeeds: Map<number, number>;
  /** Lines that were read, by the block in which they start; and the last ones. */
  readonly pieces: Map<number, Piece>;
  latest: Piece | undefined;
  /** The bodies of lines that were read. */
  readonly bodies: Map<number, string>;
  /** Gaps that were described: those between lines that are shown stay, while others are left out. */
  readonly gaps: Map<string, PreviewGap>;
}

/** The lines that start in one block; perhaps without the last of them, which ends in another block. */
interface Piece {
  firstLine: number;
  lastLine: number;
  /** The clean view, and where the first lines start in it: as many as {@link startOf} was asked for. */
  bytes: Uint8Array;
  starts: number[];
  /** Whether the last line has no line feed; it may be empty in the clean view. */
  isOpen: boolean;
  /** The same as stored, if the clean view differs. */
  stored: Uint8Array | undefined;
}

/** Longer lines are not read. */
const MAX_LINE_BYTES = 2 ** 20;
/** The blocks that a line may have if its clean view is not longer than that. */
const MAX_LINE_BLOCKS = 2048;
/** Pieces with more bytes are not remembered, and the most bytes of all. */
const MAX_PIECE_BYTES = 40_960;
const MAX_KEPT_BYTES = 2 ** 20;
const MAX_BODIES = 4096;
/** The bytes of the start and the end of a line that has more. */
const START_BYTES = 4096;
const END_BYTES = 1024;
const LINE_FEED = 0x0a;

/** Studies content, which must stay open; `watcher` has seen it as it came. */
export function studyContent(content: BlockContent, watcher?: ContentWatcher): Study {
  const seen = watcher?.end();
  // If a size limit dropped bytes, the content differs from what was watched.
  const watched = seen?.byteCount === content.byteCount ? seen : watchStored(content);
  return {
    totalLines: content.lineCount,
    linesBefore: 0,
    watched,
    content,
    isPlain: watched?.isPlain === true,
    lineFeeds: new Map(),
    pieces: new Map(),
    latest: undefined,
    bodies: new Map(),
    gaps: new Map(),
  };
}

/** Bytes of a part that are studied. */
const MAX_PART_BYTES = 4 * 2 ** 20;

/** Studies the lines from `first` to `last` by themselves: what is rare in them can be frequent in the others. */
export function studyPart(study: Study, first: number, last: number): Study {
  const watcher = watchContent();
  let left = MAX_PART_BYTES;
  for (let line = first; line <= last && left > 0 && watcher !== undefined;) {
    const piece = pieceOf(study, line);
    if (piece === undefined) break;
    const from = line + study.linesBefore - piece.firstLine;
    startOf(piece, from + last + 1 - line);
    const to = Math.min(piece.starts.length - 1, from + last + 1 - line);
    if (to <= from) break;
    const bytes = piece.bytes.subarray(piece.starts[from], piece.starts[to]);
    watcher.see(bytes);
    left -= bytes.length;
    line += to - from;
  }
  const linesBefore = study.linesBefore + first - 1;
  const watched = watcher?.end();
  return { ...study, totalLines: last - first + 1, linesBefore, watched, bodies: new Map(), gaps: new Map() };
}

function watchStored(content: BlockContent): WatchedLines | undefined {
  const watcher = watchContent();
  for (let block = 0; block < content.blockCount && watcher !== undefined; block++) {
    watcher.see(content.block(block));
  }
  return watcher?.end();
}

/** The piece that has `line`; undefined if it is beyond the content or too long. */
function pieceOf(study: Study, ownLine: number): Piece | undefined {
  const { content, lineFeeds, pieces, totalLines, linesBefore, latest } = study;
  if (ownLine < 1 || ownLine > totalLines) return undefined;
  const line = ownLine + linesBefore;
  if (latest !== undefined && line >= latest.firstLine && line <= latest.lastLine) return latest;
  let low = 0;
  let high = content.blockCount - 1;
  // The last block before which there are fewer line feeds than before the line.
  while (low < high) {
    const middle = low + high + 1 >> 1;
    let before = lineFeeds.get(middle);
    if (before === undefined) lineFeeds.set(middle, before = content.lineFeedsBefore(middle));
    if (before < line - 1) low = middle;
    else high = middle - 1;
  }
  let piece = pieces.get(low);
  if (piece === undefined || line > piece.lastLine) {
    piece = readPiece(study, low, line);
    let length = piece.bytes.length;
    for (const { bytes } of pieces.values()) length += bytes.length;
    if (length > MAX_KEPT_BYTES) forgetPieces(pieces);
    if (piece !== inMemory) pieces.set(low, piece);
  }
  study.latest = piece;
  return piece;
}

/** Memory of pieces that are not remembered any more. */
const spare: Uint8Array[] = [];

function forgetPieces(pieces: Map<number, Piece>): void {
  for (const piece of pieces.values()) {
    // Another study may still have it as its latest one.
    piece.lastLine = 0;
    if (piece.stored === undefined) spare.push(piece.bytes);
  }
  pieces.clear();
  // There were texts of their lines.
  promptCollection(2);
}

/** The bytes of a piece that goes on in another block, and a long one that is still there. */
let memory = new Uint8Array();
let inMemory: Piece | undefined;

/** Reads the piece of a block as far as it is needed for `line`. */
function readPiece({ content, isPlain }: Study, block: number, line: number): Piece {
  const { blockCount } = content;
  const first = content.block(block);
  if (inMemory !== undefined) inMemory.lastLine = 0;
  let length = 0;
  /** Cleans a line that is too long as it is stored: most of it may be NULs. */
  let cleaning: Cleaning | undefined;
  const take = (taken: Uint8Array, bytes = cleaning?.clean(taken) ?? taken): void => {
    if (memory.length < length + bytes.length) {
      // Larger memory lets the runtime collect garbage at once.
      const size = length + bytes.length <= 2 * BLOCK_BYTES
        ? 2 * BLOCK_BYTES
        : MAX_LINE_BYTES + 2 * BLOCK_BYTES;
      const larger = new Uint8Array(nodeBuffer().Buffer.allocUnsafeSlow(size).buffer);
      larger.set(memory.subarray(0, length));
      memory = larger;
    }
    memory.set(bytes, length);
    length += bytes.length;
  };
  const start = first.subarray(block === 0 ? 0 : first.indexOf(LINE_FEED) + 1);
  // To the end of the line that starts last in the block, or after it.
  let isEnded = blockCount === block + 1;
  const lastLine = isEnded ? content.lineCount : content.lineFeedsBefore(block + 1) + 1;
  const isPart = isPlain && !isEnded && line < lastLine;
  const isApart = isEnded || isPart;
  if (!isApart) take(start);
  for (
    let next = block + 1;
    !isApart && !isEnded && next < blockCount && length < MAX_LINE_BYTES;
    next++
  ) {
    if (next - block > MAX_LINE_BLOCKS) break;
    const bytes = content.block(next);
    const lineFeed = bytes.indexOf(LINE_FEED);
    isEnded = lineFeed >= 0 || next + 1 === blockCount;
    take(lineFeed < 0 ? bytes : bytes.subarray(0, lineFeed + 1));
    if (length < MAX_LINE_BYTES || isPlain || cleaning !== undefined) continue;
    cleaning = new Cleaning();
    const start = memory.slice(0, length);
    length = 0;
    take(start);
  }
  if (cleaning !== undefined) take(memory, cleaning.end());
  const read = isApart ? start : memory.subarray(0, length);
  const stored = isEnded ? read : read.subarray(0, read.lastIndexOf(LINE_FEED) + 1);
  const cleaned = isPlain || cleaning !== undefined ? stored : cleanBytes(stored);
  const isLong = cleaned.length > MAX_PIECE_BYTES;
  // The only block stays as it is while the content is open.
  let bytes = cleaned;
  if (cleaned === stored && !isLong && blockCount > 1) {
    bytes = new Uint8Array(spare.pop()?.buffer ?? new ArrayBuffer(MAX_PIECE_BYTES), 0, stored.length);
    bytes.set(stored);
  }
  const piece = {
    firstLine: block === 0 ? 1 : content.lineFeedsBefore(block) + 2,
    lastLine: isPart ? lastLine - 1 : lastLine,
    bytes,
    starts: [0],
    isOpen: stored.length > 0 && stored[stored.length - 1] !== LINE_FEED,
    stored: cleaned === stored ? undefined : stored.slice(),
  };
  inMemory = isLong ? piece : undefined;
  // Of each of its lines there will be texts.
  if (isLong) promptCollection(1 / 8);
  return piece;
}

/** The place in its piece of a line, from 0, or of the one after the last. Undefined if the line before it is too long. */
function startOf(piece: Piece, line: number): number | undefined {
  const { bytes, starts } = piece;
  while (starts.length <= line) {
    const lineFeed = bytes.indexOf(LINE_FEED, starts[starts.length - 1]);
    if (lineFeed < 0 && !piece.isOpen) break;
    if (lineFeed < 0) piece.isOpen = false;
    starts.push((lineFeed < 0 ? bytes.length : lineFeed) + 1);
  }
  return starts[line];
}

/** The bytes of `line`, without its line end, until another is asked for; undefined if it is not in the content or too long. */
export function lineBytes(study: Study, line: number): Uint8Array | undefined {
  const piece = pieceOf(study, line);
  if (piece === undefined) return undefined;
  const at = line + study.linesBefore - piece.firstLine;
  const end = startOf(piece, at + 1);
  return end === undefined ? undefined : piece.bytes.subarray(piece.starts[at], end - 1);
}

/** The text of `line`, one char a byte, without the middle if it is long; undefined if it cannot be read. */
export function textOf(study: Study, line: number): string | undefined {
  const bytes = lineBytes(study, line);
  if (bytes === undefined || bytes.length <= START_BYTES + END_BYTES) return bytes && latin1Of(bytes);
  return latin1Of(bytes, 0, START_BYTES) + latin1Of(bytes, bytes.length - END_BYTES);
}

/** All of the text of `line`. */
export function wholeText(study: Study, line: number): string | undefined {
  const bytes = lineBytes(study, line);
  return bytes && latin1Of(bytes);
}

/** The number of the process that valgrind and sanitizers put before each line. */
const OF_PROCESS = /^==\d+==(?: |$)/;

/** The text of `line` behind what a log puts before it; undefined if it cannot be read. */
export function bodyOf(study: Study, line: number): string | undefined {
  const known = study.bodies.get(line);
  if (known !== undefined) return known;
  const text = textOf(study, line);
  if (text === undefined) return undefined;
  const body = text.slice(study.watched?.bodyStart(line, text) ?? 0).replace(OF_PROCESS, "");
  if (study.bodies.size === MAX_BODIES) study.bodies.clear();
  study.bodies.set(line, body);
  return body;
}

/** How many lines of the content have the shape of `line`, or start like it; 0 if it cannot be read. */
export function likeCount(study: Study, line: number, by: "shape" | "lead"): number {
  return study.watched?.likeCount(line, by, (each) => textOf(study, each)) ?? 0;
}

/** Counts the chars that the clean view leaves out of `lines`. */
export function leftOutChars(study: Study, lines: readonly number[]): number {
  let count = 0;
  for (const line of lines) {
    const piece = pieceOf(study, line);
    if (piece?.stored === undefined) continue;
    let from = 0;
    for (let each = piece.firstLine; each < line + study.linesBefore; each++) {
      from = piece.stored.indexOf(LINE_FEED, from) + 1;
    }
    const to = piece.stored.indexOf(LINE_FEED, from);
    const cleaning = new Cleaning();
    cleaning.clean(piece.stored.subarray(from, to < 0 ? piece.stored.length : to + 1));
    cleaning.end();
    count += cleaning.leftOutChars;
  }
  return count;
}
