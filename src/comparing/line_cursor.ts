/**
 * Goes through the lines of an fd, forward only, and hands out some of them: what a diff is written from. Lines are handed
 * out in pieces, so that one of any length takes no memory.
 *
 * @module
 */

import { type FdEntry, locateSlice, readSlice, type Store } from "../../fd/mod.ts";

/** A place among the lines of an fd. */
export interface LineCursor {
  /** Goes on to line `line` (from 0), which is not before where it stands. */
  skipTo(line: number): void;
  /** Hands out the line it stands at, line end included, and goes on to the next. Answers whether it ends with one. */
  takeLine(take: (piece: Uint8Array) => void): boolean;
  close(): void;
}

/** Farther than this is found by the index; a shorter way is walked. */
const WALKED_LINES = 10_000;
const LINE_FEED = 0x0a;

/** A cursor at the first line of `entry`. */
export function lineCursor(store: Store, entry: FdEntry): LineCursor {
  let chunks = chunksFrom(store, entry, 0);
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;
  let atLine = 0;

  /** Hands what is left of a line to `take`. */
  const walkLine = (take?: (piece: Uint8Array) => void): boolean => {
    atLine++;
    for (;;) {
      const lineFeed = chunk.indexOf(LINE_FEED, at);
      const to = lineFeed < 0 ? chunk.length : lineFeed + 1;
      take?.(chunk.subarray(at, to));
      at = to;
      if (lineFeed >= 0) return true;
      const next = chunks.next();
      if (next.done === true) return false;
      chunk = next.value;
      at = 0;
    }
  };

  return {
    skipTo(line) {
      if (line - atLine > WALKED_LINES) {
        chunks.return?.();
        // A side of which a change shows no lines is skipped to its end, where no line begins.
        const fromByte = line < entry.lineCount
          ? locateSlice(store, entry, { mode: "line", start: line + 1 }).fromByte
          : entry.byteCount;
        chunks = chunksFrom(store, entry, fromByte);
        chunk = new Uint8Array(0);
        at = 0;
        atLine = line;
      }
      while (atLine < line) walkLine();
    },
    takeLine: walkLine,
    close() {
      chunks.return?.();
    },
  };
}

function chunksFrom(store: Store, entry: FdEntry, fromByte: number): Iterator<Uint8Array> {
  return readSlice(store, entry, { fromByte, toByte: entry.byteCount }).chunks()[Symbol.iterator]();
}
