/**
 * Starts the WebAssembly kernel of the scan, which `scan_kernel.wat` defines and documents.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_wasm.ts";

/** A kernel that is ready, and the memory that it works in. */
export interface ScanKernel {
  memory: ArrayBufferLike;
  /**
   * Counts `strideCount` (at least 1) strides from byte `address` on into the numbers from byte `countsAddress` on,
   * and feeds the lanes at byte 0, as `countStrides` and `feedLanes` do. It reads from 17 bytes before `address` on.
   */
  count(address: number, strideCount: number, countsAddress: number): void;
}

const WASM_PAGE_BYTES = 65_536;

/**
 * A kernel with a memory of `memoryBytes` (a multiple of 65,536) zeros, or undefined where WebAssembly, or its
 * SIMD, is missing or turned off: then the plain path goes on.
 */
export function loadKernel(memoryBytes: number): ScanKernel | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  // Cheaper at a cold start than Buffer.from.
  const decoded = Buffer.alloc(SCAN_KERNEL_BASE64.length);
  const code = decoded.subarray(0, decoded.write(SCAN_KERNEL_BASE64, "base64"));
  let module: WebAssembly.Module;
  try {
    module = new WebAssembly.Module(code);
  } catch (thrown) {
    // So says a runtime whose WebAssembly has no SIMD.
    if (thrown instanceof WebAssembly.CompileError) return undefined;
    throw thrown;
  }
  const pages = memoryBytes / WASM_PAGE_BYTES;
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const instance = new WebAssembly.Instance(module, { scan: { memory } });
  return { memory: memory.buffer, count: instance.exports.count as ScanKernel["count"] };
}
