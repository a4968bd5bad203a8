/**
 * A tokenizer for JSON values that pass by in pieces: one value, several, or a value a line. It reports its tokens to a
 * table of paths. Tokens may be split anywhere. Memory is fixed: one bit for each level.
 */

import { type JsonPaths, MAX_TOKEN_BYTES, type Token } from "./json_paths.ts";
import { ARRAY, FALSE, NULL, NUMBER, NUMERIC, OBJECT, STRING, TRUE } from "./path_node.ts";

/** Why and where the content is not JSON. */
interface JsonFault {
  byteOffset: number;
  what: string;
  /** The start of its line. */
  lineFrom: number;
}

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

/** A scan of content from the byte `startsAt` on; it is also the token that it reports. */
export class JsonScan implements Token {
  /** Values at the top that are whole. */
  valueCount = 0;
  /** Lines that are not JSON: how many, and where the first few start. */
  otherLineCount = 0;
  readonly otherLines: JsonFault[] = [];
  /** The place from which the content is not JSON. */
  fault: JsonFault | undefined;
  /** Numbers that JSON does not have: NaN, Infinity. */
  strangeCount = 0;

  private state = TOP;
  private depth = 0;
  private readonly isArrayAt = new Uint8Array(MAX_DEPTH >> 3);

  private hasLineFeed = false;

  /** The piece that is scanned, and where it starts in the content. */
  private piece = new Uint8Array(0);
  private pieceAt: number;
  /** The start of the line. */
  private lineAt: number;

  private tokenAt = 0;
  private tokenEnd = 0;
  private carried = 0;
  private readonly carry = new Uint8Array(MAX_TOKEN_BYTES);
  private hash = HASH_START;
  private hasEscape = false;
  /** -1 after a backslash; then the number of hex digits that are missing. */
  private escape = 0;
  private mantissa = 0;
  private digits = 0;
  private fraction = -1;
  private isSimple = true;

  /** With `isByLine`, each value has lines of its own; then a line that is not JSON is skipped. */
  constructor(private readonly paths: JsonPaths, startsAt: number, public isByLine: boolean) {
    this.pieceAt = startsAt;
    this.lineAt = startsAt;
  }

  /** Takes the next bytes. Returns false if the content cannot be read on. */
  take(bytes: Uint8Array): boolean {
    // Short pieces, because a function that runs long once is not compiled while it runs.
    for (let at = 0; at < bytes.length && this.fault === undefined; at += PIECE_BYTES) {
      this.takePiece(bytes.subarray(at, at + PIECE_BYTES));
    }
    return this.fault === undefined;
  }

  /** Ends the content. */
  end(): void {
    if (this.fault !== undefined) return;
    this.piece = new Uint8Array(0);
    if (this.state === IN_PLAIN) this.endPlain(0);
    if (this.fault !== undefined || this.state === TOP || this.state === IN_OTHER_LINE) return;
    this.fail("the content ends inside a value", 0);
  }

  get isCut(): boolean {
    return this.tokenEnd - this.tokenAt > MAX_TOKEN_BYTES;
  }

  text(): string {
    const { piece, pieceAt, tokenAt, tokenEnd, carried } = this;
    const own = piece.subarray(Math.max(0, tokenAt - pieceAt), Math.min(tokenEnd - pieceAt, piece.length));
    if (carried === 0) return DECODER.decode(own.subarray(0, MAX_TOKEN_BYTES));
    const whole = new Uint8Array(MAX_TOKEN_BYTES);
    whole.set(this.carry.subarray(0, carried));
    const more = own.subarray(0, MAX_TOKEN_BYTES - carried);
    whole.set(more, carried);
    return DECODER.decode(whole.subarray(0, carried + more.length));
  }

  private fail(what: string, at: number): number {
    const byteOffset = this.pieceAt + at;
    if (!this.isByLine) {
      this.fault = { byteOffset, what, lineFrom: this.lineAt };
      return this.piece.length;
    }
    if (this.otherLines.length < MAX_OTHER_LINES) {
      this.otherLines.push({ byteOffset: this.lineAt, what, lineFrom: this.lineAt });
    }
    this.otherLineCount++;
    this.paths.abandon();
    this.depth = 0;
    this.escape = 0;
    this.state = IN_OTHER_LINE;
    return at;
  }

  private isArray(): boolean {
    return (this.isArrayAt[this.depth - 1 >> 3]! >> (this.depth - 1 & 7) & 1) === 1;
  }

  private ended(): void {
    if (this.depth > 0) {
      this.state = AFTER;
      return;
    }
    this.state = TOP;
    if (this.valueCount++ === 0 && !this.hasLineFeed) this.isByLine = true;
  }

