/**
 * A tokenizer for JSON values that pass by in pieces: one value, several, or a value a line. It reports its tokens to a
 * table of paths. Tokens may be split anywhere. Memory is fixed: one bit for each level.
 */

import { type JsonPaths, MAX_TOKEN_BYTES, type Token } from "./json_paths.ts";
import { ARRAY, FALSE, NULL, NUMBER, NUMERIC, OBJECT, STRING, TRUE } from "./path_node.ts";

/** Why and where the content is not JSON. */
export interface JsonFault {
  byteOffset: number;
  what: string;
  /** The start of its line. */
  lineFrom: number;
}

export type JsonScan = ReturnType<typeof scanJson>;

/** The most levels that may be open. */
const MAX_DEPTH = 2 ** 20;
const MAX_OTHER_LINES = 5;
const HASH_START = 0x811c9dc5 | 0;
const HASH_PRIME = 0x01000193;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;
const MINUS = 0x2d;

/** The tokens that may come next. */
const TOP = 0;
const VALUE = 1;
const VALUE_OR_END = 2;
const KEY = 3;
const KEY_OR_END = 4;
const COLON = 5;
const AFTER = 6;
const IN_STRING = 7;
const IN_KEY = 8;
const IN_PLAIN = 9;
const IN_OTHER_LINE = 10;

/**
 * Starts to scan content from the byte `startsAt` on. `isByLine`: each value is known to be on lines of its own.
 */
