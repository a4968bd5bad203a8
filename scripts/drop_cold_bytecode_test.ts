// Promise: the build removes the bytecode of cold chunks and of Bun's own cold modules only; every other byte of the
// program is found where the tables say, bytecode stays aligned, and a layout it does not know is refused.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { readBuiltins } from "./builtin_bytecode.ts";
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

/** Bun's own modules: the bytes of their bytecode by id, and three pieces that follow. */
interface Own {
  bytecode: ReadonlyMap<number, number>;
  strings: readonly string[];
}

const OWN: Own = {
  bytecode: new Map([[7, 400], [3, 256], [9, 700]]),
  strings: ["strings", "numbers", "symbols"],
};

function ownBytecode(id: number, length: number): Buffer {
  const bytes = Buffer.alloc(length, id);
  bytes.writeUInt32LE(3, 4);
  return bytes;
}

/**
 * A program as Bun lays it out, with the bytecode of its own modules after that of the first module; `unknown` are
 * bytes after them.
 */
function programOf(modules: readonly Module[], unknown = 0): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  const add = (piece: Buffer): number => {
    const offset = at;
    pieces.push(piece);
    at += piece.length;
    return offset;
  };
  const aligned = (piece: Buffer) => {
    add(Buffer.alloc((FIRST_AT - at % 128 + 128) % 128));
    return add(piece);
  };
  const own: number[] = [OWN.bytecode.size];
  const places = modules.map(({ bytecode }, i) => {
    const offset = aligned(bytecode);
    if (i > 0) return offset;
    for (const [id, length] of OWN.bytecode) own.push(id, aligned(ownBytecode(id, length)), length);
    OWN.strings.forEach((text, k) =>
      own.push(...k === 1 ? [2] : [], aligned(Buffer.from(text)), text.length)
    );
    add(Buffer.alloc(unknown, 0xee));
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
  add(Buffer.alloc(4 * modules.length, 0xab));
  add(Buffer.from(Uint32Array.from(own).buffer));
  const argumentsAt = add(Buffer.from("arguments"));
  const trailer = Buffer.alloc(32);
  trailer.writeBigUInt64LE(BigInt(at), 0);
  trailer.writeUInt32LE(tableAt, 8);
  trailer.writeUInt32LE(table.length, 12);
  trailer.writeUInt32LE(argumentsAt, 20);
  trailer.writeUInt32LE(9, 24);
  return Buffer.concat([...pieces, trailer, Buffer.from(TRAILER)]);
}

/** The contents of the tables of a program: its modules and arguments, and Bun's own modules and strings. */
function described(
  program: Buffer,
): { modules: Module[]; bytecodeAt: number[]; words: string; own: Map<number, Buffer>; strings: string[] } {
  const trailerAt = program.length - TRAILER.length - 32;
  assertEquals(Number(program.readBigUInt64LE(trailerAt)), trailerAt);
  const word = (offset: number) => program.readUInt32LE(offset);
  const piece = (offset: number) => program.subarray(word(offset), word(offset) + word(offset + 4));
  const entries = Array.from(
    { length: word(trailerAt + 12) / ENTRY_BYTES },
    (_, i) => word(trailerAt + 8) + i * ENTRY_BYTES,
  );
  const { modules: own, offsetsAt } = readBuiltins(
    program,
    word(trailerAt + 8) + word(trailerAt + 12) + 4 * entries.length,
  );
  return {
    own: new Map(own.map(({ id, entryAt }) => [id, Buffer.from(piece(entryAt + 4))])),
    strings: offsetsAt.map((at) => piece(at).toString()),
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
  const program = programOf(MODULES);
  const slim = slimProgram(program, isCold, (id) => id !== 3);
  const { modules, bytecodeAt, words, own, strings } = described(slim);
  assertEquals(
    modules,
    MODULES.map((module) => isCold(module.name) ? { ...module, bytecode: Buffer.alloc(0) } : module),
  );
  assertEquals(words, "arguments");
  assertEquals([...own], [[7, Buffer.alloc(0)], [3, ownBytecode(3, 256)], [9, Buffer.alloc(0)]]);
  assertEquals(strings, OWN.strings);
  assert(bytecodeAt.every((offset) => offset % 128 === FIRST_AT));
  assertEquals(program.length - slim.length, [1000, 400, 700].reduce((sum, n) => sum + n - n % 128, 0));
});

Deno.test("a program without cold modules stays as it is", () => {
  const program = programOf(MODULES);
  assertEquals(slimProgram(program, () => false, () => false), program);
});

Deno.test("bytes that no table describes are refused", () => {
  const program = programOf([MODULES[1]!, MODULES[2]!], 400);
  assertThrows(() => slimProgram(program, isCold, () => false), Error, "unknown module");
});

Deno.test("a program without the known trailer is refused", () => {
  const program = Buffer.from("something else");
  assertThrows(() => slimProgram(program, isCold, () => false), Error, "trailer");
});

Deno.test("a chunk is cold if more than half of it comes from cold sources", () => {
  const chunk = (...sources: [string, number][]) => isColdChunk(new Map(sources));
  assert(chunk(["node_modules/zod/index.js", 10], ["src/agents/mcp/mcp_server.ts", 5]));
  assert(!chunk(["node_modules/valibot/dist/index.mjs", 10]));
  assert(!chunk(["fd/slices/read_slice.ts", 10], ["fd/upkeep/check_store.ts", 5]));
  assert(!chunk());
});
