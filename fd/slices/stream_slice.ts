/**
 * A slice as a stream, for what takes one: a `Response`, `pipeTo`, a process's stdin. Its pieces may be kept, since each
 * is a copy.
 *
 * @module
 */

import type { FdEntry } from "../records/fd_entry.ts";
import { locateSlice, type SliceRequest } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";

/**
 * The bytes of a slice as a stream that reads as it is read from, 64 KiB at a time at most. Cancelling it closes the fd.
 * The slice is located at once; damage (`store_corrupt`) shows as the stream's error, before any byte that is wrong.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore } from "../store/open_store.ts";
 * import { putBytes } from "../put/put_bytes.ts";
 * import { streamSlice } from "./stream_slice.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * const entry = putBytes(store, new TextEncoder().encode("one\ntwo\n"), { source: "example" });
 * const text = await new Response(streamSlice(store, entry, { mode: "char", start: 4, count: 3 })).text();
 * if (text !== "two") throw new Error(text);
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} what `locateSlice` throws.
 */
export function streamSlice(
  store: Store,
  entry: FdEntry,
  request: SliceRequest,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = readSlice(store, entry, locateSlice(store, entry, request)).chunks()[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { done, value } = chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(new Uint8Array(value));
    },
    cancel() {
      chunks.return?.();
    },
  }, { highWaterMark: 0 });
}