export function scanJson(paths: JsonPaths, startsAt: number, isByLine: boolean) {
  let state = TOP;
  let depth = 0;
  const isArrayAt = new Uint8Array(MAX_DEPTH >> 3);

  let hasLineFeed = false;

  /** The piece that is scanned, and where it starts in the content. */
  let piece = new Uint8Array(0);
  let pieceAt = startsAt;
  /** The start of the line. */
  let lineAt = startsAt;

  let tokenAt = 0;
  let tokenEnd = 0;
  let carried = 0;
  const carry = new Uint8Array(MAX_TOKEN_BYTES);
  let hash = HASH_START;
  let hasEscape = false;
  /** -1 after a backslash; then the number of hex digits that are missing. */
  let escape = 0;
  let mantissa = 0;
  let digits = 0;
  let fraction = -1;
  let isSimple = true;

  const token: Token = {
    get isCut() {
      return tokenEnd - tokenAt > MAX_TOKEN_BYTES;
    },
    text() {
      const own = piece.subarray(Math.max(0, tokenAt - pieceAt), Math.min(tokenEnd - pieceAt, piece.length));
      if (carried === 0) return DECODER.decode(own.subarray(0, MAX_TOKEN_BYTES));
      const whole = new Uint8Array(MAX_TOKEN_BYTES);
      whole.set(carry.subarray(0, carried));
      const more = own.subarray(0, MAX_TOKEN_BYTES - carried);
      whole.set(more, carried);
      return DECODER.decode(whole.subarray(0, carried + more.length));
    },
  };

  const scan = {
    /** Values at the top that are whole. */
    valueCount: 0,
    /** Whether each value has lines of its own; then a line that is not JSON is skipped. */
    isByLine,
    /** Lines that are not JSON: how many, and where the first few start. */
    otherLineCount: 0,
    otherLines: [] as JsonFault[],
    /** The place from which the content is not JSON. */
    fault: undefined as JsonFault | undefined,
    /** Numbers that JSON does not have: NaN, Infinity. */
    strangeCount: 0,
    /** Takes the next bytes. Returns false if the content cannot be read on. */
    take(bytes: Uint8Array): boolean {
      // Short pieces, because a function that runs long once is not compiled while it runs.
      for (let at = 0; at < bytes.length && scan.fault === undefined; at += PIECE_BYTES) {
        takePiece(bytes.subarray(at, at + PIECE_BYTES));
      }
      return scan.fault === undefined;
    },
    /** Ends the content. */
    end(): void {
      if (scan.fault !== undefined) return;
      piece = new Uint8Array(0);
      if (state === IN_PLAIN) endPlain(0);
      if (scan.fault !== undefined || state === TOP || state === IN_OTHER_LINE) return;
      fail("the content ends inside a value", 0);
    },
  };

  function fail(what: string, at: number): number {
    const byteOffset = pieceAt + at;
    if (!scan.isByLine) {
      scan.fault = { byteOffset, what, lineFrom: lineAt };
      return piece.length;
    }
    if (scan.otherLines.length < MAX_OTHER_LINES) {
      scan.otherLines.push({ byteOffset: lineAt, what, lineFrom: lineAt });
    }
    scan.otherLineCount++;
    paths.abandon();
    depth = 0;
    escape = 0;
    state = IN_OTHER_LINE;
    return at;
  }

  function isArray(): boolean {
    return (isArrayAt[depth - 1 >> 3]! >> (depth - 1 & 7) & 1) === 1;
  }

  function ended(): void {
    if (depth > 0) {
      state = AFTER;
      return;
    }
    state = TOP;
    if (scan.valueCount++ === 0 && !hasLineFeed) scan.isByLine = true;
  }

  function open(kind: number, at: number): void {
    if (depth === MAX_DEPTH) {
      scan.fault = {
        byteOffset: pieceAt + at,
        what: `nested deeper than ${MAX_DEPTH} levels`,
        lineFrom: lineAt,
      };
      return;
    }
    paths.open(kind, pieceAt + at);
    const bit = 1 << (depth & 7);
    if (kind === ARRAY) isArrayAt[depth >> 3]! |= bit;
    else isArrayAt[depth >> 3]! &= ~bit;
    depth++;
    state = kind === ARRAY ? VALUE_OR_END : KEY_OR_END;
  }

  function close(at: number): void {
    depth--;
    paths.close(pieceAt + at + 1);
    ended();
  }

  function startToken(next: number, at: number): void {
    state = next;
    tokenAt = pieceAt + at;
    carried = 0;
    hash = HASH_START;
    hasEscape = false;
    mantissa = 0;
    digits = 0;
    fraction = -1;
    isSimple = true;
  }

  /** Scans the start of a value. Returns the index after it. */
  function startValue(byte: number, at: number): number {
    if (byte === QUOTE) {
      startToken(IN_STRING, at + 1);
      return at + 1;
    }
    if (byte === 0x7b || byte === 0x5b) {
      open(byte === 0x7b ? OBJECT : ARRAY, at);
      return scan.fault === undefined ? at + 1 : piece.length;
    }
    if (byte !== MINUS && (byte < 0x30 || byte > 0x39) && !isLetter(byte)) {
      return fail(`unexpected ${named(byte)}`, at);
    }
    startToken(IN_PLAIN, at);
    return at;
  }

  function scanStructure(from: number): number {
    let at = from;
    let byte = piece[at]!;
    while (byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09) {
      if (byte === LINE_FEED) {
        if (depth > 0) {
          if (scan.isByLine) return fail("the line ends inside a value", at);
          hasLineFeed = true;
        }
        lineAt = pieceAt + at + 1;
      }
      if (++at === piece.length) return at;
      byte = piece[at]!;
    }
    switch (state) {
      case AFTER:
        if (byte === 0x2c) state = isArray() ? VALUE : KEY;
        else if (byte === (isArray() ? 0x5d : 0x7d)) close(at);
        else return fail(`expected , or ${isArray() ? "]" : "}"} but found ${named(byte)}`, at);
        return at + 1;
      case COLON:
        if (byte !== 0x3a) return fail(`expected : but found ${named(byte)}`, at);
        state = VALUE;
        return at + 1;
      case KEY:
      case KEY_OR_END:
        if (byte === QUOTE) startToken(IN_KEY, at + 1);
        else if (byte === 0x7d && state === KEY_OR_END) close(at);
        else return fail(`expected a key but found ${named(byte)}`, at);
        return at + 1;
      case VALUE_OR_END:
        if (byte === 0x5d) {
          close(at);
          return at + 1;
        }
        return startValue(byte, at);
      default:
        return startValue(byte, at);
    }
  }

  function scanString(from: number): number {
    const bytes = piece;
    const { length } = bytes;
    let sum = hash;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at]!;
      if (escape !== 0) {
        if (!escaped(byte)) return fail("an escape sequence that JSON does not have", at);
      } else if (byte === QUOTE) {
        hash = sum;
        tokenEnd = pieceAt + at;
        endString();
        return at + 1;
      } else if (byte === BACKSLASH) {
        escape = -1;
        hasEscape = true;
      } else if (byte < 0x20) return fail(`${named(byte)} inside a string`, at);
      sum = Math.imul(sum ^ byte, HASH_PRIME);
    }
    hash = sum;
    return at;
  }

  function escaped(byte: number): boolean {
    if (escape > 0) {
      escape--;
      return byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x46 || byte >= 0x61 && byte <= 0x66;
    }
    escape = byte === 0x75 ? 4 : 0;
    // " / \ b f n r t u
    return byte === 0x22 || byte === 0x2f || byte === 0x5c || byte === 0x62 || byte === 0x66 ||
      byte === 0x6e ||
      byte === 0x72 || byte === 0x74 || byte === 0x75;
  }

  function endString(): void {
    if (state === IN_KEY) {
      paths.key(hasEscape ? hashOfEscaped() : hash, token);
      state = COLON;
      return;
    }
    const length = tokenEnd - tokenAt + 2;
    paths.scalar(STRING, hash, 0, length, token, tokenAt - 1);
    ended();
  }

  /** The hash of a key without its escapes, which is the same however the key is written. */
  function hashOfEscaped(): number {
    const text = token.text();
    if (tokenEnd - tokenAt > MAX_TOKEN_BYTES) return hash;
    let sum = HASH_START;
    for (const byte of new TextEncoder().encode(JSON.parse(`"${text}"`) as string)) {
      sum = Math.imul(sum ^ byte, HASH_PRIME);
    }
    return sum;
  }

  /** Scans a number or a word. */
  function scanPlain(from: number): number {
    const bytes = piece;
    const { length } = bytes;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at]!;
      if (byte >= 0x30 && byte <= 0x39) {
        mantissa = mantissa * 10 + (byte - 0x30);
        digits++;
        if (fraction >= 0) fraction++;
        else if (digits === 2 && mantissa < 10) isSimple = false;
      } else if (byte === 0x2e && fraction < 0 && digits > 0) fraction = 0;
      else if (byte === MINUS && digits === 0 && pieceAt + at === tokenAt) {
        // The sign.
      } else if (byte === 0x2e || byte === 0x2b || byte === MINUS || isLetter(byte)) isSimple = false;
      else break;
      hash = Math.imul(hash ^ byte, HASH_PRIME);
    }
    return at === length ? at : endPlain(at);
  }

  function endPlain(at: number): number {
    tokenEnd = pieceAt + at;
    let kind: number = NUMBER;
    let value: number;
    if (isSimple && digits > 0 && digits <= 15 && fraction !== 0) {
      value = fraction > 0 ? mantissa / POWERS[fraction]! : mantissa;
      if ((carried > 0 ? carry[0] : piece[tokenAt - pieceAt]) === MINUS) value = -value;
    } else {
      const text = token.text();
      const word = WORDS.get(text);
      const isWord = /^-?[a-z]/i.test(text);
      // The end of a longer number is not looked at.
      if (word === undefined && (isWord || !token.isCut && !NUMERIC.test(text))) {
        const what = isWord
          ? `unexpected ${JSON.stringify(text.slice(0, 40))}`
          : "a number that JSON does not have";
        return fail(what, Math.max(0, tokenAt - pieceAt));
      }
      kind = word ?? NUMBER;
      value = word === undefined ? Number(text) : NaN;
      if (word === NUMBER) scan.strangeCount++;
    }
    paths.scalar(kind, hash, value, tokenEnd - tokenAt, token, tokenAt);
    ended();
    return at;
  }

  function scanOtherLine(from: number): number {
    const lineFeed = piece.indexOf(LINE_FEED, from);
    if (lineFeed < 0) return piece.length;
    lineAt = pieceAt + lineFeed + 1;
    state = TOP;
    return lineFeed + 1;
  }

  /** Keeps the start of a token that continues in the next piece. */
  function carryToken(): void {
    const from = Math.max(0, tokenAt - pieceAt);
    const more = piece.subarray(from, from + MAX_TOKEN_BYTES - carried);
    carry.set(more, carried);
    carried += more.length;
  }

  function takePiece(bytes: Uint8Array): void {
    piece = bytes as Uint8Array<ArrayBuffer>;
    let at = 0;
    while (at < bytes.length) {
      if (state <= AFTER) at = scanStructure(at);
      else if (state <= IN_KEY) at = scanString(at);
      else if (state === IN_PLAIN) at = scanPlain(at);
      else at = scanOtherLine(at);
    }
    if (state >= IN_STRING && state <= IN_PLAIN) carryToken();
    pieceAt += bytes.length;
  }

  return scan;
}

const PIECE_BYTES = 8192;

/** Powers of ten that are exact. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Words that are values; JSON does not have those that are numbers. */
const WORDS = new Map<string, number>([["null", NULL], ["true", TRUE], ["false", FALSE]]);
for (const strange of ["NaN", "Infinity", "-Infinity"]) WORDS.set(strange, NUMBER);

function isLetter(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a || byte >= 0x61 && byte <= 0x7a;
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

function named(byte: number): string {
  if (byte === LINE_FEED) return "a line end";
  return byte > 0x20 && byte < 0x7f
    ? String.fromCharCode(byte)
    : `byte 0x${byte.toString(16).padStart(2, "0")}`;
}
