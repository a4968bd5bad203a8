/** Stores a diff that is too long to be shown. If storing fails, its beginning is still available. */

import { Buffer } from "node:buffer";
import {
  type ByteSource,
  type FdEntry,
  type PutOptions,
  putPieces,
  readSlice,
  shareSealed,
  startSpool,
  type Store,
} from "../../fd/mod.ts";
import { countChars, failureIn, type FdFailure } from "../../fd/system.ts";

/** A diff; `entry` is its fd if it is too long to be shown. */
export interface FinishedDiff {
  /** The whole diff, or its beginning if `unstored` says so. */
  whole: ByteSource;
  entry: FdEntry | undefined;
  /** Why a long diff was not stored, and whether `whole` is only its beginning. */
  unstored?: { failure: FdFailure; isCut: boolean } | undefined;
}

/** More than is ever shown of a diff. */
const MAX_SHOWN_BYTES = 2 ** 20;

/** Takes a diff piece by piece, until it is closed. */
export function diffSink(store: Store) {
  const spool = startSpool(() => store);
  let failure: FdFailure | undefined;
  const noteFailure = (thrown: unknown): void => {
    failure = failureIn(thrown);
  };

  return {
    write(piece: Uint8Array): void {
      if (failure !== undefined) return;
      try {
        spool.add(piece);
      } catch (thrown) {
        noteFailure(thrown);
      }
    },
    /** Ends the diff. One of more than `mostChars` chars becomes an fd, which `options` describe. */
    async end(mostChars: number, options: PutOptions): Promise<FinishedDiff> {
      const { byteCount } = spool;
      const beginning = spool.read(0, Math.min(byteCount, MAX_SHOWN_BYTES));
      const bytes = Buffer.concat(Array.from(beginning, (piece) => Buffer.from(piece)));
      const whole = { byteLength: bytes.length, chunks: () => [bytes] };
      const isCut = failure !== undefined || byteCount > bytes.length;
      if (!isCut && countChars(bytes) <= mostChars) return { whole, entry: undefined };
      try {
        if (failure === undefined) {
          const entry = await shareSealed(store, putPieces(store, spool.read(0, byteCount), options));
          return { whole: readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }), entry };
        }
      } catch (thrown) {
        noteFailure(thrown);
      }
      return { whole, entry: undefined, unstored: failure && { failure, isCut } };
    },
    close: spool.close,
  };
}
