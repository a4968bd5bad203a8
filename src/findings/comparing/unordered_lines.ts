/** Finds lines that only one of two contents has, whatever their order: parallel jobs end in another one each time. */

import { Buffer } from "node:buffer";
import { utf8Text } from "../../../fd/system.ts";
import { sayingOf } from "./ignored_text.ts";

export interface NumberedLine {
  line: number;
  text: string;
}

interface UnorderedLines {
  gone: NumberedLine[];
  fresh: NumberedLine[];
}

/** A counter of steps: another line has its number in another order. */
const STEP = /^\[ *\d+ *(?:\/|of) *(\d+)\]/;

/**
 * The lines of `before` and of `after` that have no equal in the other, but for times, ids and counters; undefined if they are
 * more than `most`.
 */
export function unorderedLines(
  before: Uint8Array,
  after: Uint8Array,
  most: number,
): UnorderedLines | undefined {
  const waiting = Map.groupBy(linesOf(before), keyOf);
  const fresh: NumberedLine[] = [];
  for (const line of linesOf(after)) {
    if (waiting.get(keyOf(line))?.shift() === undefined) fresh.push(line);
    if (fresh.length > most) return undefined;
  }
  const gone = [...waiting.values()].flat().sort((one, other) => one.line - other.line);
  return gone.length + fresh.length > most ? undefined : { gone, fresh };
}

function linesOf(bytes: Uint8Array): NumberedLine[] {
  const end = bytes.at(-1) === 0x0a ? bytes.length - 1 : bytes.length;
  return utf8Text(Buffer.from(bytes.buffer, bytes.byteOffset, end)).split("\n")
    .map((text, at) => ({ line: at + 1, text }));
}

function keyOf({ text }: NumberedLine): string {
  return sayingOf(text.replace(STEP, "$1"));
}
