/** Stores bytes in memory, files and streams: each as a whole, or as an incomplete fd of what arrived. */

import { refuseArgument } from "../disk/check_argument.ts";
import { atEnd, ifPossible, orUndo } from "../disk/errors.ts";
import { inFile, readSome } from "../disk/file_calls.ts";
import { openRegular } from "../disk/open_regular.ts";
import { beginPut, deferPut, type Put } from "./put.ts";
import { checkPutOptions, type PutOptions } from "./put_options.ts";
import { fitsInRecord, putWhole } from "./put_whole.ts";
import type { FdEntry, PutEnd } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";

/** Stores `bytes` as a new fd. `end` describes how the command that wrote them ended. */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions, end?: PutEnd): FdEntry {
  checkPutOptions(options);
  if (fitsInRecord(store, bytes.length, options)) return putWhole(store, bytes, options, end);
  const put = beginPut(store, options);
  return orUndo(() => (put.write(bytes), put.seal(end)), () => giveUpPut(put));
}

/**
 * Stores the content of the regular file at `path` as a new fd. Failures show the path as `shown`; `end` describes
 * how the command that wrote it ended.
 *
 * @throws {FdError} `file_not_found`, `not_regular`, `permission_error`, `read_error` for the file; for the store,
 * like `beginPut`.
 */
export function putFile(
  store: Store,
  path: string,
  options: PutOptions,
  shown = path,
  end?: PutEnd,
): FdEntry {
  return inFile(openRegular(path, shown), (file) => putOpen(store, file, options, shown, end));
}

/** Stores the rest of an open file like {@link putFile}. */
export function putOpen(
  store: Store,
  file: number,
  options: PutOptions,
  shown: string,
  end?: PutEnd,
): FdEntry {
  const put = deferPut(store, options);
  return orUndo(() => {
    putRest(put, file, shown);
    return put.seal(end);
  }, () => giveUpPut(put));
}

/** Passes the rest of an open `file`, or its next `mostBytes` bytes, on to `put`. Failures show its path as `shown`. */
export function putRest(put: Put, file: number, shown: string, mostBytes = Infinity): void {
  for (let left = mostBytes; left > 0;) {
    const window = put.window();
    const length = readSome(file, window, Math.min(left, window.length), shown);
    if (length === 0) return;
    put.accept(length);
    left -= length;
  }
}

/**
 * Stores everything from `source` as it arrives, as a new fd: a `ReadableStream` of bytes (the body of a `Response`,
 * the stdout of a process), a Node stream, or any iterable of byte pieces. If the source throws, the bytes so far are
 * stored as an `incomplete` fd, and the error is thrown on; if nothing came before, there is no fd.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore } from "../store/open_store.ts";
 * import { putStream } from "./put_bytes.ts";
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
  checkPutOptions(options);
  let put: Put | undefined;
  try {
    for await (const piece of source) {
      // A source of something else takes no id.
      if (!(piece instanceof Uint8Array)) refuseArgument("source", piece, "a Uint8Array");
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

/**
 * Stores `pieces`, each valid until the next one, as a new fd. Throws what walking them and storing throw; if there is no first
 * piece for that, no id is used.
 */
export function putPieces(store: Store, pieces: Iterable<Uint8Array>, options: PutOptions): FdEntry {
  let put: Put | undefined;
  const write = () => {
    for (const piece of pieces) {
      put ??= deferPut(store, options);
      put.write(piece);
    }
    put ??= deferPut(store, options);
    return put.seal();
  };
  return orUndo(write, () => put !== undefined && giveUpPut(put));
}

/**
 * Seals `put` as incomplete, with its `end` as far as known, unless it has ended. If even that fails, the fd is left
 * like one whose writer died.
 */
export function giveUpPut(put: Put, end: PutEnd = {}): void {
  if (put.isEnded) return;
  using _put = atEnd(() => put.abandon());
  ifPossible(() => put.seal({ ...end, incomplete: true }));
}
