/**
 * Line feeds and lines of bytes in memory (contract, Units: a line ends with LF or with the content). For
 * stored content the index has both.
 */

const LF = 0x0a;

/** Counts the LF in the first `toByte` bytes. */
export function countLineFeeds(bytes: Uint8Array, toByte = bytes.length): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at !== -1 && at < toByte; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

/** Returns the offset of LF number `lineFeed` (from 1) of a block, which must contain that many. */
export function offsetOfLineFeed(block: Uint8Array, lineFeed: number): number {
  let at = -1;
  for (let left = lineFeed; left > 0; left--) at = block.indexOf(LF, at + 1);
  return at;
}

/**
 * Counts the lines of a whole content.
 *
 * ```ts
 * import { countLines } from "./line_feeds.ts";
 * const count = (text: string) => countLines(new TextEncoder().encode(text));
 * if (count("a\nb\n") !== 2 || count("a\nb") !== 2 || count("\n") !== 1 || count("") !== 0) throw new Error();
 * ```
 */
export function countLines(bytes: Uint8Array, lineFeedCount: number = countLineFeeds(bytes)): number {
  return bytes.length > 0 && bytes[bytes.length - 1] !== LF ? lineFeedCount + 1 : lineFeedCount;
}
