/**
 * Compiles the kernels, which are AssemblyScript: `fd/index/scan_kernel.as.ts` into `fd/index/scan_kernel_wasm.ts`, and so
 * on. Run it (`scripts/build-kernel`) after every change to an `.as.ts`; a test fails while the two are out of step.
 */

import { compileString } from "assemblyscript/asc";
import binaryen from "binaryen";
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { BEFORE_SIGNS, WORDS } from "../src/findings/digest/failure_signs.ts";
import { LAYOUT } from "../src/findings/digest/line_layout.ts";

/**
 * The kernels: the path without `.as.ts`, the constant that has the module, the level of optimisation at which it is
 * fastest, and whether it learns signs.
 */
export const KERNELS: readonly (readonly [string, string, number, boolean?])[] = [
  ["fd/index/scan_kernel", "SCAN_KERNEL_BASE64", 1],
  ["src/findings/digest/line_kernel", "LINE_KERNEL_BASE64", 3, true],
  ["fd/clean/clean_kernel", "CLEAN_KERNEL_BASE64", 3],
  ["fd/search/shape_kernel", "SHAPE_KERNEL_BASE64", 3],
];

/** The constants that a kernel shares with its caller, which are put before its source. */
const LAYOUTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "src/findings/digest/line_kernel": LAYOUT,
};

const OPTIONS = {
  enable: ["simd"],
  runtime: "stub",
  importMemory: true,
  noExportMemory: true,
  noAssert: true,
};

const PAGE_BYTES = 65_536;
const LEARNING_PAGES = 64;

const DATA_SECTION = 11;
const I32_CONST = 0x41;
const END = 0x0b;

/** The path of a project's file. */
function pathOf(file: string): URL {
  return new URL(`../${file}`, import.meta.url);
}

/** The whole text of `<kernel>_wasm.ts` for the current source. */
export async function kernelModuleText(
  [path, constant, optimizeLevel, learns]: typeof KERNELS[number],
): Promise<string> {
  const source = `${path}.as.ts`;
  const constants = Object.entries(LAYOUTS[path] ?? {})
    .map(([name, value]) => `const ${name}: i32 = ${value};\n`);
  const text = { [source]: constants.join("") + unrolled(readFileSync(pathOf(source), "utf8")) };
  const { binary, stderr } = await compileString(text, { ...OPTIONS, optimizeLevel });
  if (!binary) throw new Error(`cannot compile ${source}: ${stderr}`);
  const module = learns ? withSigns(merged(binary)) : binary;
  return `// Made by scripts/build-kernel from ${basename(source)}. Do not edit.

/** The kernel's WebAssembly module, in base64. */
export const ${constant} =
  "${Buffer.from(module).toString("base64")}";
`;
}

/**
 * Puts `@inline`, which the formatter would drop, in place of `// inline`. Repeats the lines between `// for AT SUM of 0 a, 16 b`
 * and `// end`: once with 0 for AT and a for SUM, and so on. A loop would take longer than what it repeats.
 */
function unrolled(source: string): string {
  return source.replace(/^\/\/ inline$/gm, "@inline").replace(
    /^ *\/\/ for (.+) of (.+)\n([^]*?)^ *\/\/ end\n/gm,
    (_, names: string, rounds: string, lines: string) =>
      rounds.split(", ").map((round) => {
        const values = round.split(" ");
        const valueOf = new Map(names.split(" ").map((name, at) => [name, values[at]!]));
        return lines.replace(/\b[A-Z]+\b/g, (word) => valueOf.get(word) ?? word);
      }).join(""),
  );
}

/** The module with what it learns of signs, which is then in its memory from the start. */
function withSigns(binary: Uint8Array): Uint8Array {
  const memory = new WebAssembly.Memory({ initial: LEARNING_PAGES, maximum: LEARNING_PAGES });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(binary)), {
    env: { memory },
  });
  const { learn } = exports as { learn(from: number, to: number, inverse: number): void };
  const bytes = Buffer.from(memory.buffer);
  const at = bytes.length - PAGE_BYTES;
  learn(at, at + bytes.write(WORDS, at), 0);
  learn(at, at + bytes.write(BEFORE_SIGNS, at), -1);
  bytes.fill(0, at);
  const from = bytes.findIndex((byte) => byte !== 0);
  const learnt = bytes.subarray(from, bytes.findLastIndex((byte) => byte !== 0) + 1);
  const segment = [1, 0, I32_CONST, ...encoded(from), END, ...encoded(learnt.length), ...learnt];
  return Buffer.concat([binary, Uint8Array.of(DATA_SECTION, ...encoded(segment.length), ...segment)]);
}

/** The module with each function that is called in one place put there. */
function merged(binary: Uint8Array): Uint8Array {
  const module = binaryen.readBinary(binary);
  binaryen.setOptimizeLevel(3);
  binaryen.setAlwaysInlineMaxSize(2);
  binaryen.setFlexibleInlineMaxSize(2);
  binaryen.setOneCallerInlineMaxSize(1e6);
  binaryen.setAllowInliningFunctionsWithLoops(true);
  module.setFeatures(binaryen.Features.All & ~binaryen.Features.GC);
  module.optimize();
  return module.emitBinary();
}

function encoded(value: number): number[] {
  return value < 128 ? [value] : [value % 128 + 128, ...encoded(Math.floor(value / 128))];
}

if (import.meta.main) {
  for (const kernel of KERNELS) writeFileSync(pathOf(`${kernel[0]}_wasm.ts`), await kernelModuleText(kernel));
}
