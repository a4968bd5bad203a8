/**
 * Buffers output up to the threshold, and stores it beyond that. If the store fails, the bytes already stored are read
 * back and forwarded, later bytes are forwarded as they arrive, and the end reports the failure (contract, law 6).
 */

import type { ContentWatcher } from "../findings/digest/watch_content.ts";
import { copyThrough, type FdEntry, Put, type PutEnd, type Store } from "../../fd/mod.ts";
import { failureOfSystem, type FdFailure, ifPossible } from "../../fd/system.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { STDERR } from "../calls/streams/standard_streams.ts";
import { mayBeTerminal } from "../calls/streams/terminal.ts";
import { type Host, namedDirectory } from "../calls/terms/command.ts";
import type { CaptureOptions } from "./capture_options.ts";

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
  bytes?: Uint8Array | undefined;
  /** The watcher of long output. */
  watcher?: ContentWatcher | undefined;
}

/** The properties of output that are recorded with it; read when the first byte is stored. */
export interface OutputOrigin {
  /** The record's `source`, unless the options name another. */
  source: string;
  /** The command that writes it, as a list of words. */
  readonly command?: string[] | undefined;
  /** Its working directory, if that is not the caller's. */
  cwd?: string | undefined;
  /** A file that has all of it, to which no process writes any more. */
  written?: string | undefined;
}

/** Output of a call, and where it goes. */
export interface OutputSettings {
  options: CaptureOptions;
  host: Host;
  origin: OutputOrigin;
  /** Returns false if the reader is gone. */
  forward(bytes: Uint8Array): boolean;
}

export interface OutputSink {
  readonly put: Put;
  /** Whether all bytes are forwarded as they arrive, stored or not. */
  readonly tee: boolean;
  readonly forward: OutputSettings["forward"];
  /** Whether small output is stored too, once it has ended, because it gets a name. */
  isNamed: boolean;
  /** Whether its lines are to be watched once it is long. */
  readonly isWatched: boolean;
  /** Sees what is stored. */
  watcher: ContentWatcher | undefined;
  failed: Pick<OutputResult & { kind: "failed" }, "failures" | "missingBytes" | "partial"> | undefined;
  isReaderOpen: boolean;
}

/** Opens a sink. Nothing touches the disk while the output is small. */
export function outputSink({ options, host, origin, forward }: OutputSettings): OutputSink {
  const place = () => ({
    store: openHostStore(host),
    written: origin.written,
    options: {
      source: options.source ?? origin.source,
      pageSize: options.pageSize,
      maxBytes: options.maxBytes,
      durable: options.durable,
      command: origin.command,
      cwd: namedDirectory(origin.cwd ?? host.cwd),
    },
  });
  return {
    put: new Put(place, options.always ? undefined : options.thresholdChars),
    tee: options.tee,
    forward,
    isNamed: options.name !== undefined,
    isWatched: options.preview === "digest",
    watcher: undefined,
    failed: undefined,
    isReaderOpen: true,
  };
}

/** Stored bytes from which on output is watched. Less is studied from the store afterwards. */
const WATCHED_FROM_BYTES = 65_536;

/**
 * Watches output that has become long, if it is to be watched and is not: what was stored, and from then on what is
 * stored.
 */
export async function watchLong(sink: OutputSink): Promise<void> {
  const { put } = sink;
  const isLong = put.byteCount >= WATCHED_FROM_BYTES && !put.isPassing;
  if (!isLong || !sink.isWatched || sink.watcher !== undefined || sink.failed !== undefined) return;
  const { watchContent } = await import("../findings/digest/watch_content.ts");
  if (sink.failed !== undefined || sink.watcher !== undefined) return;
  const watcher = watchContent(undefined, true);
  if (watcher === undefined) return;
  for (const piece of put.stored()) watcher.see(piece);
  sink.watcher = watcher;
}

/** Accepts the first `byteLength` bytes of the put's window. */
export function acceptOutput(sink: OutputSink, byteLength: number): void {
  const { put, watcher, failed } = sink;
  const isForwarded = sink.tee || failed !== undefined;
  const bytes = isForwarded || watcher !== undefined ? put.window().subarray(0, byteLength) : undefined;
  if (bytes !== undefined && isForwarded) forward(sink, bytes);
  if (failed !== undefined) return;
  if (bytes !== undefined) watcher?.see(bytes);
  const before = put.byteCount;
  try {
    put.accept(byteLength);
  } catch (thrown) {
    giveUp(sink, thrown, put.byteCount === before ? put.window().subarray(0, byteLength) : undefined);
  }
}

/** Accepts bytes from outside the window. */
export function writeOutput(sink: OutputSink, bytes: Uint8Array): void {
  copyThrough(bytes, {
    window: () => sink.put.window(),
    accept: (byteLength) => acceptOutput(sink, byteLength),
  });
}

