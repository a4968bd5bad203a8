/**
 * Compiles the kernels, which are AssemblyScript: `fd/index/scan_kernel.as.ts` into `fd/index/scan_kernel_wasm.ts`, and so
 * on. Run it (`scripts/build-kernel`) after every change to an `.as.ts`; a test fails while the two are out of step.
 */

import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";

/**
 * The kernels: the path without `.as.ts`, the constant that has the module, and the level of optimisation at which it is
 * fastest.
 */
export const KERNELS = [
  ["fd/index/scan_kernel", "SCAN_KERNEL_BASE64", "1"],
  ["src/digest/line_kernel", "LINE_KERNEL_BASE64", "3"],
  ["fd/clean/clean_kernel", "CLEAN_KERNEL_BASE64", "3"],
  ["fd/search/shape_kernel", "SHAPE_KERNEL_BASE64", "3"],
] as const;

/** Loaded by name, so that checking types does without the compiler's own. */
const COMPILER = "assemblyscript/asc";

/** The part of the compiler that is used here. */
interface Compiler {
  main(
    words: readonly string[],
    host: {
      readFile(name: string): string | null;
      writeFile(name: string, content: Uint8Array | string): void;
      listFiles(): readonly string[];
    },
  ): Promise<{ error: Error | null; stderr: unknown }>;
}

/** The path of a project's file. */
function pathOf(file: string): URL {
  return new URL(`../${file}`, import.meta.url);
}

/** The whole text of `<kernel>_wasm.ts` for the current source. */
export async function kernelModuleText([path, constant, level]: typeof KERNELS[number]): Promise<string> {
  const source = `${path}.as.ts`;
  const compiler: Compiler = await import(COMPILER);
  let binary: Uint8Array | undefined;
  const words =
    "--enable simd --runtime stub --importMemory --noExportMemory --noAssert --outFile kernel.wasm --optimizeLevel";
  const { error, stderr } = await compiler.main([source, ...words.split(" "), level], {
    readFile: (name) => name === source ? readFileSync(pathOf(source), "utf8") : null,
    writeFile(_name, content) {
      if (typeof content !== "string") binary = content;
    },
    listFiles: () => [],
  });
  if (error !== null || binary === undefined) throw new Error(`cannot compile ${source}: ${stderr}`);
  const lines = Buffer.from(binary).toString("base64").match(/.{1,100}/g) ?? [];
  return [
    `// Made by scripts/build-kernel from ${source.slice(path.lastIndexOf("/") + 1)}. Do not edit.`,
    "",
    "/** The kernel's WebAssembly module, in base64. */",
    `export const ${constant} =\n  ${lines.map((line) => `"${line}"`).join(" +\n  ")};`,
    "",
  ].join("\n");
}

if (import.meta.main) {
  for (const kernel of KERNELS) writeFileSync(pathOf(`${kernel[0]}_wasm.ts`), await kernelModuleText(kernel));
}
