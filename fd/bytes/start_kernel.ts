/** Starts WebAssembly kernels (`*_kernel.as.ts`). */

import { nodeBuffer } from "../disk/loaded_late.ts";

const PAGE_BYTES = 65_536;

/** Is put between the pieces of a module: 5,600 times a constant of 18 bytes, the longest of all instructions. */
export const PADDING = {
  instruction: () => Uint8Array.of(0xfd, 0x0c, ...new Uint8Array(16)),
  byteCount: 100_800,
};

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
    const [first, ...others] = base64.split("!");
    // Cheaper at a cold start than Buffer.from.
    const decoded = nodeBuffer().Buffer.alloc(base64.length + others.length * PADDING.byteCount);
    let end = decoded.write(first!, "base64");
    for (const piece of others) {
      decoded.fill(PADDING.instruction(), end, end += PADDING.byteCount);
      end += decoded.write(piece, end, "base64");
    }
    try {
      module = new WebAssembly.Module(decoded.subarray(0, end));
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
