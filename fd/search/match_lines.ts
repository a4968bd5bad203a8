/**
 * Finds the lines of an fd that match a pattern: counts them, returns the first ones and, if requested, stores them
 * as a new fd. One pass over the content; line numbers are looked up in the block index for returned lines only.
 */

import { atEnd, orUndo } from "../disk/errors.ts";
import { Buffer } from "node:buffer";
import type { FdEntry } from "../records/fd_entry.ts";
import { lineCleaner } from "./clean_lines.ts";
import { type LineFinder, lineFinder, type PatternOptions } from "./line_finder.ts";
import { charsBeforeByte, lineOfByte } from "../slices/locate_text.ts";
import { WALK_BLOCKS } from "../store/backend.ts";
import { type OpenContent, usedContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { giveUpPut } from "../put/put_bytes.ts";
import { deferPut, type Put } from "../put/put.ts";
import type { PutOptions } from "../put/put_options.ts";
import { readSlice } from "../slices/read_slice.ts";
import { type FoundLine, type LineShape, shapeCounter, tellingShapes } from "./line_shapes.ts";
import { type Chunk, type LinesAt, type LineVisitor, type MatchedText, scanLines } from "./scan_lines.ts";
import { skipFrames } from "./skip_frames.ts";

/** A pattern and what to do with matching lines. */
export interface MatchRequest extends PatternOptions {
  /** Match the clean view of lines: what a terminal would have left standing. Lines are stored as they are. */
  clean?: boolean | undefined;
  /** Select lines that do not match. */
  invert?: boolean | undefined;
  /** Maximum lines to return; further ones are only counted. */
  keep: number;
  /** Stop after this many lines. Whether there are more is still determined. */
  stopAfter?: number | undefined;
  /** Search only the lines that end in the blocks before this byte. Not with `invert`. */
  untilByte?: number | undefined;
  /** Count the shapes of matching lines. */
  shapes?: boolean | undefined;
  /** Called with the start of each selected line, in order; with `invert`, only of the first `keep`. */
  onLine?: ((fromByte: number) => void) | undefined;
  /** Count equal matches; with `extract`, store the matches, one a line, in place of their lines. */
  onlyMatching?: boolean | undefined;
  /** Store the lines, byte for byte, as a new fd with these options. */
  extract?: PutOptions | undefined;
}

/** A selected line. */
export interface LineHit extends FoundLine {
  /** Line number from 1, as in slices by line. */
  lineNumber: number;
  /** Char offset of `hitByte`, or of the line's end. */
  hitChar: number;
}

/** The lines of an fd that match. */
export interface Matches {
  /** Number of lines; `stopAfter` if there are more. */
  total: number;
  /** Whether there are more than `total` lines, uncounted because of `stopAfter`. */
  isCapped: boolean;
  /** The first lines, at most `keep`; with `stopAfter`, possibly one more than `total`. */
  hits: LineHit[];
  /**
   * If requested and there are at least {@link MIN_SHAPED} lines: the commonest and the rarest shapes, and how many
   * shapes there are, in how many of the first lines.
   */
  shapes: (Omit<LineShape, "lines"> & { lines: LineHit[] })[];
  /** Different shapes among the lines that were looked at. */
  shapeCount: number;
  /** Lines that were looked at for shapes: the first ones. */
  shapedCount: number;
  /** With `onlyMatching`: the different matches of the first lines; undefined if they were not counted. */
  texts: EqualMatches | undefined;
  /** The number of matches stored in place of lines. */
  spanCount: number;
  /** The new fd; undefined if none was requested or no line was found. */
  extracted: FdEntry | undefined;
}

const LINE_FEED = 0x0a;
const LINE_END = Uint8Array.of(LINE_FEED);

/** Packed content of fewer bytes has no filters. */
const MIN_SKIPPED_BYTES = 900_000;

/** Fewer lines are shown without their shapes. */
const MIN_SHAPED = 10;

/** Passes the matches within a line to `add`, and returns their number. */
export type CopySpans = (
  content: OpenContent,
  line: FoundLine,
  text: MatchedText | undefined,
  add: (match: Uint8Array) => void,
) => number;

/** Matches counted by their text. */
export interface EqualMatches {
  /** The commonest first, and of equals the first one; of many, the commonest and the rarest. `hit` is the first line with it. */
  texts: { text: string; count: number; hit: LineHit }[];
  /** How many there are. */
  textCount: number;
  /** Lines and matches that were looked at. */
  lineCount: number;
  matchCount: number;
}

/** Counts equal matches. */
export interface TextCounter {
  add(content: OpenContent, line: FoundLine, text: MatchedText | undefined): void;
  /** Whether further lines are not looked at. */
  isFull(): boolean;
  /** The result, with hits made by `hitOf`; undefined if the matches are too many or too long to be counted. */
  end(hitOf: (line: FoundLine) => LineHit): EqualMatches | undefined;
}

/** Steps that few searches need. */
interface FurtherSteps {
  copySpans?: CopySpans | undefined;
  texts?: TextCounter | undefined;
}

/**
 * Searches an fd step by step; each step yields the byte up to which the content was searched, or what it has to wait
 * for. If it is stopped early, lines stored so far remain, as an incomplete fd. With `copySpans`, matches are stored in
 * place of lines; with `texts`, equal ones are counted.
 *
 * @throws {FdError} `invalid_parameter` for a pattern that is invalid, not supported (lookaround, backreferences) or
 * too large; `store_corrupt`; while storing, like {@link beginPut}.
 */
export function* matchSteps(
  store: Store,
  entry: FdEntry,
  request: MatchRequest,
  finder: LineFinder = lineFinder(request),
  { copySpans, texts }: FurtherSteps = {},
): Generator<number | Promise<void>, Matches> {
  const limit = request.stopAfter ?? Infinity;
  const found: FoundLine[] = [];
  const copy = request.extract === undefined ? undefined : lineCopier(store, entry, request.extract);
  const shapes = request.shapes === true && request.invert !== true ? shapeCounter() : undefined;
  let lineCount = 0;
  let matchedCount = 0;
  let spanCount = 0;
  let isCapped = false;

  /** Handles one selected line. Returns true once there are more than `stopAfter`. */
  function take(line: FoundLine, at: LinesAt, text?: MatchedText | undefined): boolean {
    if (found.length < request.keep) found.push(line);
    if (lineCount === limit) return isCapped = true;
    lineCount++;
    request.onLine?.(line.fromByte);
    if (texts?.isFull() === false) texts.add(content, line, text);
    if (copySpans !== undefined && copy !== undefined) {
      spanCount += copySpans(content, line, text, copy.addMatch);
    } else copy?.add(line.fromByte, line.toByte, at);
    return false;
  }

  function count(furtherLines: number): void {
    matchedCount += furtherLines;
    lineCount += furtherLines;
  }

  /** Handles a run of lines one by one as long as each is needed, and the rest of the run as a whole. */
  function takeRun(fromByte: number, toByte: number, at: LinesAt): boolean {
    let lineFrom = fromByte;
    while (lineFrom < toByte && (found.length < request.keep || limit !== Infinity)) {
      const lineFeed = at.bytes?.indexOf(LINE_FEED, lineFrom - at.baseByte) ?? -1;
      const lineTo = lineFeed < 0 ? toByte : Math.min(at.baseByte + lineFeed + 1, toByte);
      if (take({ fromByte: lineFrom, toByte: lineTo, hitByte: lineFrom }, at)) return true;
      lineFrom = lineTo;
    }
    if (lineFrom < toByte) copy?.add(lineFrom, toByte, at);
    return false;
  }

  /** Whether each further line changes a count, and nothing else. */
  const isCounting = (): boolean =>
    found.length >= request.keep && limit === Infinity && shapes?.isFull() !== false &&
    texts?.isFull() !== false &&
    copy === undefined && request.onLine === undefined && request.invert !== true;

  const visitor: LineVisitor = {
    get counted() {
      return isCounting() ? count : undefined;
    },
    matched(fromByte, toByte, hitByte, at, text) {
      matchedCount++;
      const line = { fromByte, toByte, hitByte };
      if (shapes !== undefined && text !== undefined) shapes.add(text.bytes, text.from, text.to, line);
      return request.invert === true ? false : take(line, at, text);
    },
    unmatched: (fromByte, toByte, at) => request.invert === true && takeRun(fromByte, toByte, at),
  };
  using content = usedContent(store, entry);
  const cleaner = request.clean === true ? lineCleaner(content.index) : undefined;
  let isDone = false;
  using _copy = atEnd(() => isDone || copy?.leave());
  // Of lines that do not match, none can be left out.
  const maySkip = request.invert !== true && entry.byteCount >= MIN_SKIPPED_BYTES;
  const some = maySkip ? skipFrames(content, finder.root, request.clean === true) : undefined;
  for (const doneByte of scanLines(some ?? blocksOf(content), 0, finder, visitor, cleaner)) {
    yield doneByte;
    if (typeof doneByte === "number" && doneByte >= (request.untilByte ?? Infinity)) break;
  }
  if (request.invert === true && limit === Infinity) lineCount = entry.lineCount - matchedCount;
  const numbers = numbered(content, found, lineCount >= MIN_SHAPED ? shapes?.shapes() ?? [] : []);
  const extracted = copy?.end();
  isDone = true;
  const shapedCount = shapes?.lineCount() ?? 0;
  const counted = lineCount > found.length ? texts?.end((line) => hitAt(content, line)) : undefined;
  return { total: lineCount, isCapped, ...numbers, texts: counted, shapedCount, spanCount, extracted };
}

function* blocksOf({ index, block, prepare }: OpenContent): Iterable<Chunk> {
  for (let number = 0; number < index.blockCount; number++) {
    if (number % WALK_BLOCKS === 0) {
      const waiting = prepare?.(number, number + WALK_BLOCKS);
      if (waiting !== undefined) yield waiting;
    }
    yield block(number);
  }
}

function hitAt(content: OpenContent, line: FoundLine): LineHit {
  return {
    ...line,
    lineNumber: lineOfByte(content, line.fromByte),
    hitChar: charsBeforeByte(content, Math.min(line.hitByte, line.toByte)),
  };
}

function numbered(
  content: OpenContent,
  found: readonly FoundLine[],
  shapes: readonly LineShape[],
): Pick<Matches, "hits" | "shapes" | "shapeCount"> {
  return {
    hits: found.map((line) => hitAt(content, line)),
    shapes: tellingShapes(shapes).map((shape) => ({
      ...shape,
      lines: shape.lines.map((line) => hitAt(content, line)),
    })),
    shapeCount: shapes.length,
  };
}

/** Stores selected lines, byte for byte, or the matches within them, as a new fd that is created with the first one. */
function lineCopier(store: Store, entry: FdEntry, options: PutOptions) {
  let put: Put | undefined;
  const gathered = Buffer.allocUnsafe(65_536);
  let gatheredCount = 0;

  function flush(): void {
    if (gatheredCount > 0) put?.write(gathered.subarray(0, gatheredCount));
    gatheredCount = 0;
  }

  function gather(bytes: Uint8Array, from: number, to: number): void {
    if (gatheredCount + to - from > gathered.length) flush();
    if (to - from > gathered.length) put?.write(bytes.subarray(from, to));
    else {
      gathered.set(bytes.subarray(from, to), gatheredCount);
      gatheredCount += to - from;
    }
  }

  return {
    add(fromByte: number, toByte: number, { bytes, baseByte }: LinesAt): void {
      put ??= deferPut(store, options);
      if (bytes !== undefined) gather(bytes, fromByte - baseByte, toByte - baseByte);
      else {
        for (const chunk of readSlice(store, entry, { fromByte, toByte }).chunks()) {
          gather(chunk, 0, chunk.length);
        }
      }
    },
    /** Adds a match, as a line. */
    addMatch(match: Uint8Array): void {
      put ??= deferPut(store, options);
      gather(match, 0, match.length);
      gather(LINE_END, 0, 1);
    },
    /** Stores the lines so far as an incomplete fd. */
    leave(): void {
      using _put = atEnd(() => put !== undefined && giveUpPut(put));
      flush();
    },
    end(): FdEntry | undefined {
      const seal = () => {
        flush();
        // A name without matches means that there were none, not the fd that it was bound to before.
        if (options.names !== undefined) put ??= deferPut(store, options);
        return put?.seal();
      };
      return orUndo(seal, () => put !== undefined && giveUpPut(put));
    },
  };
}
