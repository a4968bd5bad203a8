/** How an answer's own words are written for its reader: colours, calls, and frame boundaries. */

import type { CallWriter } from "../terms/next_call.ts";
import { type Paint, PLAIN } from "./paint.ts";

export interface Dress {
  paint: Paint;
  writeCall: CallWriter;
  makeBoundary(): string;
}

export function freshBoundary(): string {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!.toString(16).padStart(16, "0");
}

export function dressOf(writeCall: CallWriter, paint: Paint = PLAIN): Dress {
  return { paint, writeCall, makeBoundary: freshBoundary };
}
