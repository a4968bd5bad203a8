/**
 * Starts the WebAssembly kernel of the scan, which `scan_kernel.wat` defines and documents.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_wasm.ts";
import {
  addressOfStride,
  layOutMemory,
  MEMORY_BYTES,
  type StrideCounter,
  TOTALS_ADDRESS,
} from "./stride_memory.ts";

/** What the module exports. All numbers but counts are addresses. */
interface KernelExports {
  count(address: number, strideCount: number, totals: number): void;
  last_line_feed(from: number, to: number): number;
  count_char_starts(from: number, to: number): number;
  skip_chars(from: number, to: number, charCount: number): number;
}

const WASM_PAGE_BYTES = 65_536;

/** Compiled once, since a check of a store scans many contents. */
let compiled: WebAssembly.Module | undefined;

/**
 * A counter with a memory of its own, or undefined where WebAssembly, or its SIMD, is missing or turned off: then the
 * plain counter goes on.
 */
export function kernelCounter(): StrideCounter | undefined {
  compiled ??= compileKernel();
  if (compiled === undefined) return undefined;
  const pages = MEMORY_BYTES / WASM_PAGE_BYTES;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const instance = new WebAssembly.Instance(compiled, { scan: { memory } });
  const kernel = instance.exports as unknown as KernelExports;
  return {
    memory: layOutMemory(Buffer.from(memory.buffer)),
    count(firstStride, strideCount) {
      kernel.count(addressOfStride(firstStride), strideCount, TOTALS_ADDRESS + 8 * firstStride);
    },
    lastLineFeed: kernel.last_line_feed,
    countCharStarts: kernel.count_char_starts,
    skipChars: kernel.skip_chars,
  };
}

function compileKernel(): WebAssembly.Module | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  // Cheaper at a cold start than Buffer.from.
  const decoded = Buffer.alloc(SCAN_KERNEL_BASE64.length);
  const code = decoded.subarray(0, decoded.write(SCAN_KERNEL_BASE64, "base64"));
  try {
    return new WebAssembly.Module(code);
  } catch (thrown) {
    // So says a runtime whose WebAssembly has no SIMD.
    if (thrown instanceof WebAssembly.CompileError) return undefined;
    throw thrown;
  }
}
