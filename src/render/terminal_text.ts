/**
 * Text as it is written to a terminal, whoever wrote it first: control chars are shown, not obeyed. Everything that
 * fdtool says on a terminal comes through here, so no renderer has to think of it.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { jsonEscape, STEERING_CHARS, visibleChar } from "../terms/control_chars.ts";
import { openCharBytes } from "./body_text.ts";

/**
 * What the text is. A `body` holds somebody's content, in which text that runs from right to left is nothing strange;
 * `own` is fdtool's own words, where a name could use that to look like another; `json` stays the same JSON.
 */
export type TextKind = "body" | "own" | "json";

/**
 * What steers a terminal in a body, in bytes: a control of one byte, one of two (U+0080 to U+009F), and, outside of
 * well-formed chars, a byte that terminals may take for one of the latter. Well-formed chars match to be passed over.
 */
const BODY_PARTS = [
  "[\\x00-\\x08\\x0b-\\x1f\\x7f]",
  "\\xc2[\\x80-\\x9f]",
  "[\\xc2-\\xdf][\\x80-\\xbf]",
  "\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]",
  "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}",
  "[\\x80-\\x9f]",
].join("|");

/**
 * `chunks` with their controls visible, piece by piece. `ownEscape` stands for the beginning of an escape sequence of
 * fdtool's own (see `paint.ts`), and becomes one; a chunk never ends inside it.
 */
export function* visibleControls(
  chunks: Iterable<Uint8Array>,
  kind: TextKind,
  ownEscape: string | undefined,
): Iterable<Uint8Array> {
  const show = kind === "body" ? bodyShower(ownEscape) : textShower(kind, ownEscape);
  let open: Uint8Array = new Uint8Array(0);
  for (const chunk of chunks) {
    const bytes = open.length === 0 ? chunk : Buffer.concat([open, chunk]);
    const end = bytes.length - openCharBytes(bytes);
    open = bytes.slice(end);
    if (end > 0) yield show(Buffer.from(bytes.buffer, bytes.byteOffset, end));
  }
  if (open.length > 0) yield show(Buffer.from(open));
}

/** One char a byte in both directions, so that ill-formed bytes stay what they are. */
function bodyShower(ownEscape: string | undefined): (bytes: Buffer) => Uint8Array {
  const found = wordsOr(ownEscape, BODY_PARTS);
  return (bytes) => {
    const shown = bytes.toString("latin1").replace(found, (part) => {
      if (part === ownEscape) return "\x1b[";
      if (part.length === 1) return visibleChar(part);
      return part.charCodeAt(0) === 0xc2 && part.charCodeAt(1) < 0xa0 ? visibleChar(part[1]!) : part;
    });
    return Buffer.from(shown, "latin1");
  };
}

function textShower(kind: "own" | "json", ownEscape: string | undefined): (bytes: Buffer) => Uint8Array {
  const found = wordsOr(ownEscape, `[${STEERING_CHARS}]`);
  const escape = kind === "json" ? jsonEscape : visibleChar;
  return (bytes) =>
    Buffer.from(
      bytes.toString("utf8").replace(found, (part) => {
        if (part === ownEscape) return "\x1b[";
        return part === "\n" || part === "\t" ? part : escape(part);
      }),
    );
}

function wordsOr(ownEscape: string | undefined, others: string): RegExp {
  return new RegExp(ownEscape === undefined ? others : `${ownEscape}|${others}`, "g");
}
