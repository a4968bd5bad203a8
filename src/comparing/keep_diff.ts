/**
 * Takes a diff as it is written: a short one is held, a long one becomes an fd.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import {
  beginPut,
  type ByteSource,
  countChars,
  type FdEntry,
  giveUpPut,
  type Put,
  putBytes,
  type PutOptions,
  readSlice,
  type Store,
} from "../../fd/mod.ts";

/** A diff, all of it; `entry` is the fd that holds it, where it is too long to be shown. */
export interface KeptDiff {
  whole: ByteSource;
  entry: FdEntry | undefined;
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

  const flush = (): void => {
    put ??= beginPut(store, options);
    put.write(held.subarray(0, heldBytes));
    heldBytes = 0;
  };

  return {
    write(piece) {
      if (
        heldBytes + piece.length > held.length && put === undefined && heldBytes + piece.length <= HELD_BYTES
      ) {
        held = Buffer.concat(
          [held.subarray(0, heldBytes)],
          Math.max(2 * held.length, heldBytes + piece.length),
        );
      }
      if (heldBytes + piece.length > held.length) flush();
      if (piece.length > held.length) put!.write(piece);
      else heldBytes += Buffer.from(piece.buffer, piece.byteOffset, piece.length).copy(held, heldBytes);
    },
    end(mostChars) {
      const bytes = held.subarray(0, heldBytes);
      if (put === undefined && countChars(bytes) <= mostChars) {
        return { whole: { byteLength: bytes.length, chunks: () => [bytes] }, entry: undefined };
      }
      let entry: FdEntry;
      if (put === undefined) entry = putBytes(store, bytes, options);
      else {
        flush();
        entry = put.seal();
      }
      return { whole: readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount }), entry };
    },
    abandon() {
      if (put !== undefined) giveUpPut(put);
    },
  };
}
