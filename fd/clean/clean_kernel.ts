/** Loads the WebAssembly kernel of the cleaner, which `clean_kernel.as.ts` defines and documents. */

import { type StartedKernel, startKernel } from "../bytes/start_kernel.ts";
import { CLEAN_KERNEL_BASE64 } from "./clean_kernel_wasm.ts";

/** Exports of the module. All numbers are addresses. */
interface KernelExports {
  find(address: number, end: number): number;
  copy(address: number, end: number, out: number): number;
}

const WINDOW_BYTES = 65_536;

/** Less is copied byte by byte: millions of short views would be garbage. */
const MIN_BULK_BYTES = 64;

const MEMORY_BYTES = 3 * 65_536;
const IN_ADDRESS = 4096;
/** Beyond the window, and the vector after it. */
const OUT_ADDRESS = IN_ADDRESS + WINDOW_BYTES + 1024;

/** The kernel and its memory, which holds one window of a content at a time. */
export type CleanKernel = ReturnType<typeof kernelOf>;

let kernel: CleanKernel | undefined;
let isTried = false;

/** Returns the kernel; undefined if WebAssembly or its SIMD is missing or disabled. */
export function cleanKernel(): CleanKernel | undefined {
  if (!isTried) {
    isTried = true;
    const started = startKernel<KernelExports>(CLEAN_KERNEL_BASE64, MEMORY_BYTES);
    if (started !== undefined) kernel = kernelOf(started);
  }
  return kernel;
}

function kernelOf({ exports: { find, copy }, buffer }: StartedKernel<KernelExports>) {
  const bytes = new Uint8Array(buffer);
  const results = new Int32Array(buffer, 0, 2);
  return {
    /** Copies the first {@link WINDOW_BYTES} of `content[from, to)` into the memory, as many as exist; returns their end. */
    load(content: Uint8Array, from: number, to: number): number {
      const end = Math.min(to, from + WINDOW_BYTES);
      bytes.set(content.subarray(from, end), IN_ADDRESS);
      return end;
    },
    /** Returns the offset in the window of the first control character up to `end`, or `end`. */
    find: (end: number): number => find(IN_ADDRESS, IN_ADDRESS + end) - IN_ADDRESS,
    /**
     * Copies the text of the window from `from` to `end`, without known sequences. Returns how far it came in the
     * window; `paste` has what it wrote, and `leftOutChars` what it left out. `before` is the text before it: its last
     * 3 bytes count.
     */
    copy(from: number, end: number, before: Uint8Array, beforeEnd: number): number {
      for (let back = 1; back <= 3; back++) bytes[OUT_ADDRESS - back] = before[beforeEnd - back] ?? 0;
      return copy(IN_ADDRESS + from, IN_ADDRESS + end, OUT_ADDRESS) - IN_ADDRESS;
    },
    /** Writes what was copied into `into` at `at`; returns its end. */
    paste(into: Uint8Array, at: number): number {
      const end = at + results[0]! - OUT_ADDRESS;
      if (end - at >= MIN_BULK_BYTES) into.set(bytes.subarray(OUT_ADDRESS, results[0]), at);
      else for (let to = at; to < end; to++) into[to] = bytes[OUT_ADDRESS + to - at]!;
      return end;
    },
    get leftOutChars() {
      return results[1]!;
    },
  };
}
