/** Starts WebAssembly kernels (`*_kernel.as.ts`). */

import { nodeBuffer } from "../disk/loaded_late.ts";

const PAGE_BYTES = 65_536;

/** A running kernel and its memory. */
export interface StartedKernel<Exports> {
  /** Numbers are counts, or addresses in `buffer`. */
  exports: Exports;
  buffer: ArrayBuffer;
}

/** Modules by their code, since one process may start a kernel many times. */
const compiled = new Map<string, WebAssembly.Module>();

/**
 * Starts the module given in base64 with a memory of at least `byteCount` bytes. Returns undefined if WebAssembly, or its SIMD,
 * is missing or disabled: then the caller uses its plain code.
 */
export function startKernel<Exports>(
  base64: string,
  byteCount: number,
): StartedKernel<Exports> | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  let module = compiled.get(base64);
  if (module === undefined) {
    // Cheaper at a cold start than Buffer.from.
    const decoded = nodeBuffer().Buffer.alloc(base64.length);
    const byteCount = decoded.write(base64, "base64");
    try {
      module = new WebAssembly.Module(decoded.subarray(0, byteCount));
    } catch (thrown) {
      // Thrown by runtimes whose WebAssembly has no SIMD.
      if (thrown instanceof WebAssembly.CompileError) return undefined;
      throw thrown;
    }
    compiled.set(base64, module);
  }
  const pages = Math.ceil(byteCount / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { exports: exports as Exports, buffer: memory.buffer as ArrayBuffer };
}
