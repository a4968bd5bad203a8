/** How an answer's own words are written for its reader: colours, calls, and frame boundaries. */

import type { CallWriter } from "../../calls/terms/next_call.ts";

/** Colours for people. Only fdtool's own words are coloured; a body keeps its bytes. */
export interface Paint {
  tag(text: string): string;
  next(text: string): string;
  fault(text: string): string;
}

/** For everything that is not a terminal: text stays as it is. */
export const PLAIN: Paint = { tag: String, next: String, fault: String };

/** Dims tags and highlights the next command and faults. An escape sequence begins with `escape`. */
export function coloredPaint(escape: string): Paint {
  return {
    tag: (text) => `${escape}2m${text}${escape}22m`,
    next: (text) => `${escape}36m${text}${escape}39m`,
    fault: (text) => `${escape}31m${text}${escape}39m`,
  };
}

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
