/**
 * What the scan asks about strides. There are two who answer: plain code (`count_strides.ts`) and the kernel
 * (`scan_kernel.ts`), which must agree.
 *
 * @module
 */

import type { CountedStrides, OpenPage } from "./cut_pages.ts";
import type { StrideMemory } from "./stride_memory.ts";

/** Counts the strides in a memory of its own, and cuts pages out of them. */
export interface StrideCounter {
  memory: StrideMemory;
  /**
   * Sets the totals of the first `strideCount` strides, the first of which is stride `strideInBlock` (from 0) of its block,
   * and sums their blocks: each that ends in them has its sum in `blockSums`, and the lanes hold what was fed of one that
   * does not. The 3 bytes before the first stride must be there.
   */
  count(strideCount: number, strideInBlock: number): void;
  /**
   * Ends the pages whose limit is in `strides`, in turn, up to the first that ends beyond byte offset `beyond`. Answers
   * whether there is one: then there may be more.
   */
  cutPages(page: OpenPage, strides: CountedStrides, beyond: number): boolean;
}
