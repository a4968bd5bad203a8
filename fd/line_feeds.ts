/**
 * Line feeds and lines of bytes that are in memory (the contract's section 2: a line ends with LF or with the content).
 * Of stored content the index knows both.
 *
 * @module
 */

const LF = 0x0a;

/** As many bytes are made text at once: a small answer of a fresh process never needs more. */
const PIECE_BYTES = 65_536;

/**
 * One char a byte, and LF is LF. Text is split by native code at once, where a call for each LF would have a process that
 * has just started do what it is worst at.
 */
const byteDecoder = new TextDecoder("windows-1252");

function piecesOf(bytes: Uint8Array): string[] {
  return byteDecoder.decode(bytes).split("\n");
}

/** How many LF stand in the first `toByte` bytes. */
export function countLineFeeds(bytes: Uint8Array, toByte = bytes.length): number {
  let count = 0;
  for (let from = 0; from < toByte; from += PIECE_BYTES) {
    count += piecesOf(bytes.subarray(from, Math.min(from + PIECE_BYTES, toByte))).length - 1;
  }
  return count;
}

/** The offset of LF number `lineFeed` (from 1) of a block of content, which must hold as many. */
export function offsetOfLineFeed(block: Uint8Array, lineFeed: number): number {
  let offset = lineFeed - 1;
  const pieces = piecesOf(block);
  for (let piece = 0; piece < lineFeed; piece++) offset += pieces[piece]!.length;
  return offset;
}

/**
 * How many lines a whole content has.
 *
 * ```ts
 * import { countLines } from "./line_feeds.ts";
 * const count = (text: string) => countLines(new TextEncoder().encode(text));
 * if (count("a\nb\n") !== 2 || count("a\nb") !== 2 || count("\n") !== 1 || count("") !== 0) throw new Error();
 * ```
 */
export function countLines(bytes: Uint8Array): number {
  return countLineFeeds(bytes) + (bytes.length > 0 && bytes.at(-1) !== LF ? 1 : 0);
}
