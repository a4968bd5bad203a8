/**
 * Walks forward through the lines of an fd for a diff. Lines are passed on in pieces, so that a long one takes no
 * memory.
 */

import { cleanChunks, type FdEntry, locateSlice, readSlice, type Store } from "../../fd/mod.ts";

export interface LineCursor {
  /** Moves forward to line `line` (from 0). */
  skipTo(line: number): void;
  /** Passes on the current line with its line end, and moves to the next. Returns whether it has a line end. */
  takeLine(take: (piece: Uint8Array) => void): boolean;
  close(): void;
}

/** A longer way is looked up in the index. */
const WALKED_LINES = 10_000;
const LINE_FEED = 0x0a;

/** Starts at the first line of `entry` or, if `isCleaned`, of its clean view. */
export function lineCursor(store: Store, entry: FdEntry, isCleaned: boolean): LineCursor {
  const chunksFrom = (fromByte: number): Iterator<Uint8Array> => {
    const stored = readSlice(store, entry, { fromByte, toByte: entry.byteCount }).chunks();
    return (isCleaned ? cleanChunks(stored) : stored)[Symbol.iterator]();
  };
  let chunks = chunksFrom(0);
  let chunk: Uint8Array = new Uint8Array(0);
  let at = 0;
  let atLine = 0;

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
        // A side without lines in a change may be skipped to its end, which is not the start of a line.
        const fromByte = line < entry.lineCount
          ? locateSlice(store, entry, { mode: "line", start: line + 1 }).fromByte
          : entry.byteCount;
        chunks = chunksFrom(fromByte);
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
