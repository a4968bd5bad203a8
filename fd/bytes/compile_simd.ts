/** Compiles WebAssembly kernels. */

import { nodeBuffer } from "../disk/loaded_late.ts";

/** Compiles a module given in base64. Returns undefined if WebAssembly, or what the module uses of it, is missing. */
export function compileSimd(base64: string): WebAssembly.Module | undefined {
  if (typeof WebAssembly === "undefined") return undefined;
  // Cheaper at a cold start than Buffer.from.
  const decoded = nodeBuffer().Buffer.alloc(base64.length);
  const code = decoded.subarray(0, decoded.write(base64, "base64"));
  try {
    return new WebAssembly.Module(code);
  } catch (thrown) {
    // Thrown by runtimes whose WebAssembly has no SIMD.
    if (thrown instanceof WebAssembly.CompileError) return undefined;
    throw thrown;
  }
}