  private open(kind: number, at: number): void {
    if (this.depth === MAX_DEPTH) {
      this.fault = {
        byteOffset: this.pieceAt + at,
        what: `nested deeper than ${MAX_DEPTH} levels`,
        lineFrom: this.lineAt,
      };
      return;
    }
    this.paths.open(kind, this.pieceAt + at);
    const bit = 1 << (this.depth & 7);
    if (kind === ARRAY) this.isArrayAt[this.depth >> 3]! |= bit;
    else this.isArrayAt[this.depth >> 3]! &= ~bit;
    this.depth++;
    this.state = kind === ARRAY ? VALUE_OR_END : KEY_OR_END;
  }

  private close(at: number): void {
    this.depth--;
    this.paths.close(this.pieceAt + at + 1);
    this.ended();
  }

  private startToken(next: number, at: number): void {
    this.state = next;
    this.tokenAt = this.pieceAt + at;
    this.carried = 0;
    this.hash = HASH_START;
    this.hasEscape = false;
    this.mantissa = 0;
    this.digits = 0;
    this.fraction = -1;
    this.isSimple = true;
  }

  /** Scans the start of a value. Returns the index after it. */
  private startValue(byte: number, at: number): number {
    if (byte === QUOTE) {
      this.startToken(IN_STRING, at + 1);
      return at + 1;
    }
    if (byte === 0x7b || byte === 0x5b) {
      this.open(byte === 0x7b ? OBJECT : ARRAY, at);
      return this.fault === undefined ? at + 1 : this.piece.length;
    }
    if (byte !== MINUS && (byte < 0x30 || byte > 0x39) && !isLetter(byte)) {
      return this.fail(`unexpected ${named(byte)}`, at);
    }
    this.startToken(IN_PLAIN, at);
    return at;
  }

  private scanStructure(from: number): number {
    let at = from;
    let byte = this.piece[at]!;
    while (byte === 0x20 || byte === LINE_FEED || byte === 0x0d || byte === 0x09) {
      if (byte === LINE_FEED) {
        if (this.depth > 0) {
          if (this.isByLine) return this.fail("the line ends inside a value", at);
          this.hasLineFeed = true;
        }
        this.lineAt = this.pieceAt + at + 1;
      }
      if (++at === this.piece.length) return at;
      byte = this.piece[at]!;
    }
    switch (this.state) {
      case AFTER:
        if (byte === 0x2c) this.state = this.isArray() ? VALUE : KEY;
        else if (byte === (this.isArray() ? 0x5d : 0x7d)) this.close(at);
        else return this.fail(`expected , or ${this.isArray() ? "]" : "}"} but found ${named(byte)}`, at);
        return at + 1;
      case COLON:
        if (byte !== 0x3a) return this.fail(`expected : but found ${named(byte)}`, at);
        this.state = VALUE;
        return at + 1;
      case KEY:
      case KEY_OR_END:
        if (byte === QUOTE) this.startToken(IN_KEY, at + 1);
        else if (byte === 0x7d && this.state === KEY_OR_END) this.close(at);
        else return this.fail(`expected a key but found ${named(byte)}`, at);
        return at + 1;
      case VALUE_OR_END:
        if (byte === 0x5d) {
          this.close(at);
          return at + 1;
        }
        return this.startValue(byte, at);
      default:
        return this.startValue(byte, at);
    }
  }

