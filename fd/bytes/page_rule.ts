/**
 * The page rule (contract, Units). Whatever cuts pages (the scan of new content, the reader that seeks
 * in old content) asks here, so that a page has one meaning.
 *
 * @module
 */

import { skipChars } from "./utf8_chars.ts";

const LINE_FEED = 0x0a;

/** The smallest page size that an fd can be made with, in chars. */
export const MIN_PAGE_SIZE = 1;
/** The largest page size that an fd can be made with, in chars. */
export const MAX_PAGE_SIZE = 16_777_216;
/** The page size where none is asked for, in chars. */
export const DEFAULT_PAGE_SIZE = 4000;

/**
 * The byte offset where a page ends.
 *
 * @param limitByte where the page's first P chars end (P is the page size), which is where char P + 1 starts;
 *   undefined when the rest of the content fits
 * @param lastLineFeed the byte offset of the last LF in the page's first P chars; undefined when they hold none.
 *   Not looked at when the rest fits.
 * @param contentEnd where the content ends. Only looked at when the rest fits: a scan that has not met the end
 *   may give the end of what it has seen, if that is beyond `limitByte`.
 *
 * ```ts
 * import { endOfPage } from "./page_rule.ts";
 * // "ab\ncd" with pages of 4 chars: 4 chars end at byte 4, their last LF is at byte 2.
 * if (endOfPage(4, 2, 5) !== 3) throw new Error();
 * ```
 */
export function endOfPage(
  limitByte: number | undefined,
  lastLineFeed: number | undefined,
  contentEnd: number,
): number {
  if (limitByte === undefined || limitByte >= contentEnd) return contentEnd;
  return lastLineFeed === undefined ? limitByte : lastLineFeed + 1;
}

/**
 * Where the page that starts at byte `from` of `bytes` ends; undefined where it has less than {@link endOfPage} must know
 * of it: then the rest of the bytes fits, and whether more follow decides. Where it is known that `everyByteStarts` a char,
 * chars need not be looked for.
 */
export function endOfPageIn(
  bytes: Uint8Array,
  from: number,
  pageSize: number,
  everyByteStarts: boolean,
): number | undefined {
  const limit = everyByteStarts ? from + pageSize : skipChars(bytes, from, bytes.length, pageSize);
  if (limit >= bytes.length) return undefined;
  const lastLineFeed = bytes.subarray(from, limit).lastIndexOf(LINE_FEED);
  return endOfPage(limit, lastLineFeed === -1 ? undefined : from + lastLineFeed, bytes.length);
}
