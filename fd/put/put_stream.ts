/**
 * Stores a stream as it arrives. Nothing is collected in memory, and the source is only read further once the
 * previous bytes are stored.
 */

import { checkBytes, refuseArgument } from "../disk/check_argument.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import { giveUpPut } from "./give_up_put.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut, type Put } from "./put.ts";
import { checkPutOptions, type PutOptions } from "./put_options.ts";

/**
 * Stores everything from `source` as a new fd: a `ReadableStream` of bytes (the body of a `Response`, the stdout of a
 * process), a Node stream, or any iterable of byte pieces. If the source throws, the bytes so far are stored as an
 * `incomplete` fd, and the error is thrown on; if nothing came before, there is no fd.
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
 * @throws {FdError} like {@link beginPut} and its `write`; the bytes so far are stored here too.
 */
export async function putStream(
  store: Store,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: PutOptions,
): Promise<FdEntry> {
  const isStream = typeof source === "object" && source !== null &&
    (Symbol.asyncIterator in source || Symbol.iterator in source);
  if (!isStream) refuseArgument("source", source, "a stream or iterable of Uint8Array");
  checkPutOptions(options);
  let put: Put | undefined;
  try {
    for await (const piece of source) {
      // A source of something else takes no id.
      if (put === undefined) checkBytes("source", piece);
      put ??= beginPut(store, options);
      put.write(piece);
    }
    put ??= beginPut(store, options);
    return put.seal();
  } catch (thrown) {
    if (put !== undefined) giveUpPut(put);
    throw thrown;
  }
}
