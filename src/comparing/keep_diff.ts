/**
 * Takes a diff as it is written: a short one is held, a long one becomes an fd. If it cannot be stored, its beginning is
 * there all the same.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  beginPut,
  type ByteSource,
  countChars,
  type FdEntry,
  FdError,
  type FdFailure,
  giveUpPut,
  type Put,
  putBytes,
  type PutOptions,
  readSlice,
  type Store,
} from "../../fd/mod.ts";

/** A diff; `entry` is the fd that holds it, where it is too long to be shown. */
export interface KeptDiff {
  /** All of it, unless `unstored` says that it is cut. */
  whole: ByteSource;
  entry: FdEntry | undefined;
  /** Why a long diff is no fd, and whether `whole` is only its beginning. */
  unstored?: { failure: FdFailure; isCut: boolean } | undefined;
}

/** What takes a diff. */
export interface DiffKeeper {
  write(piece: Uint8Array): void;
  /** Ends the diff. One of more than `mostChars` chars is an fd. */
  end(mostChars: number): KeptDiff;
  /** Gives the diff up: what went to an fd is marked as what it is. */
  abandon(): void;
}

/** No more than this is held; what is shown of a diff is less. */
const HELD_BYTES = 2 ** 20;
const GATHERED_BYTES = 65_536;

/** Starts to keep a diff; `options` describe the fd that it may become. */
export function keepDiff(store: Store, options: PutOptions): DiffKeeper {
  let held = Buffer.alloc(GATHERED_BYTES);
  let heldBytes = 0;
  let put: Put | undefined;
  /** What was held when storing began, for the case that it fails. */
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
    beginning ??= Buffer.from(held.subarray(0, heldBytes));
    storePiece(held.subarray(0, heldBytes));
    heldBytes = 0;
  };

  return {
    write(piece) {
      if (
        heldBytes + piece.length > held.length && beginning === undefined &&
        heldBytes + piece.length <= HELD_BYTES
      ) {
        held = Buffer.concat(
          [held.subarray(0, heldBytes)],
          Math.max(2 * held.length, heldBytes + piece.length),
        );
      }
      if (heldBytes + piece.length > held.length) flush();
      if (piece.length > held.length) storePiece(piece);
      else heldBytes += Buffer.from(piece.buffer, piece.byteOffset, piece.length).copy(held, heldBytes);
    },
    end(mostChars) {
      const bytes = held.subarray(0, heldBytes);
      if (beginning === undefined && countChars(bytes) <= mostChars) {
        return { whole: inMemory(bytes), entry: undefined };
      }
      if (beginning !== undefined) flush();
      try {
        if (failure === undefined) {
          const entry = put === undefined ? putBytes(store, bytes, options) : put.seal();
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
