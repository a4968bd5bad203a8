/**
 * The clean view of a line, as far as it is shown: a window around a place in the clean line. The line is walked, not
 * held.
 */

import { Buffer } from "node:buffer";
import { startCleaning } from "../../fd/mod.ts";

/** The clean line around a place. Offsets are in the clean line. */
export interface CleanWindow {
  bytes: Buffer;
  fromByte: number;
  /** Length of the clean line. */
  lineBytes: number;
  /** Chars of the stored line that are left out. */
  leftOutChars: number;
}

/** Cleans a line without its LF. The window reaches `aroundBytes` to both sides of `hitByte`, as far as the line does. */
export function cleanWindow(line: Iterable<Uint8Array>, hitByte: number, aroundBytes: number): CleanWindow {
  const cleaning = startCleaning();
  const wantedFrom = Math.max(0, hitByte - aroundBytes);
  const wantedTo = hitByte + aroundBytes;
  const kept: Uint8Array[] = [];
  let lineBytes = 0;

  function take(clean: Uint8Array): void {
    const from = Math.max(0, wantedFrom - lineBytes);
    const to = Math.min(clean.length, wantedTo - lineBytes);
    if (from < to) kept.push(clean.slice(from, to));
    lineBytes += clean.length;
  }

  for (const chunk of line) take(cleaning.clean(chunk));
  take(cleaning.end());
  return { bytes: Buffer.concat(kept), fromByte: wantedFrom, lineBytes, leftOutChars: cleaning.leftOutChars };
}
