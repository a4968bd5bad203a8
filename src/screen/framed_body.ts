/**
 * Content between lines of fdtool's own. Those begin with a mark; if the content has the mark too, the mark gets a random
 * word, which no content can know (contract, law 8).
 */

import { utf8Bytes } from "../../fd/system.ts";
import type { Body } from "../terms/answers.ts";
import { holdsAny, shownBytes } from "../render/body_text.ts";
import type { Screen } from "./screen.ts";

export const MARK = "── ";
const LINE_FEED = 0x0a;

/** The start of fdtool's own lines around `bodies`. */
export function markAround(bodies: readonly Body[], screen: Screen): string {
  return markOf(bodies.some((body) => holdsAny(body, [MARK.trimEnd()])), screen);
}

/** The mark; with a random word if it `isTaken`. */
export function markOf(isTaken: boolean, { ink, makeBoundary, isMarked }: Screen): string {
  return ink.dim(isTaken || isMarked === true ? `${MARK.trimEnd()}${makeBoundary()} ` : MARK);
}

/** The same around text. */
export function markAroundText(text: string, screen: Screen): string {
  const bytes = utf8Bytes(text);
  return markAround([{ byteLength: bytes.length, chunks: () => [bytes], bytes }], screen);
}

/** `heading`, the body with a line end, and `closing`. */
export function* framedBody(heading: string, body: Body, closing: string): Iterable<Uint8Array> {
  yield utf8Bytes(heading);
  let last = LINE_FEED;
  for (const bytes of shownBytes([body])) {
    last = bytes.at(-1) ?? last;
    yield bytes;
  }
  yield utf8Bytes(last === LINE_FEED ? closing : `\n${closing}`);
}
