import { type OutputSink, storeHeld } from "./store_output.ts";

/** A source of bytes. Both functions return how many were read into `into`, 0 at the end. */
export interface Input {
  read(into: Uint8Array): number;
  /** Returns undefined if it cannot be known that reading would not wait. */
  readNow(into: Uint8Array): number | undefined;
}

/**
 * Reads into the window of `sink`. Before a read that may wait, bytes that were held back are stored: from then on
 * others can read them, and they survive this process. Returns undefined instead if it `isLeft` to the caller.
 */
export function readInput(sink: OutputSink, input: Input): number;
export function readInput(sink: OutputSink, input: Input, isLeft: () => boolean): number | undefined;
export function readInput(sink: OutputSink, input: Input, isLeft?: () => boolean): number | undefined {
  if (sink.put.store !== undefined) {
    const { isHeld } = sink.put;
    const byteLength = isHeld ? input.readNow(sink.put.window()) : undefined;
    if (byteLength !== undefined) return byteLength;
    if (isLeft?.() === true) return undefined;
    if (isHeld) storeHeld(sink);
  }
  return input.read(sink.put.window());
}
