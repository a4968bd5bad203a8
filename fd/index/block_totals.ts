/**
 * Totals of content that fits in one block. Such content is still in memory when it ends, so it is counted directly:
 * setting up the scan of `scan_text.ts`, which must give the same result, would cost a small capture a third of its
 * time.
 */

import { blockSum, sumOfSums } from "../bytes/block_sum.ts";
import { countLineFeeds, countLines } from "../bytes/line_feeds.ts";
import { endOfPageIn } from "../bytes/page_rule.ts";
import type { ScanTotals } from "./scan_text.ts";
import { textKind } from "../bytes/utf8_bytes.ts";
import { countChars } from "../bytes/utf8_chars.ts";

/**
 * Returns the totals of a whole content that is no longer than a block.
 *
 * ```ts
 * import { totalsOfBlock } from "./block_totals.ts";
 * const totals = totalsOfBlock(new TextEncoder().encode("ab\ncd\n"), 4);
 * if (totals.lineCount !== 2 || totals.pageCount !== 2) throw new Error();
 * ```
 */
export function totalsOfBlock(content: Uint8Array, pageSize: number): ScanTotals {
  const byteCount = content.length;
  const charCount = textKind(content) === "ascii" ? byteCount : countChars(content);
  const lineFeedCount = countLineFeeds(content);
  return {
    byteCount,
    charCount,
    lineFeedCount,
    lineCount: countLines(content, lineFeedCount),
    pageCount: charCount <= pageSize ? 1 : countPages(content, pageSize, charCount === byteCount),
    sum: sumOfSums(byteCount === 0 ? [] : [blockSum(content)]),
  };
}

function countPages(content: Uint8Array, pageSize: number, everyByteStarts: boolean): number {
  let pageCount = 0;
  for (let at: number | undefined = 0; at !== undefined;) {
    at = endOfPageIn(content, at, pageSize, everyByteStarts);
    pageCount++;
  }
  return pageCount;
}
