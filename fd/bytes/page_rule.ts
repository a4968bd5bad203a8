/**
 * The page rule (contract, Units). Everything that cuts pages (the scan of new content, the reader that seeks
 * in stored content) uses it, so that pages have one definition.
 */

import { skipChars } from "./utf8_chars.ts";

const LINE_FEED = 0x0a;

/** Smallest page size of an fd, in chars. */
export const MIN_PAGE_SIZE = 1;
/** Largest page size of an fd, in chars. */
export const MAX_PAGE_SIZE = 16_777_216;
/** Default page size, in chars. */
export const DEFAULT_PAGE_SIZE = 4000;

/**
 * Returns the byte offset where a page ends.
 *
 * @param limitByte the end of the page's first P chars (P is the page size), which is where char P + 1 starts;
 *   undefined if the rest of the content fits
 * @param lastLineFeed the byte offset of the last LF in the page's first P chars; undefined if they have none.
 *   Ignored if the rest fits.
 * @param contentEnd the end of the content. Used only if the rest fits: a scan that has not reached the end
 *   may pass the end of what it has seen, if that is beyond `limitByte`.
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
 * Returns the end of the page that starts at byte `from` of `bytes`. Returns undefined if `bytes` ends before
 * the end can be known: the rest fits, and it depends on whether more bytes follow. `everyByteStarts` means
 * that every byte starts a char, so chars need not be decoded.
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
