/**
 * Returns a slice as a stream, for a `Response`, `pipeTo` or a process's stdin. Each piece is a copy and may be
 * stored.
 */

import type { FdEntry } from "../records/fd_entry.ts";
import { locateSlice, type SliceRequest } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice } from "./read_slice.ts";

/**
 * Returns the bytes of a slice as a stream that reads on demand, at most 64 KiB at a time. Cancelling it closes the fd.
 * The slice is located immediately; damage (`store_corrupt`) makes the stream fail before any wrong byte.
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
 * @throws {FdError} like `locateSlice`.
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
