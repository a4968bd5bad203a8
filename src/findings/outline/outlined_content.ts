/** The content that an outline is made of, its lines, and the outline as data. */

import { nodeBuffer } from "../../../fd/system.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";

/** A summary of the parts of some content. */
export interface ContentOutline {
  /** The kind in a word or two: "JSON", "a diff". */
  kind: string;
  /** The outline, as lines without line ends. */
  lines: readonly string[];
  /** The slice worth reading first, without the fd. */
  readOn?: Omit<ReadRequest, "fd"> | undefined;
  /** The query that shows the same. */
  query?: string | undefined;
  /** The name of a file to export the content to, instead of reading it. */
  exportTo?: string | undefined;
  /**
   * The part below: a digest, if the outline does not cover all of the content, or `shownLines` with the lines that
   * matter most, or only those.
   */
  below?: "digest" | "lines" | "start" | undefined;
  /** The most chars of the outline and what is below it. */
  mostChars?: number | undefined;
  /** The lines of what is odd, by number. */
  shownLines?: readonly number[] | undefined;
}

/** The most chars of what is shown of a listing, a table or a log: with the tags around it, an answer has about 2,000. */
export const LISTED_CHARS = 1600;

/** Part of some content, in bytes. */
export interface ByteRange {
  fromByte: number;
  toByte: number;
}

/** Content that is counted and in which places are found. */
interface CountedContent {
  readonly byteCount: number;
  readonly lineCount: number;
  /** The number of the line that a byte is in, from 1. */
  lineAt(byteOffset: number): number;
  /** How many chars are before a byte. */
  charAt(byteOffset: number): number;
}

/** Content to be studied: its bytes in blocks of `BLOCK_BYTES`, numbered from 0. */
export interface BlockContent extends CountedContent {
  readonly blockCount: number;
  /** The bytes of a block, valid until a block that is 2 or more away is requested. */
  block(block: number): Uint8Array;
  /** How many line feeds are before a block. */
  lineFeedsBefore(block: number): number;
  /** Whether there may be a control character other than TAB and LF in a block. */
  mayHaveControls(block: number): boolean;
  /** The command that wrote it, and its directory. */
  readonly command?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

/** Content that is outlined. */
export interface OutlinedContent extends CountedContent {
  /** The bytes from one offset up to another or the end, in pieces that are valid until the next one. */
  pieces(fromByte: number, toByte: number): Iterable<Uint8Array>;
  /** The same bytes in one piece. */
  read(fromByte: number, toByte: number): Uint8Array;
}

/** From so many lines on, those of what is odd are shown as they are, below the outline. */
export const MANY_LINES = 20;

/** Only this many bytes are outlined. */
export const OUTLINED_BYTES = 64 * 2 ** 20;
/** A longer line is cut. */
const MAX_LINE_BYTES = 65_536;
/** The most bytes of a piece that becomes text. */
export const PIECE_BYTES = 4096;

const LINE_FEED = 0x0a;

export interface ContentLine {
  /** One char a byte, without the line end. */
  text: string;
  /** From 1. */
  number: number;
  byteOffset: number;
}

/**
 * Calls `take` with each whole line of the first {@link OUTLINED_BYTES}, until it returns false; returns whether it did not. A
 * function that is called for each line is compiled once, and not again while a loop over all of them runs.
 */
export function eachLine(content: OutlinedContent, take: (line: ContentLine) => boolean | void): boolean {
  /** A line that goes on, as bytes: what is freed of long texts is free only much later. */
  let rest: Uint8Array | undefined;
  let number = 1;
  let byteOffset = 0;
  let restBytes = 0;
  const takeText = (text: string, byteLength: number): boolean => {
    const line = { text: withoutReturn(text), number, byteOffset };
    byteOffset += byteLength + 1;
    number++;
    return take(line) !== false;
  };
  /** Adds to the line that goes on, and takes it if it `isWhole`. */
  const takeRest = (bytes: Uint8Array, isWhole: boolean): boolean => {
    const before = Math.min(restBytes, MAX_LINE_BYTES);
    rest ??= new Uint8Array(MAX_LINE_BYTES + PIECE_BYTES);
    rest.set(bytes, before);
    restBytes += bytes.length;
    if (!isWhole) return true;
    const byteLength = restBytes;
    restBytes = 0;
    return takeText(latin1Of(rest.subarray(0, before + bytes.length)), byteLength);
  };
  const takePiece = (bytes: Uint8Array): boolean => {
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    let start = 0;
    if (restBytes > 0 && end > 0) {
      start = bytes.indexOf(LINE_FEED) + 1;
      if (!takeRest(bytes.subarray(0, start - 1), true)) return false;
    }
    const texts = start === end ? [] : latin1Of(bytes.subarray(start, end - 1)).split("\n");
    if (!texts.every((text) => takeText(text, text.length))) return false;
    return end === bytes.length || takeRest(bytes.subarray(end), false);
  };
  if (!eachPiece(content, 0, takePiece)) return false;
  return restBytes === 0 || content.byteCount > OUTLINED_BYTES || takeRest(new Uint8Array(), true);
}

/**
 * Calls `take` with the first {@link OUTLINED_BYTES} from a byte on, piece by piece, until it returns false; returns whether it
 * did not. A part of a text that is kept, even a word, keeps all of it.
 */
export function eachPiece(
  content: OutlinedContent,
  fromByte: number,
  take: (bytes: Uint8Array) => boolean,
): boolean {
  for (const bytes of content.pieces(fromByte, OUTLINED_BYTES)) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      if (!take(bytes.subarray(at, at + PIECE_BYTES))) return false;
    }
  }
  return true;
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

/** A quarter of what the runtime lets accumulate. */
const PROMPTING_BYTES = 8 * 2 ** 20;

/** Lets texts be collected early: memory that is not touched counts, but costs nothing. */
export function promptCollection(share = 1): void {
  nodeBuffer().Buffer.allocUnsafeSlow(PROMPTING_BYTES * share);
}

/** Bytes as text, one char a byte. */
export function latin1Of(bytes: Uint8Array, from = 0, to = bytes.length): string {
  // Methods of Buffer take any bytes. The first Buffer that is made of some costs 0.2 ms.
  return nodeBuffer().Buffer.prototype.latin1Slice.call(bytes, from, to);
}

/** Puts text of one char a byte into bytes, at most so much of it; returns how much. */
export function putLatin1(text: string, into: Uint8Array, at = 0, most = text.length): number {
  return nodeBuffer().Buffer.prototype.latin1Write.call(into, text, at, most);
}

/** The bytes of text of one char a byte. */
export function bytesOf(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  putLatin1(text, bytes);
  return bytes;
}

/** A text by itself, of one char a byte: a part of another keeps all of that. */
export function copyOf(text: string): string {
  return latin1Of(bytesOf(text));
}

/** Text of which each char is a byte, as UTF-8. */
export function utf8Of(text: string): string {
  return nodeBuffer().Buffer.prototype.utf8Slice.call(bytesOf(text), 0, text.length);
}

/** The text of the line that starts at a byte, or the first 1,024 bytes of it. */
export function lineStart(content: OutlinedContent, byteOffset: number): string {
  const bytes = content.read(byteOffset, byteOffset + 1024);
  const lineFeed = bytes.indexOf(0x0a);
  return new TextDecoder().decode(lineFeed < 0 ? bytes : bytes.subarray(0, lineFeed)).trimEnd();
}
