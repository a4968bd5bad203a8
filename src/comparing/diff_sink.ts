/**
 * Buffers a diff while it is short, and stores a longer one as an fd. If storing fails, its beginning is still
 * available.
 */

import { Buffer } from "node:buffer";
import {
  beginPut,
  type ByteSource,
  type FdEntry,
  giveUpPut,
  type Put,
  putBytes,
  type PutOptions,
  readSlice,
  shareSealed,
  type Store,
} from "../../fd/mod.ts";
import { countChars, FdError, type FdFailure } from "../../fd/system.ts";

/** A diff; `entry` is its fd if it is too long to be shown. */
export interface FinishedDiff {
  /** The whole diff, or its beginning if `unstored` says so. */
  whole: ByteSource;
  entry: FdEntry | undefined;
  /** Why a long diff was not stored, and whether `whole` is only its beginning. */
  unstored?: { failure: FdFailure; isCut: boolean } | undefined;
}

export interface DiffSink {
  write(piece: Uint8Array): void;
  /** Ends the diff. One of more than `mostChars` chars becomes an fd. */
  end(mostChars: number): Promise<FinishedDiff>;
  /** Discards the diff; bytes stored so far are marked as incomplete. */
  abandon(): void;
}

/** More than is ever shown of a diff. */
const MAX_BUFFERED_BYTES = 2 ** 20;
const FIRST_BUFFER_BYTES = 65_536;

/** Starts a diff; `options` describe the fd that it may become. */
export function diffSink(store: Store, options: PutOptions): DiffSink {
  let buffer = Buffer.alloc(FIRST_BUFFER_BYTES);
  let bufferedBytes = 0;
  let put: Put | undefined;
  /** The buffer when storing began, in case storing fails. */
  let beginning: Buffer | undefined;
  let failure: FdFailure | undefined;

  const giveUp = (thrown: unknown): void => {
    if (!(thrown instanceof FdError)) throw thrown;
    failure = thrown.failure;
    if (put !== undefined) giveUpPut(put);
  };
  const storePiece = (piece: Uint8Array): void => {
    if (failure !== undefined) return;
    try {
      put ??= beginPut(store, options);
      put.write(piece);
    } catch (thrown) {
      giveUp(thrown);
    }
  };
  const flush = (): void => {
    beginning ??= Buffer.from(buffer.subarray(0, bufferedBytes));
    storePiece(buffer.subarray(0, bufferedBytes));
    bufferedBytes = 0;
  };

  return {
    write(piece) {
      if (
        bufferedBytes + piece.length > buffer.length && beginning === undefined &&
        bufferedBytes + piece.length <= MAX_BUFFERED_BYTES
      ) {
        buffer = Buffer.concat(
          [buffer.subarray(0, bufferedBytes)],
          Math.max(2 * buffer.length, bufferedBytes + piece.length),
        );
      }
      if (bufferedBytes + piece.length > buffer.length) flush();
      if (piece.length > buffer.length) storePiece(piece);
      else {bufferedBytes += Buffer.from(piece.buffer, piece.byteOffset, piece.length).copy(
          buffer,
          bufferedBytes,
        );}
    },
    async end(mostChars) {
      const bytes = buffer.subarray(0, bufferedBytes);
      if (beginning === undefined && countChars(bytes) <= mostChars) {
        return { whole: inMemory(bytes), entry: undefined };
      }
      if (beginning !== undefined) flush();
      try {
        if (failure === undefined) {
          const sealed = put === undefined ? putBytes(store, bytes, options) : put.seal();
          const entry = await shareSealed(store, sealed);
          return { whole: readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }), entry };
        }
      } catch (thrown) {
        giveUp(thrown);
      }
      if (failure === undefined) throw new Error("a diff that is not stored must have failed");
      const unstored = { failure, isCut: beginning !== undefined };
      return { whole: inMemory(beginning ?? bytes), entry: undefined, unstored };
    },
    abandon() {
      if (put !== undefined) giveUpPut(put);
    },
  };
}

function inMemory(bytes: Uint8Array): ByteSource {
  return { byteLength: bytes.length, chunks: () => [bytes] };
}
