/**
 * Compiles the kernels, which are AssemblyScript: `fd/index/scan_kernel.as.ts` into `fd/index/scan_kernel_wasm.ts`, and so
 * on. Run it (`scripts/build-kernel`) after every change to an `.as.ts`; a test fails while the two are out of step.
 */

import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { PADDING } from "../fd/bytes/start_kernel.ts";

/**
 * The kernels: the path without `.as.ts`, the constant that has the module, the level of optimisation at which it is
 * fastest, and the constant that has the module as {@link paddedPieces}.
 */
export const KERNELS: readonly (readonly [string, string, string, string?])[] = [
  ["fd/index/scan_kernel", "SCAN_KERNEL_BASE64", "1"],
  ["src/digest/line_kernel", "LINE_KERNEL_BASE64", "3", "PADDED_LINE_KERNEL_BASE64"],
  ["fd/clean/clean_kernel", "CLEAN_KERNEL_BASE64", "3"],
  ["fd/search/shape_kernel", "SHAPE_KERNEL_BASE64", "3"],
];

/** Loaded by name, so that checking types does without the compiler's own. */
const COMPILER = "assemblyscript/asc";
const OPTIMISER = "binaryen";

/** A function of at least so many bytes is padded. */
const MIN_PADDED = 2000;
const CODE_SECTION = 10;
const END = 0x0b;
const BR_TABLE = 0x0e;
const RETURN = 0x0f;
const TARGETS = Buffer.alloc(PADDING.byteCount, PADDING.target);

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

/** The part of the optimiser that is used here. */
interface Optimiser {
  readBinary(
    binary: Uint8Array,
  ): { setFeatures(features: number): void; optimize(): void; emitBinary(): Uint8Array };
  Features: { All: number; GC: number };
  setOptimizeLevel(level: number): void;
  setAlwaysInlineMaxSize(size: number): void;
  setFlexibleInlineMaxSize(size: number): void;
  setOneCallerInlineMaxSize(size: number): void;
  setAllowInliningFunctionsWithLoops(isAllowed: boolean): void;
}

/** The path of a project's file. */
function pathOf(file: string): URL {
  return new URL(`../${file}`, import.meta.url);
}

/** The whole text of `<kernel>_wasm.ts` for the current source. */
export async function kernelModuleText(
  [path, constant, level, padded]: typeof KERNELS[number],
): Promise<string> {
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
  const text = [
    `// Made by scripts/build-kernel from ${source.slice(path.lastIndexOf("/") + 1)}. Do not edit.`,
    "",
    "/** The kernel's WebAssembly module, in base64. */",
    declaration(constant, Buffer.from(binary).toString("base64")),
    "",
  ];
  if (padded !== undefined) {
    text.push(
      "/** The same with few functions, in pieces between which `startKernel` puts padding. */",
      declaration(padded, paddedPieces(await merged(binary)).join("!")),
      "",
    );
  }
  return text.join("\n");
}

function declaration(constant: string, value: string): string {
  const lines = value.match(/.{1,100}/g) ?? [];
  return `export const ${constant} =\n  ${lines.map((line) => `"${line}"`).join(" +\n  ")};`;
}

/** The module with each function that is called in one place put there. */
async function merged(binary: Uint8Array): Promise<Uint8Array> {
  const optimiser: Optimiser = (await import(OPTIMISER)).default;
  const module = optimiser.readBinary(binary);
  optimiser.setOptimizeLevel(3);
  optimiser.setAlwaysInlineMaxSize(2);
  optimiser.setFlexibleInlineMaxSize(2);
  optimiser.setOneCallerInlineMaxSize(1e6);
  optimiser.setAllowInliningFunctionsWithLoops(true);
  module.setFeatures(optimiser.Features.All & ~optimiser.Features.GC);
  module.optimize();
  return module.emitBinary();
}

/**
 * The pieces of a module whose large functions end in a jump with a long list of targets, which is never reached, but for the
 * targets: JavaScriptCore does not optimise a function of over 100,000 bytes.
 */
function paddedPieces(binary: Uint8Array): string[] {
  let at = 8;
  const parts: Uint8Array[] = [binary.subarray(0, at)];
  while (at < binary.length) {
    const id = binary[at++]!;
    const [size, from] = numberAt(binary, at);
    at = from + size;
    const content = binary.subarray(from, at);
    parts.push(Uint8Array.of(id), sized(id === CODE_SECTION ? paddedCode(content) : content));
  }
  return Buffer.concat(parts).toString("latin1").split(TARGETS.toString("latin1"))
    .map((piece) => Buffer.from(piece, "latin1").toString("base64"));
}

function paddedCode(section: Uint8Array): Uint8Array {
  let [count, at] = numberAt(section, 0);
  const parts = [encoded(count)];
  while (count-- > 0) {
    const [size, from] = numberAt(section, at);
    at = from + size;
    const body = section.subarray(from, at);
    const jump = [
      Uint8Array.of(RETURN, BR_TABLE),
      encoded(TARGETS.length / 5),
      TARGETS,
      Uint8Array.of(0, END),
    ];
    parts.push(sized(size < MIN_PADDED ? body : Buffer.concat([body.subarray(0, -1), ...jump])));
  }
  return Buffer.concat(parts);
}

/** A number of seven bits a byte, and where it ends. */
function numberAt(bytes: Uint8Array, at: number): [number, number] {
  let value = 0;
  for (let shift = 0;; shift += 7) {
    const byte = bytes[at++]!;
    value |= (byte & 127) << shift;
    if (byte < 128) return [value, at];
  }
}

function encoded(value: number): Uint8Array {
  const bytes: number[] = [];
  for (; value > 127; value >>= 7) bytes.push(value & 127 | 128);
  return Uint8Array.of(...bytes, value);
}

function sized(content: Uint8Array): Uint8Array {
  return Buffer.concat([encoded(content.length), content]);
}

if (import.meta.main) {
  for (const kernel of KERNELS) writeFileSync(pathOf(`${kernel[0]}_wasm.ts`), await kernelModuleText(kernel));
}
