/** Stores selected lines, byte for byte, or the matches within them, as a new fd. */

import { Buffer } from "node:buffer";
import type { FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "../put/put_bytes.ts";
import { deferPut, type Put } from "../put/put.ts";
import type { PutOptions } from "../put/put_options.ts";
import { readSlice } from "../slices/read_slice.ts";
import type { LinesAt } from "./scan_lines.ts";
import type { Store } from "../store/open_store.ts";

const LINE_END = Uint8Array.of(0x0a);

/** Collects lines in a new fd, created with the first line. */
export function lineCopier(store: Store, entry: FdEntry, options: PutOptions) {
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
      try {
        flush();
      } finally {
        if (put !== undefined) giveUpPut(put);
      }
    },
    end(): FdEntry | undefined {
      try {
        flush();
        // A name without matches means that there were none, not the fd that it was bound to before.
        if (options.names !== undefined) put ??= deferPut(store, options);
        return put?.seal();
      } catch (thrown) {
        if (put !== undefined) giveUpPut(put);
        throw thrown;
      }
    },
  };
}
