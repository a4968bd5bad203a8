// Promise: the build removes the bytecode of cold chunks only; every other byte of the program is found where the module
// table says, bytecode stays aligned, and a layout it does not know is refused.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { isColdChunk, slimProgram } from "./drop_cold_bytecode.ts";

const ENTRY_BYTES = 52;
const TRAILER = "\n---- Bun! ----\n";
const FIRST_AT = 120;

interface Module {
  name: string;
  contents: string;
  bytecode: Buffer;
}

function moduleOf(name: string, bytecodeLength: number): Module {
  return { name, contents: `// ${name}`, bytecode: Buffer.alloc(bytecodeLength, name) };
}

/** A program as Bun lays it out; `unknown` are bytes between the bytecode of the first and the second module. */
function programOf(modules: readonly Module[], unknown = 0): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  const add = (piece: Buffer): number => {
    const offset = at;
    pieces.push(piece);
    at += piece.length;
    return offset;
  };
  const places = modules.map(({ bytecode }, i) => {
    add(Buffer.alloc((FIRST_AT - at % 128 + 128) % 128));
    const offset = add(bytecode);
    if (i === 0) add(Buffer.alloc(unknown, 0xee));
    return offset;
  });
  const table = Buffer.alloc(modules.length * ENTRY_BYTES);
  modules.forEach(({ name, contents, bytecode }, i) => {
    const pairs = [
      [add(Buffer.from(name)), name.length],
      [add(Buffer.from(contents)), contents.length],
      [0, 0],
      [places[i]!, bytecode.length],
      [0, 0],
      [0, 0],
    ];
    pairs.flat().forEach((number, k) => table.writeUInt32LE(number, i * ENTRY_BYTES + k * 4));
  });
  const tableAt = add(table);
  const argumentsAt = add(Buffer.from("arguments"));
  const trailer = Buffer.alloc(32);
  trailer.writeBigUInt64LE(BigInt(at), 0);
  trailer.writeUInt32LE(tableAt, 8);
  trailer.writeUInt32LE(table.length, 12);
  trailer.writeUInt32LE(argumentsAt, 20);
  trailer.writeUInt32LE(9, 24);
  return Buffer.concat([...pieces, trailer, Buffer.from(TRAILER)]);
}

/** The modules and arguments in the table of a program. */
function described(program: Buffer): { modules: Module[]; bytecodeAt: number[]; words: string } {
  const trailerAt = program.length - TRAILER.length - 32;
  assertEquals(Number(program.readBigUInt64LE(trailerAt)), trailerAt);
  const word = (offset: number) => program.readUInt32LE(offset);
  const piece = (offset: number) => program.subarray(word(offset), word(offset) + word(offset + 4));
  const entries = Array.from(
    { length: word(trailerAt + 12) / ENTRY_BYTES },
    (_, i) => word(trailerAt + 8) + i * ENTRY_BYTES,
  );
  return {
    modules: entries.map((entry) => ({
      name: piece(entry).toString(),
      contents: piece(entry + 8).toString(),
      bytecode: Buffer.from(piece(entry + 24)),
    })),
    bytecodeAt: entries.filter((entry) => word(entry + 28) > 0).map((entry) => word(entry + 24)),
    words: piece(trailerAt + 20).toString(),
  };
}

const MODULES = [
  moduleOf("/root/main.js", 300),
  moduleOf("/root/cold.js", 1000),
  moduleOf("/root/read.js", 129),
  moduleOf("/root/cold-2.js", 127),
  moduleOf("/root/edit.js", 500),
];

const isCold = (name: string) => name.includes("cold");

Deno.test("the bytecode of cold modules is removed, and all else stays", () => {
  const program = programOf(MODULES, 400);
  const slim = slimProgram(program, isCold);
  const { modules, bytecodeAt, words } = described(slim);
  assertEquals(
    modules,
    MODULES.map((module) => isCold(module.name) ? { ...module, bytecode: Buffer.alloc(0) } : module),
  );
  assertEquals(words, "arguments");
  assert(bytecodeAt.every((offset) => offset % 128 === FIRST_AT));
  assertEquals(program.length - slim.length, 1000 - 1000 % 128);
});

Deno.test("a program without cold modules stays as it is", () => {
  const program = programOf(MODULES);
  assertEquals(slimProgram(program, () => false), program);
});

Deno.test("bytes that no module describes are refused after the first cut", () => {
  const program = programOf([MODULES[1]!, MODULES[2]!], 400);
  assertThrows(() => slimProgram(program, isCold), Error, "unknown module");
});

Deno.test("a program without the known trailer is refused", () => {
  assertThrows(() => slimProgram(Buffer.from("something else"), isCold), Error, "trailer");
});

Deno.test("a chunk is cold if more than half of it comes from cold sources", () => {
  const chunk = (...sources: [string, number][]) => isColdChunk(new Map(sources));
  assert(chunk(["node_modules/zod/index.js", 10], ["src/agents/mcp/mcp_server.ts", 5]));
  assert(!chunk(["node_modules/valibot/dist/index.mjs", 10]));
  assert(!chunk(["fd/slices/read_slice.ts", 10], ["fd/upkeep/check_store.ts", 5]));
  assert(!chunk());
});
