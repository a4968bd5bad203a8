/** Stores bytes, files and streams. @module */

import { refuseArgument } from "../disk/check_argument.ts";
import { beginPut as begin } from "../put/put.ts";
import { putBytes as putAll, putFile as putOfFile, putStream as putPieces } from "../put/put_bytes.ts";
import type { PutOptions } from "../put/put_options.ts";
import type { FdEntry, PutEnd } from "../records/fd_entry.ts";
import type { Store } from "../store/open_store.ts";
import { type Check } from "./argument_checks.ts";
import { checkArguments } from "./known_records.ts";

/** An fd being written. Others see it, as `live`, with the bytes written so far. */
export interface OpenPut {
  /** N of `fd:N`. */
  readonly id: number;
  /** Bytes accepted so far. */
  readonly byteCount: number;
  /** Whether it was sealed or abandoned. */
  readonly isEnded: boolean;
  /**
   * Appends bytes, which are on the disk (not synced) when this returns.
   *
   * @throws {FdError} `storage_full`, `write_error`: see `byteCount` for what was accepted; `invalid_parameter` if it
   * has ended.
   */
  write(bytes: Uint8Array): void;
  /**
   * Ends the fd, whose content never changes after this. `end` describes how the command that wrote it ended.
   *
   * @throws {FdError} `storage_full`, `write_error`: it may be sealed once more with `{ incomplete: true }`;
   * `invalid_parameter` if it has ended.
   */
  seal(end?: PutEnd): FdEntry;
  /** Stops writing. The fd becomes `incomplete`, with what was written. */
  abandon(): void;
}

const aStream: Check = (field, value) => {
  const isStream = typeof value === "object" && value !== null && !(value instanceof Uint8Array) &&
    (Symbol.asyncIterator in value || Symbol.iterator in value);
  if (!isStream) {
    refuseArgument(field, value, "a stream or iterable of Uint8Array (putBytes takes bytes in memory)");
  }
};

/**
 * Stores `bytes` as a new fd. `end` describes how the command that wrote them ended.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { formatFd, openStore, putBytes } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const entry = putBytes(openStore(dir), new TextEncoder().encode("a\nb\n"), { source: "example" });
 * if (formatFd(entry.id) !== "fd:1" || entry.lineCount !== 2) throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} `invalid_parameter` before an id is taken; `permission_error`, `storage_full`, `write_error`.
 */
export function putBytes(store: Store, bytes: Uint8Array, options: PutOptions, end?: PutEnd): FdEntry {
  checkArguments({ store, bytes, options, end });
  return putAll(store, bytes, options, end);
}

/**
 * Stores everything from `source` as a new fd: a `ReadableStream` of bytes (the body of a `Response`), a Node stream
 * (a process's stdout), or any iterable of byte pieces. Each piece is on the disk before the next is asked for. If the
 * source throws, what arrived is kept as an `incomplete` fd, and the error is thrown on; without any bytes there is no fd.
 *
 * ```ts
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { openStore, putStream } from "./mod.ts";
 *
 * const dir = mkdtempSync("/tmp/fd-example-");
 * const entry = await putStream(openStore(dir), new Response("a\nb\n").body!, { source: "example" });
 * if (entry.lineCount !== 2 || entry.state !== "sealed") throw new Error();
 * rmSync(dir, { recursive: true });
 * ```
 *
 * @throws {FdError} `invalid_parameter` before an id is taken, also if the first piece is not a Uint8Array;
 * `permission_error`, `storage_full`, `write_error`.
 */
export async function putStream(
  store: Store,
  // TypeScript's own DOM library does not know that a ReadableStream can be iterated.
  source: ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: PutOptions,
): Promise<FdEntry> {
  checkArguments({ store, source, options }, { source: aStream });
  return await putPieces(store, source, options);
}

/**
 * Stores the content of the regular file at `path` as a new fd.
 *
 * @throws {FdError} `invalid_parameter`; `file_not_found`, `not_regular`, `permission_error`, `read_error` for the
 * file: no id is taken. `permission_error`, `storage_full`, `write_error` for the store.
 */
export function putFile(store: Store, path: string, options: PutOptions, end?: PutEnd): FdEntry {
  checkArguments({ store, path, options, end });
  return putOfFile(store, path, options, path, end);
}

/**
 * Starts a new fd, to be written step by step. It is `live` until it is sealed; if this process dies first, it becomes
 * `incomplete`, with what was written.
 *
 * @throws {FdError} `invalid_parameter` before an id is taken; `permission_error`, `storage_full`, `write_error`.
 */
export function beginPut(store: Store, options: PutOptions): OpenPut {
  checkArguments({ store, options });
  const put = begin(store, options);
  const refuseEnded = () => {
    if (put.isEnded) refuseArgument("put", "ended", "a put that was neither sealed nor abandoned");
  };
  return {
    id: put.id,
    get byteCount() {
      return put.byteCount;
    },
    get isEnded() {
      return put.isEnded;
    },
    write(bytes) {
      checkArguments({ bytes });
      refuseEnded();
      put.write(bytes);
    },
    seal(end) {
      checkArguments({ end });
      refuseEnded();
      return put.seal(end);
    },
    abandon: () => put.abandon(),
  };
}
