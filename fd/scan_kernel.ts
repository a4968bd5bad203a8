/**
 * Starts the WebAssembly kernel of the scan, which `scan_kernel.wat` defines and documents.
 *
 * @module
 */

import { nodeBuffer } from "./loaded_late.ts";
import { SCAN_KERNEL_BASE64 } from "./scan_kernel_wasm.ts";
import {
  addressOfStride,
  GUARD_BYTES,
  layOutMemory,
  MEMORY_BYTES,
  type StrideCounter,
  TOTALS_ADDRESS,
} from "./stride_memory.ts";
import { charEnd, leadIn, startOfCutOff } from "./utf8_chars.ts";

/** What the module exports. All numbers but counts are addresses. */
interface KernelExports {
  /** Answers how many continuation bytes there were, each of which it took for a part of a char. */
  count(address: number, strideCount: number, totals: number): number;
  recount(address: number, strideCount: number, totals: number): void;
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
  const laidOut = layOutMemory(new Uint8Array(memory.buffer as ArrayBuffer));
  const { bytes } = laidOut;
  return {
    memory: laidOut,
    count(firstStride, strideCount) {
      const address = addressOfStride(firstStride);
      const totals = TOTALS_ADDRESS + 8 * firstStride;
      if (kernel.count(address, strideCount, totals) === 0) return;
      if (!isTextBetween(bytes, address, addressOfStride(firstStride + strideCount))) {
        kernel.recount(address, strideCount, totals);
      }
    },
    lastLineFeed: kernel.last_line_feed,
    countCharStarts: kernel.count_char_starts,
    skipChars: kernel.skip_chars,
  };
}

/** Whether bytes `[from, to)` are well-formed text, but that they may begin and end inside a char. */
function isTextBetween(bytes: Uint8Array, from: number, to: number): boolean {
  const begin = from + leadIn(bytes, from, from - GUARD_BYTES);
  const cutAt = from + startOfCutOff(bytes.subarray(from, to));
  return nodeBuffer().isUtf8(bytes.subarray(begin, cutAt)) &&
    (cutAt === to || charEnd(bytes, cutAt, to) === to);
}

function compileKernel(): WebAssembly.Module | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  // Cheaper at a cold start than Buffer.from.
  const decoded = nodeBuffer().Buffer.alloc(SCAN_KERNEL_BASE64.length);
  const code = decoded.subarray(0, decoded.write(SCAN_KERNEL_BASE64, "base64"));
  try {
    return new WebAssembly.Module(code);
  } catch (thrown) {
    // So says a runtime whose WebAssembly has no SIMD.
    if (thrown instanceof WebAssembly.CompileError) return undefined;
    throw thrown;
  }
}
