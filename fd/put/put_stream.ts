/**
 * A stream into the store, as it comes: nothing is gathered, and the source is asked for more only once the store has
 * what came.
 *
 * @module
 */

import { refuseArgument } from "../disk/check_argument.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "./give_up_put.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut, type PutOptions } from "./put_bytes.ts";

/**
 * Stores all that `source` gives as a new fd: a `ReadableStream` of bytes (the body of a `Response`, the stdout of a
 * process), a Node stream, any iterable of byte pieces. Where the source fails, what came until then stays, as an fd that
 * is `incomplete`, and the source's error is thrown on.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore } from "../store/open_store.ts";
 * import { putStream } from "./put_stream.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const entry = await putStream(openStore(dir), new Response("a\nb\n").body!, { source: "example" });
 * if (entry.lineCount !== 2 || entry.state !== "sealed") throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} what {@link beginPut} and its `write` throw; what came until then stays here, too.
 */
export async function putStream(
  store: Store,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: PutOptions,
): Promise<FdEntry> {
  const isStream = typeof source === "object" && source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isStream) refuseArgument("source", source, "a stream or iterable of Uint8Array");
  const put = beginPut(store, options);
  try {
    for await (const piece of source) put.write(piece);
    return put.seal();
  } catch (thrown) {
    giveUpPut(put);
    throw thrown;
  }
}
