/**
 * Stored content whose lines were watched: what was found in them, and the text of any of them, which is read when asked for.
 */

import type { OpenContent } from "../../fd/mod.ts";
import { cleanBytes, nodeBuffer, startCleaning } from "../../fd/system.ts";
import { type ContentWatcher, watchContent, type WatchedLines } from "./watch_content.ts";

/** The results of studying the content. */
export interface Study {
  readonly totalLines: number;
  /** Lines of the content before the first one that was studied. */
  readonly linesBefore: number;
  /** Undefined if the runtime cannot watch. */
  readonly watched: WatchedLines | undefined;
  readonly content: OpenContent;
  /** Whether the clean view is the content as it is stored. */
  readonly isPlain: boolean;
  /** Lines that were read, by the block in which they start; and the last ones. */
  readonly pieces: Map<number, Piece>;
  latest: Piece | undefined;
  /** The bodies of lines that were read, but long ones. */
  readonly bodies: Map<number, string>;
}

/** The lines that start in one block. */
interface Piece {
  firstLine: number;
  /** The clean view, each char a byte, and where each line starts in it, and one more: the start of a line after the last. */
  text: string;
  starts: number[];
  /** The same as stored, if the clean view differs. */
  stored: Uint8Array | undefined;
}

/** Longer lines are not read. */
const MAX_LINE_BYTES = 2 ** 20;
/** Chars that are remembered, and those of one body. */
const MAX_CHARS = 4 * 2 ** 20;
const MAX_KEPT_CHARS = 4096;
const LINE_FEED = 0x0a;

/** Studies content, which must stay open; `watcher` has seen it as it came. */
export function studyContent(content: OpenContent, watcher?: ContentWatcher): Study {
  const { entry } = content;
  const seen = watcher?.end();
  // If the size limit dropped bytes, the stored content differs from what was watched.
  const watched = seen?.byteCount === entry.byteCount && entry.gap === undefined
    ? seen
    : watchStored(content);
  return {
    totalLines: entry.lineCount,
    linesBefore: 0,
    watched,
    content,
    isPlain: watched?.isPlain === true,
    pieces: new Map(),
    latest: undefined,
    bodies: new Map(),
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
    const to = Math.min(piece.starts.length - 1, from + last + 1 - line);
    if (to <= from) break;
    const bytes = nodeBuffer().Buffer.from(piece.text.slice(piece.starts[from], piece.starts[to]), "latin1");
    watcher.see(bytes);
    left -= bytes.length;
    line += to - from;
  }
  const linesBefore = study.linesBefore + first - 1;
  return { ...study, totalLines: last - first + 1, linesBefore, watched: watcher?.end(), bodies: new Map() };
}

function watchStored(content: OpenContent): WatchedLines | undefined {
  const watcher = watchContent();
  for (let block = 0; block < content.index.blockCount && watcher !== undefined; block++) {
    watcher.see(content.block(block));
  }
  return watcher?.end();
}

/** The piece that has `line`; undefined if it is beyond the content or too long. */
function pieceOf(study: Study, ownLine: number): Piece | undefined {
  const { content, pieces, totalLines, linesBefore, latest } = study;
  if (ownLine < 1 || ownLine > totalLines) return undefined;
  const line = ownLine + linesBefore;
  const at = latest === undefined ? -1 : line - latest.firstLine;
  if (at >= 0 && at + 1 < latest!.starts.length) return latest;
  const { index } = content;
  let low = 0;
  let high = index.blockCount - 1;
  // The last block before which there are fewer line feeds than before the line.
  while (low < high) {
    const middle = low + high + 1 >> 1;
    if (index.at(middle).lineFeedsBefore < line - 1) low = middle;
    else high = middle - 1;
  }
  let piece = pieces.get(low);
  if (piece === undefined) {
    piece = readPiece(content, low, study.isPlain);
    let chars = piece.text.length;
    for (const { text } of pieces.values()) chars += text.length;
    if (chars > MAX_CHARS) pieces.clear();
    pieces.set(low, piece);
  }
  study.latest = piece;
  return piece;
}

function readPiece(content: OpenContent, block: number, isPlain: boolean): Piece {
  const { index } = content;
  const first = content.block(block);
  const from = block === 0 ? 0 : first.indexOf(LINE_FEED) + 1;
  const parts = [first.subarray(from)];
  // To the end of the line that starts last in the block, or after it.
  let length = first.length - from;
  let isEnded = index.blockCount === block + 1;
  for (let next = block + 1; !isEnded && next < index.blockCount && length < MAX_LINE_BYTES; next++) {
    if (next === block + 1) parts[0] = parts[0]!.slice();
    const bytes = content.block(next);
    const lineFeed = bytes.indexOf(LINE_FEED);
    isEnded = lineFeed >= 0 || next + 1 === index.blockCount;
    const part = bytes.slice(0, lineFeed < 0 ? bytes.length : lineFeed + 1);
    parts.push(part);
    length += part.length;
  }
  const { Buffer } = nodeBuffer();
  const read = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  const stored = isEnded ? read : read.subarray(0, read.lastIndexOf(LINE_FEED) + 1);
  const bytes = isPlain ? stored : cleanBytes(stored);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  // The last line without a line feed, which may be empty in the clean view.
  if (stored.length > 0 && stored.at(-1) !== LINE_FEED) starts.push(text.length + 1);
  return {
    firstLine: block === 0 ? 1 : index.at(block).lineFeedsBefore + 2,
    text,
    starts,
    stored: bytes === stored ? undefined : stored,
  };
}

/** The text of `line`, without its line end, one char a byte; undefined if it is not in the content or too long. */
export function textOf(study: Study, line: number): string | undefined {
  const piece = pieceOf(study, line);
  if (piece === undefined) return undefined;
  const at = line + study.linesBefore - piece.firstLine;
  const end = piece.starts[at + 1];
  return end === undefined ? undefined : piece.text.slice(piece.starts[at], end - 1);
}

/** The text of `line` behind what a log puts before it; undefined if it cannot be read. */
export function bodyOf(study: Study, line: number): string | undefined {
  const known = study.bodies.get(line);
  if (known !== undefined) return known;
  const text = textOf(study, line);
  if (text === undefined) return undefined;
  const body = text.slice(study.watched?.bodyStart(text) ?? 0);
  if (body.length <= MAX_KEPT_CHARS) study.bodies.set(line, body);
  return body;
}

/** How many lines of the content have the shape of `line`; 0 if it cannot be read. */
export function likeCount(study: Study, line: number): number {
  return study.watched?.likeCount(line, (each) => textOf(study, each)) ?? 0;
}

/** How many lines of the content start like `line`; 0 if it cannot be read. */
export function leadCount(study: Study, line: number): number {
  return study.watched?.leadCount(line, (each) => textOf(study, each)) ?? 0;
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
    const cleaning = startCleaning();
    cleaning.clean(piece.stored.subarray(from, to < 0 ? piece.stored.length : to + 1));
    cleaning.end();
    count += cleaning.leftOutChars;
  }
  return count;
}
