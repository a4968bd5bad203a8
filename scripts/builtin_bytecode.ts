/**
 * Bytecode of Bun's own modules (`node:fs`, `internal:streams/…`) in a compiled program. Bun 1.4 adds that of every
 * module that could be loaded, 1.7 MB, of which most calls use a third. Behind the table of the program's modules are
 * a hash for each of them, and then, in words of four bytes:
 *
 *     module count | (module id, bytecode offset, length) … | strings offset, length | 2 | (offset, length) × 2 | …
 *
 * A module whose length is 0 is parsed when it is loaded.
 */

import type { Buffer } from "node:buffer";
import { unknownLayout } from "./elf_layout.ts";

/** The Bun that numbers its modules as {@link HOT_MODULES} says. */
export const LISTED_FOR = "1.4.5";

/** Modules that frequent commands load, as `scripts/list_hot_builtins.ts` prints them. */
const HOT_MODULES = new Set(
  (
    "4 9 11 21 23 25 29 42 44 71 81 82 83 84 85 87 88 90 103 104 105 106 107 108 109 110 111 112 113 120 " +
    "124 127 148 151 157 158 159 166 168 180 188"
  ).split(" ").map(Number),
);

const WORD_BYTES = 4;
const ENTRY_BYTES = 3 * WORD_BYTES;
/** First bytes of such bytecode after the version: a built-in function. */
const KIND_AT = 4;
const BUILTIN_KIND = 3;

export interface BuiltinModule {
  id: number;
  /** Offset of its entry: id, offset, length. */
  entryAt: number;
  bytecodeAt: number;
  bytecodeLength: number;
}

export interface BuiltinTable {
  modules: BuiltinModule[];
  /** Offsets of the words that say where strings lie. */
  offsetsAt: number[];
}

export function isColdBuiltin(id: number): boolean {
  return !HOT_MODULES.has(id);
}

/** Reads the table at `tableAt`; throws if something else is there. */
export function readBuiltins(program: Buffer, tableAt: number): BuiltinTable {
  const count = program.readUInt32LE(tableAt);
  const restAt = tableAt + WORD_BYTES + count * ENTRY_BYTES;
  if (restAt + 7 * WORD_BYTES > program.length) throw unknownLayout("Bun's own modules");
  const modules = Array.from({ length: count }, (_, i) => {
    const entryAt = tableAt + WORD_BYTES + i * ENTRY_BYTES;
    return {
      id: program.readUInt32LE(entryAt),
      entryAt,
      bytecodeAt: program.readUInt32LE(entryAt + WORD_BYTES),
      bytecodeLength: program.readUInt32LE(entryAt + 2 * WORD_BYTES),
    };
  });
  const offsetsAt = [restAt, restAt + 3 * WORD_BYTES, restAt + 5 * WORD_BYTES];
  let end = 0;
  for (const { bytecodeAt, bytecodeLength } of modules) {
    if (bytecodeLength === 0) continue;
    if (bytecodeAt < end || program.readUInt32LE(bytecodeAt + KIND_AT) !== BUILTIN_KIND) {
      throw unknownLayout("Bun's own modules");
    }
    end = bytecodeAt + bytecodeLength;
  }
  for (const at of offsetsAt) {
    if (program.readUInt32LE(at) < end) throw unknownLayout("Bun's strings");
    end = program.readUInt32LE(at) + program.readUInt32LE(at + WORD_BYTES);
  }
  if (end > tableAt) throw unknownLayout("Bun's strings");
  return { modules, offsetsAt };
}
