/**
 * What the scan asks about strides. There are two who answer: plain code (`count_strides.ts`) and the kernel
 * (`scan_kernel.ts`), which must agree.
 *
 * @module
 */

import type { CountedStrides, OnPage, OpenPage } from "./cut_pages.ts";
import type { StrideMemory } from "./stride_memory.ts";

/** Counts the strides in a memory of its own, and cuts pages out of them. */
export interface StrideCounter {
  memory: StrideMemory;
  /**
   * Sets the totals of the first `strideCount` strides, the first of which is stride `strideInBlock` (from 0) of its block,
   * and sums their blocks: of each that starts in them the lead-in is in `leadIns`, of each that ends the sum in `blockSums`,
   * and the lanes hold what was fed of one that does not end. The 3 bytes before the first stride must be there.
   */
  count(strideCount: number, strideInBlock: number): void;
  /**
   * Ends the pages whose limit is in `strides`, and tells of those in which a block starts: the first such block at byte
   * offset `firstBlock`, the others after it.
   */
  cutPages(page: OpenPage, strides: CountedStrides, firstBlock: number, onPage: OnPage): void;
}
