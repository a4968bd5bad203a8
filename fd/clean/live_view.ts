/**
 * The live view: content as a terminal may be given it while it arrives. Unlike the clean view it keeps what only the
 * terminal can show: colours, and moves and erasures inside the row, so that a redrawn progress line looks right.
 * Every other escape sequence is left out, and other control characters are shown (`\x07`), as are those that turn the
 * order of the text after them (`\u202e`).
 */

import { charEnd, startOfUnfinished } from "../bytes/utf8_chars.ts";
import { joinBytes, utf8Bytes } from "../bytes/utf8_bytes.ts";
import { isSecondOfControl, sequenceEnd, UNFINISHED } from "./escape_sequences.ts";

const BS = 0x08;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const ESC = 0x1b;
const C2 = 0xc2;
const NOTHING = new Uint8Array(0);
const END_COLOURS = utf8Bytes("\x1b[m");

/**
 * Starts to show content. Without `isRewritable`, the terminal knows no escape sequences, and all are left out.
 *
 * ```ts
 * import { startLiveView } from "./live_view.ts";
 * const view = startLiveView(true);
 * const shown = (text: string) => new TextDecoder().decode(view.take(new TextEncoder().encode(text)));
 * if (shown("\x1b[32mok\x1b[0m 10%\r\x1b[K20%") !== "\x1b[32mok\x1b[0m 10%\r\x1b[K20%") throw new Error();
 * if (shown("\x1b[2J\x1b]0;title\x07\x07\n") !== "\\x07\n") throw new Error();
 * ```
 */
export function startLiveView(isRewritable: boolean) {
  let carry = NOTHING;
  /** How far into the carry a sequence was seen. */
  let scannedTo = 0;
  let isColoured = false;
  let isInLine = false;

  function taken(bytes: Uint8Array, isLast: boolean): Uint8Array {
    const pieces: Uint8Array[] = [];
    const end = isLast ? bytes.length : startOfUnfinished(bytes);
    let at = 0;
    let keptFrom = 0;
    const replace = (next: number, shown: Uint8Array): void => {
      pieces.push(bytes.subarray(keptFrom, at), shown);
      keptFrom = at = next;
    };
    carry = NOTHING;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte >= 0x20 && byte < 0x7f || byte === LF || byte === CR || byte === TAB || byte === BS) {
        at++;
      } else if (byte === ESC || byte === C2 && isSecondOfControl(bytes[at + 1])) {
        const next = sequenceEnd(bytes, at, end, scannedTo);
        scannedTo = 0;
        if (next === UNFINISHED && !isLast) {
          scannedTo = end - at - 1;
          break;
        }
        if (next < 0) replace(at + (byte === ESC ? 1 : 2), visible(byte === ESC ? ESC : bytes[at + 1]!));
        else if (isRewritable && isHarmless(bytes, at, next)) {
          if (bytes[next - 1] === 0x6d) isColoured = true;
          at = next;
        } else replace(next, NOTHING);
      } else if (byte < 0x80) replace(at + 1, visible(byte));
      else {
        const next = charEnd(bytes, at, end);
        const turning = byte === 0xe2 && next - at === 3
          ? turningChar(bytes[at + 1]!, bytes[at + 2]!)
          : undefined;
        if (turning !== undefined) replace(next, visible(turning));
        else if (next - at === lengthFrom(byte)) at = next;
        // A terminal may take a byte that is part of no char for a control.
        else if (byte < 0xa0) replace(at + 1, visible(byte));
        else at++;
      }
    }
    pieces.push(bytes.subarray(keptFrom, at));
    if (at < bytes.length) carry = bytes.slice(at);
    const shown = pieces.length === 1 ? pieces[0]! : joinBytes(pieces);
    if (shown.length > 0) isInLine = shown[shown.length - 1] !== LF;
    return shown;
  }

  return {
    /** Takes the next bytes. Returns what is to be written for them: all but a char or a sequence that is not whole. */
    take: (bytes: Uint8Array) => taken(carry.length === 0 ? bytes : joinBytes([carry, bytes]), false),
    /** Ends the content. Returns the rest, the end of its colours, and the end of its last line. */
    end() {
      const rest = taken(carry, true);
      const colours = isColoured ? END_COLOURS : NOTHING;
      return joinBytes([rest, colours, isInLine ? new Uint8Array([LF]) : NOTHING]);
    },
  };
}

/** The bytes of a char that begins with `lead`. */
function lengthFrom(lead: number): number {
  return lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** The char with these bytes after E2 if it turns the order of text: U+202A to U+202E, U+2066 to U+2069. */
function turningChar(second: number, third: number): number | undefined {
  const code = 0x2000 | (second & 0x3f) << 6 | third & 0x3f;
  return code >= 0x202a && code <= 0x202e || code >= 0x2066 && code <= 0x2069 ? code : undefined;
}

function visible(code: number): Uint8Array {
  return utf8Bytes(code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16)}`);
}

/** Last bytes of control sequences for colours, and of CSI C, D, G, K, P and X, which act inside the row. */
const HARMLESS = new TextEncoder().encode("mCDGKPX");

/** Whether `bytes[start, end)` is a control sequence with numbers only that does no more than colour or act inside the row. */
function isHarmless(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes[start + 1] !== 0x5b || !HARMLESS.includes(bytes[end - 1]!)) return false;
  for (let at = start + 2; at < end - 1; at++) {
    // Digits, and what separates them.
    if (bytes[at]! < 0x30 || bytes[at]! > 0x3b) return false;
  }
  return true;
}
