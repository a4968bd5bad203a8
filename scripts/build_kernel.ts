/**
 * Assembles `fd/index/scan_kernel.wat` into `fd/index/scan_kernel_wasm.ts`. Run `scripts/build-kernel` after every change
 * to the former; a test fails while the two differ.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import openWabt from "wabt";

const SOURCE = new URL("../fd/index/scan_kernel.wat", import.meta.url);
const TARGET = new URL("../fd/index/scan_kernel_wasm.ts", import.meta.url);

/** The whole text of `fd/index/scan_kernel_wasm.ts` for the current source. */
export async function kernelModuleText(): Promise<string> {
  const wabt = await openWabt();
  const features = { simd: true };
  const parsed = wabt.parseWat("scan_kernel.wat", readFileSync(SOURCE, "utf8"), features);
  parsed.resolveNames();
  parsed.validate();
  const base64 = Buffer.from(parsed.toBinary({}).buffer).toString("base64");
  parsed.destroy();
  const lines = base64.match(/.{1,100}/g) ?? [];
  return [
    "// Made by scripts/build-kernel from scan_kernel.wat. Do not edit.",
    "",
    "/** The kernel's WebAssembly module, in base64. */",
    `export const SCAN_KERNEL_BASE64 =\n  ${lines.map((line) => `"${line}"`).join(" +\n  ")};`,
    "",
  ].join("\n");
}

if (import.meta.main) writeFileSync(TARGET, await kernelModuleText());