  private scanString(from: number): number {
    const bytes = this.piece;
    const { length } = bytes;
    let sum = this.hash;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at]!;
      if (this.escape !== 0) {
        if (!this.escaped(byte)) return this.fail("an escape sequence that JSON does not have", at);
      } else if (byte === QUOTE) {
        this.hash = sum;
        this.tokenEnd = this.pieceAt + at;
        this.endString();
        return at + 1;
      } else if (byte === BACKSLASH) {
        this.escape = -1;
        this.hasEscape = true;
      } else if (byte < 0x20) return this.fail(`${named(byte)} inside a string`, at);
      sum = Math.imul(sum ^ byte, HASH_PRIME);
    }
    this.hash = sum;
    return at;
  }

  private escaped(byte: number): boolean {
    if (this.escape > 0) {
      this.escape--;
      return byte >= 0x30 && byte <= 0x39 || byte >= 0x41 && byte <= 0x46 || byte >= 0x61 && byte <= 0x66;
    }
    this.escape = byte === 0x75 ? 4 : 0;
    // " / \ b f n r t u
    return byte === 0x22 || byte === 0x2f || byte === 0x5c || byte === 0x62 || byte === 0x66 ||
      byte === 0x6e ||
      byte === 0x72 || byte === 0x74 || byte === 0x75;
  }

  private endString(): void {
    if (this.state === IN_KEY) {
      this.paths.key(this.hasEscape ? this.hashOfEscaped() : this.hash, this);
      this.state = COLON;
      return;
    }
    const length = this.tokenEnd - this.tokenAt + 2;
    this.paths.scalar(STRING, this.hash, 0, length, this, this.tokenAt - 1);
    this.ended();
  }

  /** The hash of a key without its escapes, which is the same however the key is written. */
  private hashOfEscaped(): number {
    const text = this.text();
    if (this.tokenEnd - this.tokenAt > MAX_TOKEN_BYTES) return this.hash;
    let sum = HASH_START;
    for (const byte of new TextEncoder().encode(JSON.parse(`"${text}"`) as string)) {
      sum = Math.imul(sum ^ byte, HASH_PRIME);
    }
    return sum;
  }

  /** Scans a number or a word. */
  private scanPlain(from: number): number {
    const bytes = this.piece;
    const { length } = bytes;
    let at = from;
    for (; at < length; at++) {
      const byte = bytes[at]!;
      if (byte >= 0x30 && byte <= 0x39) {
        this.mantissa = this.mantissa * 10 + (byte - 0x30);
        this.digits++;
        if (this.fraction >= 0) this.fraction++;
        else if (this.digits === 2 && this.mantissa < 10) this.isSimple = false;
      } else if (byte === 0x2e && this.fraction < 0 && this.digits > 0) this.fraction = 0;
      else if (byte === MINUS && this.digits === 0 && this.pieceAt + at === this.tokenAt) {
        // The sign.
      } else if (byte === 0x2e || byte === 0x2b || byte === MINUS || isLetter(byte)) this.isSimple = false;
      else break;
      this.hash = Math.imul(this.hash ^ byte, HASH_PRIME);
    }
    return at === length ? at : this.endPlain(at);
  }

  private endPlain(at: number): number {
    this.tokenEnd = this.pieceAt + at;
    let kind: number = NUMBER;
    let value: number;
    if (this.isSimple && this.digits > 0 && this.digits <= 15 && this.fraction !== 0) {
      value = this.fraction > 0 ? this.mantissa / POWERS[this.fraction]! : this.mantissa;
      if ((this.carried > 0 ? this.carry[0] : this.piece[this.tokenAt - this.pieceAt]) === MINUS) {
        value = -value;
      }
    } else {
      const text = this.text();
      const word = WORDS.get(text);
      const isWord = /^-?[a-z]/i.test(text);
      // The end of a longer number is not looked at.
      if (word === undefined && (isWord || !this.isCut && !NUMERIC.test(text))) {
        const what = isWord
          ? `unexpected ${JSON.stringify(text.slice(0, 40))}`
          : "a number that JSON does not have";
        return this.fail(what, Math.max(0, this.tokenAt - this.pieceAt));
      }
      kind = word ?? NUMBER;
      value = word === undefined ? Number(text) : NaN;
      if (word === NUMBER) this.strangeCount++;
    }
    this.paths.scalar(kind, this.hash, value, this.tokenEnd - this.tokenAt, this, this.tokenAt);
    this.ended();
    return at;
  }

  private scanOtherLine(from: number): number {
    const lineFeed = this.piece.indexOf(LINE_FEED, from);
    if (lineFeed < 0) return this.piece.length;
    this.lineAt = this.pieceAt + lineFeed + 1;
    this.state = TOP;
    return lineFeed + 1;
  }

  /** Keeps the start of a token that continues in the next piece. */
  private carryToken(): void {
    const from = Math.max(0, this.tokenAt - this.pieceAt);
    const more = this.piece.subarray(from, from + MAX_TOKEN_BYTES - this.carried);
    this.carry.set(more, this.carried);
    this.carried += more.length;
  }

  private takePiece(bytes: Uint8Array): void {
    this.piece = bytes as Uint8Array<ArrayBuffer>;
    let at = 0;
    while (at < bytes.length) {
      if (this.state <= AFTER) at = this.scanStructure(at);
      else if (this.state <= IN_KEY) at = this.scanString(at);
      else if (this.state === IN_PLAIN) at = this.scanPlain(at);
      else at = this.scanOtherLine(at);
    }
    if (this.state >= IN_STRING && this.state <= IN_PLAIN) this.carryToken();
    this.pieceAt += bytes.length;
  }
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
