/**
 * Buffers output up to the threshold, and stores it beyond that. If the store fails, the bytes already stored are read
 * back and forwarded, later bytes are forwarded as they arrive, and the end reports the failure (contract, law 6).
 */

import type { ContentWatcher } from "../digest/watch_content.ts";
import {
  countChars,
  deferPut,
  type DeferredPut,
  failureOfSystem,
  type FdEntry,
  FdError,
  type FdFailure,
  type PutEnd,
  type PutOptions,
  type Store,
  systemCode,
} from "../../fd/mod.ts";

export type OutputResult =
  /** To pass through. Stored only for its name. With `tee` the bytes have been forwarded already. */
  | { kind: "small"; bytes: Uint8Array; stored?: StoredOutput }
  | { kind: "stored" } & StoredOutput
  /**
   * All bytes were forwarded while the reader was open, except `missingBytes`, which a size limit had dropped or which
   * could not be read back. `partial` is the fd with the first bytes, if it could be sealed.
   */
  | {
    kind: "failed";
    failures: readonly FdFailure[];
    missingBytes: number;
    isReaderOpen: boolean;
    partial: StoredOutput | undefined;
  };

export interface StoredOutput {
  store: Store;
  entry: FdEntry;
  /** The whole content, if it is still in memory. */
  bytes: Uint8Array | undefined;
  /** The watcher of long output. */
  watcher?: ContentWatcher | undefined;
}

export interface StoreOutputOptions {
  thresholdChars: number;
  /** Store output of any size, even empty. */
  always: boolean;
  /** Store small output too, once it has ended, because it gets a name. */
  isNamed?: boolean | undefined;
  /** Called when the first byte is stored. May throw `FdError`. */
  openStore(): Store;
  /** Called when the first byte is stored. */
  putOptions(): PutOptions;
  /** Forward all bytes as they arrive, stored or not. */
  tee: boolean;
  /** Whether its lines are to be watched once it is long. */
  isWatched?: boolean | undefined;
  /** Returns false if the reader is gone. */
  forward(bytes: Uint8Array): boolean;
}

const BUFFER_BYTES = 65_536;
const MIN_WINDOW_BYTES = 16_384;

interface StartedPut {
  store: Store;
  put: DeferredPut;
}

export interface OutputSink {
  readonly options: StoreOutputOptions;
  /** Output that is not stored yet; after a storage failure, room for bytes to forward. */
  buffer: Uint8Array;
  bufferedBytes: number;
  /** This many bytes cannot have more chars than the threshold. */
  underUpTo: number;
  started: StartedPut | undefined;
  /** Sees what is stored. */
  watcher: ContentWatcher | undefined;
  failed: Pick<OutputResult & { kind: "failed" }, "failures" | "missingBytes" | "partial"> | undefined;
  isReaderOpen: boolean;
}

/** Opens a sink. Nothing touches the disk while the output is small. */
export function outputSink(options: StoreOutputOptions): OutputSink {
  return {
    options,
    buffer: new Uint8Array(BUFFER_BYTES),
    bufferedBytes: 0,
    underUpTo: options.thresholdChars,
    started: undefined,
    watcher: undefined,
    failed: undefined,
    isReaderOpen: true,
  };
}

/** Returns room for the next bytes, at least 16 KiB, valid until the next call. */
export function outputWindow(sink: OutputSink): Uint8Array {
  const { started, buffer, bufferedBytes } = sink;
  if (started !== undefined) return started.put.window();
  if (buffer.length - bufferedBytes >= MIN_WINDOW_BYTES) return buffer.subarray(bufferedBytes);
  sink.buffer = new Uint8Array(buffer.length * 2);
  sink.buffer.set(buffer.subarray(0, bufferedBytes));
  return sink.buffer.subarray(bufferedBytes);
}

/** Stored bytes from which on output is watched. Less is studied from the store afterwards. */
const WATCHED_FROM_BYTES = 2 * 2 ** 20;

/** Whether the output has become so long that it has to be watched, and is not. */
export function isUnwatched({ options, started, watcher }: OutputSink): boolean {
  return options.isWatched === true && watcher === undefined && started !== undefined &&
    started.put.byteCount >= WATCHED_FROM_BYTES;
}

/** Lets `watcher` see what was stored, and from now on what is stored. */
export function watchOutput(sink: OutputSink, watcher: ContentWatcher): void {
  if (sink.started === undefined || sink.watcher !== undefined) return;
  for (const piece of sink.started.put.stored()) watcher.see(piece);
  sink.watcher = watcher;
}

/** Accepts the first `byteLength` bytes of the window. */
export function acceptOutput(sink: OutputSink, byteLength: number): void {
  const { options } = sink;
  if (options.tee || sink.failed !== undefined) forward(sink, outputWindow(sink).subarray(0, byteLength));
  if (sink.failed !== undefined) return;
  if (sink.started !== undefined) return store(sink, sink.started.put, byteLength);
  sink.bufferedBytes += byteLength;
  if (!options.always) {
    if (sink.bufferedBytes <= sink.underUpTo) return;
    const charCount = countChars(sink.buffer.subarray(0, sink.bufferedBytes));
    if (charCount <= options.thresholdChars) {
      // Each further byte adds at most one char.
      sink.underUpTo = sink.bufferedBytes + options.thresholdChars - charCount;
      return;
    }
  }
  startStoring(sink);
}

