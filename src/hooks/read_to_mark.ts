/**
 * Reads stdin up to a mark. The shell that runs a wrapped command writes the mark when the command has ended: the end of
 * the pipe itself may never come, since a background job of the command holds it open.
 *
 * @module
 */

import { Buffer } from "node:buffer";

/** A reader of what stands before the mark, and what was read past it. */
export interface MarkedReader {
  /** Puts the next bytes into `into` (which has room for more than the mark); answers how many, 0 at the mark or the end. */
  read(into: Uint8Array): number;
  /** The bytes after the mark that came with it. Empty before it was met. */
  rest(): Uint8Array;
}

/** Reads what `source` gives, up to `mark`. A part of a mark is never handed out before it is known to be none. */
export function readToMark(mark: Uint8Array, source: (into: Uint8Array) => number): MarkedReader {
  /** What may be the beginning of the mark. */
  let pending: Uint8Array = new Uint8Array(0);
  let rest: Uint8Array = new Uint8Array(0);
  let ended = false;
  return {
    rest: () => rest,
    read(into) {
      if (into.length <= mark.length) throw new Error("the window has no room for the mark");
      while (!ended) {
        into.set(pending);
        const got = source(into.subarray(pending.length));
        const bytes = Buffer.from(into.buffer, into.byteOffset, pending.length + got);
        pending = new Uint8Array(0);
        if (got === 0) {
          ended = true;
          return bytes.length;
        }
        const at = bytes.indexOf(mark);
        if (at >= 0) {
          ended = true;
          rest = Uint8Array.from(bytes.subarray(at + mark.length));
          return at;
        }
        const sureLength = bytes.length - beginningLength(bytes, mark);
        pending = Uint8Array.from(bytes.subarray(sureLength));
        if (sureLength > 0) return sureLength;
      }
      return 0;
    },
  };
}

/** How many bytes at the end of `bytes` are the longest beginning of `mark` that stands there. */
function beginningLength(bytes: Buffer, mark: Uint8Array): number {
  for (let length = Math.min(mark.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(mark.subarray(0, length))) return length;
  }
  return 0;
}
