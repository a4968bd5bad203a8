/**
 * The first step of storing output: an fd that holds what has come by then.
 *
 * @module
 */

import { beginPut, type FdFailure, type Put, type PutOptions, type Store } from "../../fd/mod.ts";
import type { HeldOutput } from "./held_output.ts";

/** What is needed to store output. */
export interface BeginOptions {
  /** Holds what has come, and what comes while it is small; it knows how much is. */
  held: HeldOutput;
  /** Finds and opens the store, once it is needed. May throw `FdError`. */
  openStore(): Store;
  put: PutOptions;
}

/** An fd that output is going into. */
export interface Storing {
  store: Store;
  put: Put;
}

/** What came of the first step of storing; `unstored` is what was to be stored next, undefined where all was. */
export type Begun =
  | { kind: "storing" } & Storing
  | { kind: "failed"; thrown: unknown; storing: Storing | undefined; unstored: Uint8Array | undefined };

/** Stdin that is to be stored, and what has been read of it. */
export interface BegunStdin {
  held: HeldOutput;
  /** Why no more of it can be read, if that is so. */
  unread: readonly FdFailure[];
  /** Stands in for reading stdin. */
  read?: ((into: Uint8Array) => number) | undefined;
}

/** Starts to store, with the bytes that are held. */
export function beginStoring(options: BeginOptions): Begun {
  const bytes = options.held.bytes();
  let storing: Storing | undefined;
  try {
    const store = options.openStore();
    const put = beginPut(store, options.put);
    storing = { store, put };
    put.write(bytes);
    return { kind: "storing", store, put };
  } catch (thrown) {
    return { kind: "failed", thrown, storing, unstored: bytes.subarray(storing?.put.byteCount ?? 0) };
  }
}