/** Accepts bytes from outside the window. */
export function writeOutput(sink: OutputSink, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    const room = outputWindow(sink);
    const length = Math.min(room.length, bytes.length - at);
    room.set(bytes.subarray(at, at + length));
    acceptOutput(sink, length);
    at += length;
  }
}

/** Whether further bytes would be dropped: storing failed and the reader is gone. */
export function isIdle(sink: OutputSink): boolean {
  return sink.failed !== undefined && !sink.isReaderOpen;
}

/** Ends the stream; `end` says how its command ended. */
export function endOutput(sink: OutputSink, end?: PutEnd): OutputResult {
  const { always, isNamed } = sink.options;
  const isSmall = sink.started === undefined && sink.failed === undefined;
  const small = sink.buffer.subarray(0, sink.bufferedBytes);
  if (isSmall) {
    if (!always && isNamed !== true) return { kind: "small", bytes: small };
    startStoring(sink);
  }
  if (sink.started !== undefined) {
    const { store, put } = sink.started;
    try {
      const stored = { store, entry: put.seal(end), bytes: put.inMemory(), watcher: sink.watcher };
      return isSmall && !always ? { kind: "small", bytes: small, stored } : { kind: "stored", ...stored };
    } catch (thrown) {
      giveUp(sink, thrown, undefined);
    }
  }
  if (sink.failed === undefined) throw new Error("output that is neither small nor stored must have failed");
  return { kind: "failed", isReaderOpen: sink.isReaderOpen, ...sink.failed };
}

/** Returns the stored output, also if only a part could be stored. */
export function storedPart(result: OutputResult): StoredOutput | undefined {
  return result.kind === "stored" ? result : result.kind === "small" ? result.stored : result.partial;
}

function startStoring(sink: OutputSink): void {
  const bytes = sink.buffer.subarray(0, sink.bufferedBytes);
  try {
    const store = sink.options.openStore();
    const put = deferPut(store, sink.options.putOptions());
    sink.started = { store, put };
    put.write(bytes);
  } catch (thrown) {
    giveUp(sink, thrown, bytes.subarray(sink.started?.put.byteCount ?? 0));
  }
}

/** Stores bytes that are held back until it is clear whether there are more. */
export function storeHeld(sink: OutputSink): void {
  const put = sink.started?.put;
  try {
    if (put?.isHeld === true) put.start();
  } catch (thrown) {
    giveUp(sink, thrown, new Uint8Array());
  }
}

function store(sink: OutputSink, put: DeferredPut, byteLength: number): void {
  const room = put.window();
  const before = put.byteCount;
  sink.watcher?.see(room.subarray(0, byteLength));
  try {
    put.accept(byteLength);
  } catch (thrown) {
    giveUp(sink, thrown, room.subarray(put.byteCount - before, byteLength));
  }
}

function forward(sink: OutputSink, bytes: Uint8Array): void {
  if (sink.isReaderOpen && bytes.length > 0) sink.isReaderOpen = sink.options.forward(bytes);
}

/** Stops storing and forwards. `unstored` are bytes that the failed call did not store; undefined if sealing failed. */
function giveUp(sink: OutputSink, thrown: unknown, unstored: Uint8Array | undefined): void {
  const unfinished = sink.started;
  const put = unfinished?.put;
  sink.started = undefined;
  const failures = [
    thrown instanceof FdError
      ? thrown.failure
      : failureOfSystem(thrown, "write", "store", put?.contentPath ?? "the store"),
  ];
  // Copied, because sealing overwrites the scan's memory that holds them.
  const rest = unstored === undefined ? undefined : Uint8Array.from(unstored);
  let missingBytes = 0;
  if (!sink.options.tee) {
    if (put !== undefined) missingBytes = put.byteCount - forwardStored(sink, put, failures);
    if (rest !== undefined) forward(sink, rest);
  }
  const partial = unfinished === undefined ? undefined : sealPartial(unfinished);
  if (put !== undefined && missingBytes > 0 && partial === undefined && failures.length === 1) {
    const action = `pass on ${missingBytes} bytes dropped by the size limit from`;
    failures.push({ kind: "read_error", path: put.contentPath, action, code: "ENODATA" });
  }
  sink.failed = { failures, missingBytes, partial };
  sink.bufferedBytes = 0;
}

function sealPartial({ store, put }: StartedPut): StoredOutput | undefined {
  if (put.isEnded) return undefined;
  try {
    return { store, entry: put.seal({ incomplete: true }), bytes: undefined };
  } catch (thrown) {
    // The first failure is reported instead. Unsealed, the fd becomes incomplete when this process ends.
    if (thrown instanceof FdError || systemCode(thrown) !== undefined) return undefined;
    throw thrown;
  } finally {
    put.abandon();
  }
}

/** Forwards what `put` has stored and returns the byte count; adds a failure if not all could be read back. */
function forwardStored(sink: OutputSink, put: DeferredPut, failures: FdFailure[]): number {
  let byteCount = 0;
  try {
    for (const piece of put.stored()) {
      forward(sink, piece);
      byteCount += piece.length;
    }
  } catch (thrown) {
    failures.push(failureOfSystem(thrown, "read", "read back", put.contentPath));
  }
  return byteCount;
}