/** Ends the stream; `end` says how its command ended. */
export function endOutput(sink: OutputSink, end?: PutEnd): OutputResult {
  const { put, isNamed, watcher } = sink;
  // Copied for a name, because the scan of what is stored takes the memory over.
  const small = !put.isPassing ? undefined : isNamed ? put.inMemory()?.slice() : put.inMemory();
  if (small !== undefined && sink.failed === undefined && !isNamed) return { kind: "small", bytes: small };
  if (sink.failed === undefined) {
    try {
      const entry = put.seal(end);
      const stored = { store: put.open().store, entry, bytes: put.inMemory(), watcher };
      return small === undefined ? { kind: "stored", ...stored } : { kind: "small", bytes: small, stored };
    } catch (thrown) {
      giveUp(sink, thrown, undefined);
    }
  }
  return { kind: "failed", isReaderOpen: sink.isReaderOpen, ...sink.failed! };
}

/** Returns the stored output, also if only a part could be stored. */
export function storedPart(result: OutputResult): StoredOutput | undefined {
  return result.kind === "stored" ? result : result.kind === "small" ? result.stored : result.partial;
}

/** Stores bytes that are held back until it is clear whether there are more. */
export function storeHeld(sink: OutputSink): void {
  try {
    if (sink.put.isHeld) sink.put.goLive();
  } catch (thrown) {
    giveUp(sink, thrown, undefined);
  }
}

function forward(sink: OutputSink, bytes: Uint8Array): void {
  if (sink.isReaderOpen && bytes.length > 0) sink.isReaderOpen = sink.forward(bytes);
}

/** Stops storing and forwards. `unstored` are bytes that the failed call did not store. */
function giveUp(sink: OutputSink, thrown: unknown, unstored: Uint8Array | undefined): void {
  const { put } = sink;
  const failures = [failureOfSystem(thrown, "write", "store", put.contentPath, "content")];
  let missingBytes = 0;
  if (!sink.tee) {
    missingBytes = put.byteCount - forwardStored(sink, failures);
    if (unstored !== undefined) forward(sink, unstored);
  }
  const partial = sealPartial(put);
  if (missingBytes > 0 && partial === undefined && failures.length === 1) {
    const action = `pass on ${missingBytes} bytes dropped by the size limit from`;
    failures.push({ kind: "read_error", path: put.contentPath, action, code: "ENODATA" });
  }
  sink.failed = { failures, missingBytes, partial };
}

function sealPartial(put: Put): StoredOutput | undefined {
  if (put.isEnded) return undefined;
  // The first failure is reported instead. Unsealed, the fd becomes incomplete when this process ends.
  const entry = ifPossible(() => put.seal({ incomplete: true }));
  put.abandon();
  return entry === undefined ? undefined : { store: put.open().store, entry };
}

/** Forwards what the put has stored and returns the byte count; adds a failure if not all could be read back. */
function forwardStored(sink: OutputSink, failures: FdFailure[]): number {
  let byteCount = 0;
  try {
    for (const piece of sink.put.stored()) {
      forward(sink, piece);
      byteCount += piece.length;
    }
  } catch (thrown) {
    failures.push(failureOfSystem(thrown, "read", "read back", sink.put.contentPath));
  }
  return byteCount;
}

/** A source of bytes. Both functions return how many were read into `into`, 0 at the end. */
export interface Input {
  read(into: Uint8Array): number;
  /** Returns undefined if it cannot be known that reading would not wait. */
  readNow(into: Uint8Array): number | undefined;
}

/**
 * Reads into the window of `sink`. Before a read that may wait, bytes that were held back are stored: from then on
 * others can read them, and they survive this process. Returns undefined instead if a terminal may show that it waits, and
 * that `isLeft` to the caller.
 */
export function readInput(sink: OutputSink, input: Input): number;
export function readInput(sink: OutputSink, input: Input, isLeft: true): number | undefined;
export function readInput(sink: OutputSink, input: Input, isLeft?: true): number | undefined {
  if (sink.put.store !== undefined) {
    const { isHeld } = sink.put;
    const byteLength = isHeld ? input.readNow(sink.put.window()) : undefined;
    if (byteLength !== undefined) return byteLength;
    if (isLeft && mayBeTerminal(STDERR)) return undefined;
    if (isHeld) storeHeld(sink);
  }
  return input.read(sink.put.window());
}

/** How long bytes of a command's output may be held back, in the hope that the output ends: then they need one file. */
const HELD_MS = 20;

/** Starts a watch over output that is held back; `onPause` is called within 20 ms of each first `expect`. */
export function watchPauses(onPause: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    /** Calls back unless the watch ends soon. */
    expect(): void {
      timer ??= setTimeout(() => {
        timer = undefined;
        onPause();
      }, HELD_MS);
    },
    end: (): void => clearTimeout(timer),
  };
}
