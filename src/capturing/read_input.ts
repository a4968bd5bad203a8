/** @module */

import { type OutputSink, outputWindow, storeHeld } from "./store_output.ts";

/** A source of bytes. Both functions return how many were read into `into`, 0 at the end. */
export interface Input {
  read(into: Uint8Array): number;
  /** Returns undefined if it cannot be known that reading would not wait. */
  readNow(into: Uint8Array): number | undefined;
}

/**
 * Reads into the window of `sink`. Before a read that may wait, bytes that were held back are stored: from then on
 * others can read them, and they survive this process.
 */
export function readInput(sink: OutputSink, input: Input): number {
  if (sink.started?.put.isHeld === true) {
    const byteLength = input.readNow(outputWindow(sink));
    if (byteLength !== undefined) return byteLength;
    storeHeld(sink);
  }
  return input.read(outputWindow(sink));
}
