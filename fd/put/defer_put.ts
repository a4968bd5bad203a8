/**
 * Puts off claiming an id until it is clear whether the content is small, so that small content takes one file
 * (`put_whole.ts`). Until then nothing is on the disk, so a writer must not wait while it holds bytes back: it starts
 * the fd first.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { checkBytes } from "../disk/check_argument.ts";
import { WINDOW_BYTES } from "../index/stride_memory.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { PutEnd } from "../records/seal_line.ts";
import type { Store } from "../store/open_store.ts";
import { beginPut, type Put } from "./put_bytes.ts";
import { checkPutOptions, type PutOptions } from "./put_options.ts";
import { fitsInRecord, putWhole } from "./put_whole.ts";

/** A put whose fd appears when it is sealed, or once it has more than a block, or by `start`. */
export interface DeferredPut extends Omit<Put, "id"> {
  /** Whether its bytes are held back: the fd is not there yet. */
  readonly isHeld: boolean;
  /**
   * Makes the fd, live, with the bytes so far.
   *
   * @throws {FdError} like `beginPut` and `write`. The bytes are still in `stored`.
   */
  start(): void;
}

/** Starts a put that claims no id yet. Throws `invalid_parameter` like `beginPut`. */
export function deferPut(store: Store, options: PutOptions): DeferredPut {
  checkPutOptions(options);
  const held = new Uint8Array(BLOCK_BYTES + WINDOW_BYTES);
  let heldBytes = 0;
  let isHeld = true;
  let isEnded = false;
  let put: Put | undefined;
  /** Whether `put` has all bytes that were held back. */
  let isStarted = false;

  const start = (): void => {
    if (!isHeld) return;
    isHeld = false;
    // Without an id there is nothing to seal.
    isEnded = true;
    put = beginPut(store, options);
    isEnded = false;
    put.write(held.subarray(0, heldBytes));
    isStarted = true;
  };
  const accept = (byteLength: number, window: Uint8Array): void => {
    if (isHeld && fitsInRecord(store, heldBytes + byteLength, options)) {
      heldBytes += byteLength;
      return;
    }
    start();
    if (window.buffer !== held.buffer) put!.accept(byteLength);
    else put!.write(window.subarray(0, byteLength));
  };
  const window = (): Uint8Array => isHeld || put === undefined ? held.subarray(heldBytes) : put.window();

  return {
    get isHeld() {
      return isHeld;
    },
    get isEnded() {
      return isEnded || put?.isEnded === true;
    },
    get contentPath() {
      return put?.contentPath ?? store.path;
    },
    get byteCount() {
      return isStarted ? put!.byteCount : heldBytes;
    },
    start,
    window,
    accept: (byteLength) => accept(byteLength, window()),
    write(bytes) {
      checkBytes("bytes", bytes);
      for (let at = 0; at < bytes.length;) {
        const room = window();
        const length = Math.min(room.length, bytes.length - at);
        room.set(bytes.subarray(at, at + length));
        accept(length, room);
        at += length;
      }
    },
    inMemory: () => isStarted ? put!.inMemory() : held.subarray(0, heldBytes),
    stored: () => isStarted ? put!.stored() : [held.subarray(0, heldBytes)],
    seal(end?: PutEnd): FdEntry {
      if (isHeld && !fitsInRecord(store, heldBytes, options)) start();
      if (put !== undefined) return put.seal(end);
      if (isEnded) throw new Error("an fd is sealed once");
      // If this fails, there is nothing to seal again.
      isEnded = true;
      isHeld = false;
      return putWhole(store, held.subarray(0, heldBytes), options, end);
    },
    abandon() {
      isEnded = true;
      put?.abandon();
    },
  };
}
