/**
 * The jq program: jq 1.8.2 as WebAssembly, from the npm package jq-wasm. Only its `.wasm` file is used. The package's
 * own JavaScript holds all input and output in memory and allows jq 256 MiB; here jq reads and writes piece by piece,
 * and may use what 32-bit addresses reach.
 */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";

/** The file that scripts/build embeds next to the program, compressed. */
const EMBEDDED = "jq.wasm.br";
const INSTALLED = "../../node_modules/jq-wasm/dist/build/jq.wasm";

const MEMORY_SECTION = 5;
/** 4 GiB in pages of 64 KiB: all that 32-bit addresses reach. */
const MAX_PAGES = 65_536;

/** Reads jq's code. */
export function jqWasm(): Uint8Array<ArrayBuffer> {
  const embedded = fileURLToPath(new URL(EMBEDDED, import.meta.url));
  const bytes = existsSync(embedded)
    ? brotliDecompressSync(readFileSync(embedded))
    : readFileSync(fileURLToPath(new URL(INSTALLED, import.meta.url)));
  return withMostMemory(Uint8Array.from(bytes));
}

/** Returns a module like `wasm` whose memory may grow to {@link MAX_PAGES}. */
function withMostMemory(wasm: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  let at = 8;
  function number(): number {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = wasm[at++]!;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }
  while (at < wasm.length) {
    const start = at;
    const section = wasm[at++]!;
    const end = number() + at;
    if (section === MEMORY_SECTION) {
      number(); // How many memories: one.
      number(); // Whether it has a maximum.
      const body = [1, 1, ...leb128(number()), ...leb128(MAX_PAGES)];
      const replaced = [MEMORY_SECTION, ...leb128(body.length), ...body];
      const result = new Uint8Array(start + replaced.length + wasm.length - end);
      result.set(wasm.subarray(0, start));
      result.set(replaced, start);
      result.set(wasm.subarray(end), start + replaced.length);
      return result;
    }
    at = end;
  }
  throw new Error("jq's module has no memory of its own");
}

/** An unsigned number as WebAssembly writes it. */
function leb128(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value;; rest >>>= 7) {
    if (rest < 0x80) return [...bytes, rest];
    bytes.push(rest & 0x7f | 0x80);
  }
}
