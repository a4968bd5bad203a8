/**
 * Shows control chars instead of letting the terminal obey them. All output to a terminal passes through here, so that
 * renderers need not care.
 */

import { Buffer } from "node:buffer";
import { jsonEscape, STEERING_CHARS, visibleChar } from "../../calls/terms/control_chars.ts";
import { startOfUnfinished } from "../../../fd/system.ts";

/**
 * `body`: captured content. Letters that run from right to left are normal there, and so are marks beside them; chars
 * that turn the order of what follows, up to the end of the line, are shown. `own`: fdtool's words, where a mark could make one
 * name look like another. `json`: must stay the same JSON.
 */
export type TextKind = "body" | "own" | "json";

const TURNING_CHARS = "\\xe2\\x80[\\xaa-\\xae]|\\xe2\\x81[\\xa6-\\xa9]";

/**
 * Bytes of a body that control a terminal: controls of one byte, those of two (U+0080 to U+009F), those of three that turn the
 * order of text (U+202A to U+202E, U+2066 to U+2069), and single bytes outside of well-formed chars that terminals
 * may take for the latter. Well-formed chars match so that they are skipped.
 */
const BODY_PARTS = [
  "[\\x00-\\x08\\x0b-\\x1f\\x7f]",
  "\\xc2[\\x80-\\x9f]",
  TURNING_CHARS,
  "[\\xc2-\\xdf][\\x80-\\xbf]",
  "\\xe0[\\xa0-\\xbf][\\x80-\\xbf]|[\\xe1-\\xec\\xee\\xef][\\x80-\\xbf]{2}|\\xed[\\x80-\\x9f][\\x80-\\xbf]",
  "\\xf0[\\x90-\\xbf][\\x80-\\xbf]{2}|[\\xf1-\\xf3][\\x80-\\xbf]{3}|\\xf4[\\x80-\\x8f][\\x80-\\xbf]{2}",
  "[\\x80-\\x9f]",
].join("|");

/**
 * Makes controls in `chunks` visible. `ownEscape` begins fdtool's own escape sequences (see `dress.ts`) and becomes an
 * escape; no chunk may end inside it.
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
    const end = startOfUnfinished(bytes);
    open = bytes.slice(end);
    if (end > 0) yield show(Buffer.from(bytes.buffer, bytes.byteOffset, end));
  }
  if (open.length > 0) yield show(Buffer.from(open));
}

/** latin1 has one char a byte in both directions, so ill-formed bytes stay as they are. */
function bodyShower(ownEscape: string | undefined): (bytes: Buffer) => Uint8Array {
  const found = wordsOr(ownEscape, BODY_PARTS);
  const turns = new RegExp(`^(?:${TURNING_CHARS})$`);
  return (bytes) => {
    const shown = bytes.toString("latin1").replace(found, (part) => {
      if (part === ownEscape) return "\x1b[";
      if (part.length === 1) return visibleChar(part);
      if (turns.test(part)) return visibleChar(Buffer.from(part, "latin1").toString());
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
