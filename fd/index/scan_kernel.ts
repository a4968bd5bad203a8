/** Loads the WebAssembly kernel of the scan, which `scan_kernel.as.ts` defines and documents. */

import { startKernel } from "../bytes/start_kernel.ts";
import { nodeBuffer } from "../disk/loaded_late.ts";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_wasm.ts";
import type { StrideCounter } from "./cut_pages.ts";
import {
  addressOfStride,
  GUARD_BYTES,
  layOutMemory,
  MAX_BLOCKS,
  MEMORY_BYTES,
  PAGE_ADDRESS,
  STRIDES_ADDRESS,
} from "./stride_memory.ts";
import { charEnd, leadIn, startOfCutOff } from "../bytes/utf8_chars.ts";

/** Exports of the module, which knows the addresses. */
interface KernelExports {
  /** Returns the number of continuation bytes, each of which it treated as part of a char. */
  count(strideCount: number, strideInBlock: number): number;
  recount(strideCount: number): void;
  /** Returns the number of pages it reported. */
  cutPages(strideCount: number, endAddress: number, firstBlock: number): number;
}

/**
 * Creates a counter with its own memory. Returns undefined if WebAssembly or its SIMD is missing or disabled; the
 * scan then continues with the plain counter.
 */
export function kernelCounter(): StrideCounter | undefined {
  const started = startKernel<KernelExports>(SCAN_KERNEL_BASE64, MEMORY_BYTES);
  if (started === undefined) return undefined;
  const { exports: kernel, buffer } = started;
  const laidOut = layOutMemory(new Uint8Array(buffer));
  const isText = textCheck(laidOut.bytes);
  const pageMemory = new Int32Array(buffer, PAGE_ADDRESS, PAGE_NUMBERS + MAX_REPORTS * REPORT_NUMBERS);
  return {
    memory: laidOut,
    count(strideCount, strideInBlock) {
      const found = kernel.count(strideCount, strideInBlock);
      if (found > 0 && !isText(addressOfStride(strideCount))) kernel.recount(strideCount);
    },
    /**
     * Gives the kernel the current page as 32-bit numbers: byte offsets as addresses, which may lie before the memory, and
     * chars relative to the first stride. An LF may be too far back to have an address; then it is not in the page and does
     * not matter.
     */
    cutPages(page, { byteOffset, charsBefore, strideCount, endAddress }, firstBlock, onPage) {
      const addressOfZero = STRIDES_ADDRESS - byteOffset;
      const { number } = page;
      pageMemory[0] = page.pageSize;
      pageMemory[1] = 0;
      pageMemory[2] = page.limitChar - charsBefore;
      pageMemory[3] = page.start + addressOfZero;
      pageMemory[4] = Math.max(page.lineFeedByte + addressOfZero, MIN_INT32);
      pageMemory[5] = page.lineFeedNextChar - charsBefore;
      const reportedCount = kernel.cutPages(strideCount, endAddress, firstBlock + addressOfZero);
      page.number += pageMemory[1]!;
      page.limitChar = pageMemory[2]! + charsBefore;
      page.start = pageMemory[3]! - addressOfZero;
      page.lineFeedByte = pageMemory[4]! - addressOfZero;
      page.lineFeedNextChar = pageMemory[5]! + charsBefore;
      for (
        let reported = PAGE_NUMBERS;
        reported < PAGE_NUMBERS + reportedCount * REPORT_NUMBERS;
        reported += REPORT_NUMBERS
      ) {
        const pageStart = pageMemory[reported + 1]! - addressOfZero;
        onPage(number + pageMemory[reported]!, pageStart, pageMemory[reported + 2]! - addressOfZero);
      }
    },
  };
}

/** Numbers that describe the current page to the kernel. */
const PAGE_NUMBERS = 6;
/** Numbers per reported page (one in which a block starts), which follow, and the maximum number of pages. */
const REPORT_NUMBERS = 3;
const MAX_REPORTS = MAX_BLOCKS + 1;
const MIN_INT32 = -0x80000000;

/**
 * Returns a check whether the strides up to address `end` are well-formed text, except that they may start and end
 * inside a char. Whole windows always need the same few views of `bytes`, which are cached: creating one costs more
 * than checking a few KiB.
 */
function textCheck(bytes: Uint8Array): (end: number) => boolean {
  const { isUtf8 } = nodeBuffer();
  const views: Uint8Array[] = [];
  let viewsEnd = 0;
  return (end) => {
    const leadInLength = leadIn(bytes, STRIDES_ADDRESS, STRIDES_ADDRESS - GUARD_BYTES);
    const cutAt = startOfCutOff(bytes, end);
    if (end !== viewsEnd) {
      views.length = 0;
      viewsEnd = end;
    }
    const view = views[4 * leadInLength + end - cutAt] ??= bytes.subarray(
      STRIDES_ADDRESS + leadInLength,
      cutAt,
    );
    return isUtf8(view) && (cutAt === end || charEnd(bytes, cutAt, end) === end);
  };
}
