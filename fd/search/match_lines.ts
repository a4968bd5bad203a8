/**
 * Which lines of an fd match a pattern: how many, where the first of them are, and, if wanted, all of them as an fd of
 * their own. One pass over the content; line numbers come from the block index, for the lines that are handed
 * back and for no others.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "../put/give_up_put.ts";
import { lineFinder, type PatternOptions } from "./line_finder.ts";
import { charsBeforeByte, lineOfByte } from "../slices/locate_text.ts";
import { openContent } from "../slices/open_content.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut, type Put, type PutOptions } from "../put/put_bytes.ts";
import { readSlice } from "../slices/read_slice.ts";
import { type LinesAt, type LineVisitor, scanLines } from "./scan_lines.ts";

/** What to look for, and what to do with it. */
export interface MatchRequest extends PatternOptions {
  /** The lines that do not match. */
  invert?: boolean | undefined;
  /** How many lines to hand back, the first ones; the others are only counted. */
  keep: number;
  /** Stop after so many lines; whether there are more is found out. */
  stopAfter?: number | undefined;
  /** Store the lines, byte for byte, as a new fd made with these options. */
  extract?: PutOptions | undefined;
}

/** One line that was looked for. Offsets are those of the content; `toByte` is after its line feed. */
export interface LineHit {
  /** The line's number, from 1: the one that slices by line take. */
  lineNumber: number;
  /** Where the line starts. */
  fromByte: number;
  /** The byte after the line, its LF included. */
  toByte: number;
  /** Where in the line the pattern matched; the line's start where lines that do not match were wanted. */
  hitByte: number;
  /** The char offset of `hitByte`. */
  hitChar: number;
}

/** What was found. */
export interface Matches {
  /** How many lines; `stopAfter` where there are more. */
  total: number;
  /** Whether there are more than `total`, which `stopAfter` kept from being counted. */
  isCapped: boolean;
  /** The first ones, as many as were to be kept; with `stopAfter`, perhaps the one after the last that counts. */
  hits: LineHit[];
  /** What was stored; undefined where nothing was wanted or found. */
  extracted: FdEntry | undefined;
}

const LINE_FEED = 0x0a;

type FoundLine = Omit<LineHit, "lineNumber" | "hitChar">;

/** Searches an fd in one go; see {@link matchSteps}. */
export function matchLines(store: Store, entry: FdEntry, request: MatchRequest): Matches {
  const steps = matchSteps(store, entry, request);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/**
 * Searches an fd, step by step: each tells up to which byte the content was looked at. Left early, what was stored until
 * then is kept, marked as incomplete.
 *
 * @throws {FdError} `invalid_parameter` for a pattern that cannot be read, that is not supported (lookaround,
 * backreferences) or too large; `store_corrupt`; and, while storing, what {@link beginPut} throws.
 */
export function* matchSteps(
  store: Store,
  entry: FdEntry,
  request: MatchRequest,
): Generator<number, Matches> {
  const finder = lineFinder(request);
  const limit = request.stopAfter ?? Infinity;
  const found: FoundLine[] = [];
  const copy = request.extract === undefined ? undefined : lineCopier(store, entry, request.extract);
  let lineCount = 0;
  let matchedCount = 0;
  let isCapped = false;

  /** Takes one line that was looked for; true once there are more than were wanted. */
  function take(line: FoundLine, at: LinesAt): boolean {
    if (found.length < request.keep) found.push(line);
    if (lineCount === limit) return isCapped = true;
    lineCount++;
    copy?.add(line.fromByte, line.toByte, at);
    return false;
  }

  /** Takes a run of lines one by one as long as each is wanted for itself, and the rest of the run whole. */
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

  const whole = readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount });
  const visitor: LineVisitor = {
    matched(fromByte, toByte, hitByte, at) {
      matchedCount++;
      return request.invert === true ? false : take({ fromByte, toByte, hitByte }, at);
    },
    unmatched: (fromByte, toByte, at) => request.invert === true && takeRun(fromByte, toByte, at),
  };
  let isWalked = false;
  try {
    yield* scanLines(whole.chunks(), 0, finder, visitor);
    isWalked = true;
  } finally {
    if (!isWalked) copy?.leave();
  }
  if (request.invert === true && limit === Infinity) lineCount = entry.lineCount - matchedCount;
  return { total: lineCount, isCapped, hits: numbered(store, entry, found), extracted: copy?.end() };
}

function numbered(store: Store, entry: FdEntry, found: readonly FoundLine[]): LineHit[] {
  if (found.length === 0) return [];
  const content = openContent(store, entry);
  try {
    return found.map((line) => ({
      ...line,
      lineNumber: lineOfByte(content, line.fromByte),
      hitChar: charsBeforeByte(content, line.hitByte),
    }));
  } finally {
    content.close();
  }
}

/** Gathers lines into a new fd, which is made when the first one comes. */
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
      put ??= beginPut(store, options);
      if (bytes !== undefined) gather(bytes, fromByte - baseByte, toByte - baseByte);
      else {
        for (const chunk of readSlice(store, entry, { fromByte, toByte }).chunks()) {
          gather(chunk, 0, chunk.length);
        }
      }
    },
    /** The walk was left: what came is kept, and said to be a part. */
    leave(): void {
      try {
        flush();
      } finally {
        if (put !== undefined) giveUpPut(put);
      }
    },
    end(): FdEntry | undefined {
      try {
        flush();
        return put?.seal();
      } catch (thrown) {
        if (put !== undefined) giveUpPut(put);
        throw thrown;
      }
    },
  };
}
