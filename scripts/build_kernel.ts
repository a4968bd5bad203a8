/**
 * Assembles the kernels: `fd/index/scan_kernel.wat` into `fd/index/scan_kernel_wasm.ts`, and so on. Run it
 * (`scripts/build-kernel`) after every change to a `.wat`; a test fails while the two are out of step.
 */

import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import openWabt from "wabt";

/** The kernels: the path without `.wat`, and the constant that has the module. */
export const KERNELS = [
  ["fd/index/scan_kernel", "SCAN_KERNEL_BASE64"],
  ["src/digest/hunt_kernel", "HUNT_KERNEL_BASE64"],
  ["fd/clean/clean_kernel", "CLEAN_KERNEL_BASE64"],
] as const;

/** The path of a project's file. */
function pathOf(file: string): URL {
  return new URL(`../${file}`, import.meta.url);
}

/** The whole text of `<kernel>_wasm.ts` for the current source. */
export async function kernelModuleText([path, constant]: typeof KERNELS[number]): Promise<string> {
  const wabt = await openWabt();
  const features = { simd: true };
  const parsed = wabt.parseWat(`${path}.wat`, readFileSync(pathOf(`${path}.wat`), "utf8"), features);
  parsed.resolveNames();
  parsed.validate();
  const base64 = Buffer.from(parsed.toBinary({}).buffer).toString("base64");
  parsed.destroy();
  const lines = base64.match(/.{1,100}/g) ?? [];
  return [
    `// Made by scripts/build-kernel from ${path.slice(path.lastIndexOf("/") + 1)}.wat. Do not edit.`,
    "",
    "/** The kernel's WebAssembly module, in base64. */",
    `export const ${constant} =\n  ${lines.map((line) => `"${line}"`).join(" +\n  ")};`,
    "",
  ].join("\n");
}

if (import.meta.main) {
  for (const kernel of KERNELS) writeFileSync(pathOf(`${kernel[0]}_wasm.ts`), await kernelModuleText(kernel));
}
