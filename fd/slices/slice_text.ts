/** Reads a slice as text in one call, for small slices that a person or model reads. */

import type { FdEntry } from "../records/fd_entry.ts";
import { locateSlice, type SliceRequest } from "./locate_slice.ts";
import type { Store } from "../store/open_store.ts";
import { readSlice, readWhole } from "./read_slice.ts";

/**
 * Returns the text of a slice, all in memory. Each maximal ill-formed subpart of UTF-8 becomes U+FFFD; a byte order
 * mark is preserved. For the exact bytes, or many of them, see `readSlice` and `streamSlice`.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore } from "../store/open_store.ts";
 * import { putBytes } from "../put/put_bytes.ts";
 * import { sliceText } from "./slice_text.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const store = openStore(dir);
 * const entry = putBytes(store, new TextEncoder().encode("one\ntwo\nthree\n"), { source: "example" });
 * if (sliceText(store, entry, { mode: "line", start: 2, count: 2 }) !== "two\nthree\n") throw new Error();
 * if (sliceText(store, entry, { mode: "line", tail: 1 }) !== "three\n") throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} like `locateSlice` and `readSlice`.
 */
export function sliceText(store: Store, entry: FdEntry, request: SliceRequest): string {
  const bytes = readWhole(readSlice(store, entry, locateSlice(store, entry, request)));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
