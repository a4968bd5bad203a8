/**
 * Decides, as bytes arrive, whether they are few enough to be handed on as they are or are stored, and stores them.
 * Storing fails open (contract, law 6): when the store gives way, what it holds is read back and handed on,
 * what follows is handed on as it comes, and the failure is told at the end.
 *
 * @module
 */

import {
  failureOfSystem,
  type FdEntry,
  FdError,
  type FdFailure,
  type Put,
  type PutEnd,
  type Store,
  systemCode,
} from "../../fd/mod.ts";
import { type BeginOptions, beginStoring, type Begun, type Storing } from "./begin_storing.ts";

/** What became of the bytes. */
export type Kept =
  /** At most the threshold: they are here, and nothing was stored. With `tee` they have been handed on already. */
  | { kind: "small"; bytes: Uint8Array }
  | { kind: "stored" } & StoredOutput
  /**
   * Storing failed. All bytes have been handed on, as far as anybody took them, but for `missingBytes`: a cap had dropped
   * them before, or they could not be read back. `partial` holds the first ones, where that could still be sealed.
   */
  | {
    kind: "failed";
    failures: readonly FdFailure[];
    missingBytes: number;
    isTaken: boolean;
    partial: StoredOutput | undefined;
  };

/** Output that is an fd, and the store that it is in. */
export interface StoredOutput {
  store: Store;
  entry: FdEntry;
  /** All of its content, where that is in memory anyway. */
  bytes: Uint8Array | undefined;
}

/** How to keep one stream of output. */
export interface KeepOptions extends BeginOptions {
  /** Whether to store whatever comes, even nothing. */
  storesEverything: boolean;
  /** Whether every byte is handed on as it arrives, stored or not. */
  tee: boolean;
  /** Hands bytes on; answers whether anybody still takes them. */
  handOn(bytes: Uint8Array): boolean;
}

/** A stream of output on its way. */
export interface Keeping {
  /** Room for the next bytes, at least 16 KiB. Valid until the next call. */
  window(): Uint8Array;
  /** Takes the first `byteLength` bytes of the window. */
  accept(byteLength: number): void;
  /** Takes bytes from elsewhere. */
  write(bytes: Uint8Array): void;
  /** Whether more bytes would change nothing: they are not stored, and nobody takes them. */
  isIdle(): boolean;
  end(end: PutEnd): Kept;
}

/**
 * Starts to keep a stream of output. Touches nothing until there is more of it than `held` is to hold, unless storing has
 * `begun` already.
 */
export function keepOutput(options: KeepOptions, begun?: Begun): Keeping {
  /** Undecided bytes are in it. Once decided, it is only room for bytes that are handed on. */
  const { held } = options;
  let taken = true;

  let storing: Storing | undefined;
  let failed: Pick<Kept & { kind: "failed" }, "failures" | "missingBytes" | "partial"> | undefined;

  const handOn = (bytes: Uint8Array): void => {
    if (taken && bytes.length > 0) taken = options.handOn(bytes);
  };

  /** `unstored` is what was to be stored next; undefined where all was, and sealing it failed. */
  const giveUp = (thrown: unknown, unstored: Uint8Array | undefined): void => {
    const unfinished = storing;
    const put = unfinished?.put;
    storing = undefined;
    const failures = [
      thrown instanceof FdError
        ? thrown.failure
        : failureOfSystem(thrown, "write", "store", put?.contentPath ?? "the store"),
    ];
    // A copy, since they stand on the memory of the scan, which sealing works on.
    const rest = unstored === undefined ? undefined : Uint8Array.from(unstored);
    let missingBytes = 0;
    if (!options.tee) {
      if (put !== undefined) missingBytes = put.byteCount - handOnHeld(put, handOn, failures);
      if (rest !== undefined) handOn(rest);
    }
    const partial = unfinished === undefined ? undefined : keepPartial(unfinished);
    if (put !== undefined && missingBytes > 0 && partial === undefined && failures.length === 1) {
      const action = `pass on ${missingBytes} bytes dropped by the size limit from`;
      failures.push({ kind: "read_error", path: put.contentPath, action, code: "ENODATA" });
    }
    failed = { failures, missingBytes, partial };
  };

  const goOn = (first: Begun): void => {
    if (first.kind === "storing") storing = first;
    else {
      storing = first.storing;
      giveUp(first.thrown, first.unstored);
    }
    held.clear();
  };
  const startStoring = (): void => goOn(beginStoring(options));

  const isUndecided = (): boolean => storing === undefined && failed === undefined;

  const window = (): Uint8Array => storing === undefined ? held.window() : storing.put.window();

  const accept = (byteLength: number): void => {
    if (isUndecided()) {
      if (options.tee) handOn(held.window().subarray(0, byteLength));
      held.accept(byteLength);
      if (options.storesEverything || held.isOver()) startStoring();
      return;
    }
    const room = window();
    if (options.tee || failed !== undefined) handOn(room.subarray(0, byteLength));
    if (storing === undefined) return;
    const before = storing.put.byteCount;
    try {
      storing.put.accept(byteLength);
    } catch (thrown) {
      giveUp(thrown, room.subarray(storing.put.byteCount - before, byteLength));
    }
  };

  if (begun !== undefined) goOn(begun);
  else if (held.isOver()) startStoring();

  return {
    window,
    accept,
    write(bytes) {
      for (let at = 0; at < bytes.length;) {
        const room = window();
        const length = Math.min(room.length, bytes.length - at);
        room.set(bytes.subarray(at, at + length));
        accept(length);
        at += length;
      }
    },
    isIdle: () => failed !== undefined && !taken,
    end(end) {
      if (isUndecided() && options.storesEverything) startStoring();
      if (isUndecided()) return { kind: "small", bytes: held.bytes() };
      if (storing !== undefined) {
        const { store, put } = storing;
        try {
          return { kind: "stored", store, entry: put.seal(end), bytes: put.inMemory() };
        } catch (thrown) {
          giveUp(thrown, undefined);
        }
      }
      if (failed === undefined) throw new Error("output that is neither small nor stored must have failed");
      return { kind: "failed", isTaken: taken, ...failed };
    },
  };
}

/** Ends an fd that will get no more bytes. */
function keepPartial({ store, put }: Storing): StoredOutput | undefined {
  if (put.isEnded) return undefined;
  try {
    return { store, entry: put.seal({ incomplete: true }), bytes: undefined };
  } catch (thrown) {
    // The failure that led here is the one to tell. Without a seal the fd is incomplete once this process is gone.
    if (thrown instanceof FdError || systemCode(thrown) !== undefined) return undefined;
    throw thrown;
  } finally {
    put.abandon();
  }
}

/** Hands on what is held of what `put` took; answers how many bytes that was, and adds what kept it from being more. */
function handOnHeld(put: Put, handOn: (bytes: Uint8Array) => void, failures: FdFailure[]): number {
  let byteCount = 0;
  try {
    for (const piece of put.stored()) {
      handOn(piece);
      byteCount += piece.length;
    }
  } catch (thrown) {
    failures.push(failureOfSystem(thrown, "read", "read back", put.contentPath));
  }
  return byteCount;
}
