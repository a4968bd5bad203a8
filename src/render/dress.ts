/**
 * What an answer's words look like to its reader: their colours, how calls are written, and the boundary of its frame.
 *
 * @module
 */

import type { CallWriter } from "../terms/next_call.ts";
import { type Paint, PLAIN } from "./paint.ts";

export interface Dress {
  paint: Paint;
  writeCall: CallWriter;
  makeBoundary(): string;
}

/** Sixteen random hex digits. */
export function freshBoundary(): string {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!.toString(16).padStart(16, "0");
}

/** A dress with fresh boundaries. */
export function dressOf(writeCall: CallWriter, paint: Paint = PLAIN): Dress {
  return { paint, writeCall, makeBoundary: freshBoundary };
}
