/**
 * Interface of the two stride counters, plain code (`count_strides.ts`) and the kernel (`scan_kernel.ts`), which must
 * agree.
 */

import type { CountedStrides, OnPage, OpenPage } from "./cut_pages.ts";
import type { StrideMemory } from "./stride_memory.ts";

/** Counts the strides in its own memory and cuts pages from them. */
export interface StrideCounter {
  memory: StrideMemory;
  /**
   * Sets the totals of the first `strideCount` strides and sums their blocks; the first is stride `strideInBlock`
   * (from 0) of its block. Sets the lead-in (`leadIns`) of each block that starts in them and the sum (`blockSums`)
   * of each that ends; the lanes are left with what was fed of an unfinished block. The 3 bytes before the first
   * stride must be present.
   */
  count(strideCount: number, strideInBlock: number): void;
  /**
   * Ends the pages whose limit is in `strides`, and reports those in which a block starts. The first such block
   * starts at byte offset `firstBlock`.
   */
  cutPages(page: OpenPage, strides: CountedStrides, firstBlock: number, onPage: OnPage): void;
}
