// Promise: what the build leaves out of a binary is only zeros that the system makes; everything else is loaded at the
// address it had.

import { assert, assertEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { compactElf } from "./compact_elf.ts";

const PAGE = 0x1000;
const BASE = 0x200000;
const DATA = Buffer.from("data of the runtime");
const PROGRAM = Buffer.from("the program that Bun put behind the zeros");
const ZEROS_FROM = 0x1100;
const ZEROS_SIZE = 0x5000;
const PROGRAM_AT = 0x8000;
const LOAD = 1;
const NOTE = 4;

/** A file as Bun lays it out: one load segment over data, zeros and program, then names and a table of sections. */
function stretchedElf({ lastSegment = NOTE, inZeros = 0 } = {}): Buffer {
  const names = Buffer.from("\0.data\0.bss\0.bun\0.names\0");
  const nameOffset = (name: string) => names.indexOf(`\0${name}\0`) + 1;
  const namesAt = PROGRAM_AT + PROGRAM.length;
  const sectionTable = namesAt + names.length;
  const elf = Buffer.alloc(sectionTable + 5 * 64);
  elf.write("\x7fELF\x02\x01", "latin1");
  elf.writeBigUInt64LE(64n, 32);
  elf.writeBigUInt64LE(BigInt(sectionTable), 40);
  elf.writeUInt16LE(56, 54);
  elf.writeUInt16LE(2, 56);
  elf.writeUInt16LE(64, 58);
  elf.writeUInt16LE(5, 60);
  elf.writeUInt16LE(4, 62);
  const segment = (i: number, type: number, offset: number, size: number) => {
    const header = 64 + i * 56;
    elf.writeUInt32LE(type, header);
    elf.writeUInt32LE(6, header + 4);
    elf.writeBigUInt64LE(BigInt(offset), header + 8);
    elf.writeBigUInt64LE(BigInt(BASE + offset), header + 16);
    elf.writeBigUInt64LE(BigInt(size), header + 32);
    elf.writeBigUInt64LE(BigInt(size), header + 40);
    elf.writeBigUInt64LE(BigInt(PAGE), header + 48);
  };
  segment(0, LOAD, 0, PROGRAM_AT + PROGRAM.length);
  segment(1, lastSegment, 0x40, 0x20);
  const section = (i: number, name: string, type: number, offset: number, size: number) => {
    const header = sectionTable + i * 64;
    elf.writeUInt32LE(nameOffset(name), header);
    elf.writeUInt32LE(type, header + 4);
    elf.writeBigUInt64LE(BigInt(BASE + offset), header + 16);
    elf.writeBigUInt64LE(BigInt(offset), header + 24);
    elf.writeBigUInt64LE(BigInt(size), header + 32);
  };
  section(1, ".data", 1, PAGE, DATA.length);
  section(2, ".bss", 8, ZEROS_FROM, ZEROS_SIZE);
  section(3, ".bun", 1, PROGRAM_AT, PROGRAM.length);
  section(4, ".names", 3, namesAt, names.length);
  DATA.copy(elf, PAGE);
  PROGRAM.copy(elf, PROGRAM_AT);
  names.copy(elf, namesAt);
  elf[ZEROS_FROM + 7] = inZeros;
  return elf;
}

/** The memory that a loader makes of a file, by address; it must only be asked for addresses that are loaded. */
function loaded(elf: Buffer, address: number, size: number): Buffer {
  const table = Number(elf.readBigUInt64LE(32));
  for (let header = table; header < table + elf.readUInt16LE(56) * 56; header += 56) {
    const [offset, at, , fileSize, memorySize, alignment] = [8, 16, 24, 32, 40, 48].map((field) =>
      Number(elf.readBigUInt64LE(header + field))
    ) as [number, number, number, number, number, number];
    if (elf.readUInt32LE(header) !== LOAD || address < at || address + size > at + memorySize) continue;
    assertEquals(offset % alignment, at % alignment, "a segment that no loader can map");
    const memory = Buffer.alloc(memorySize);
    elf.copy(memory, 0, offset, offset + fileSize);
    return memory.subarray(address - at, address - at + size);
  }
  throw new Error(`nothing is loaded at ${address.toString(16)}`);
}

/** Names and contents of the sections that the file lists. */
function sectionBytes(elf: Buffer): Record<string, string> {
  const table = Number(elf.readBigUInt64LE(40));
  const field = (i: number, at: number) => Number(elf.readBigUInt64LE(table + i * 64 + at));
  const names = field(4, 24);
  return Object.fromEntries([1, 3, 4].map((i) => {
    const name = names + elf.readUInt32LE(table + i * 64);
    return [
      elf.toString("latin1", name, elf.indexOf(0, name)),
      elf.toString("latin1", field(i, 24), field(i, 24) + field(i, 32)),
    ];
  }));
}

Deno.test("a compact binary is shorter by the zeros and loads the same memory", () => {
  const stretched = stretchedElf();
  const compact = compactElf(stretched);
  assertEquals(stretched.length - compact.length, PROGRAM_AT - 2 * PAGE);
  for (
    const [at, size] of [[PAGE, DATA.length], [ZEROS_FROM, ZEROS_SIZE], [PROGRAM_AT, PROGRAM.length]] as const
  ) {
    assertEquals(loaded(compact, BASE + at, size), loaded(stretched, BASE + at, size));
  }
  assertEquals(sectionBytes(compact), sectionBytes(stretched));
});

Deno.test("a binary that is laid out in another way is refused, not guessed at", () => {
  assertThrows(() => compactElf(Buffer.from("MZ, a program of another system")), Error, "not a 64-bit");
  assertThrows(() => compactElf(stretchedElf({ lastSegment: 6 })), Error, "no program header to spare");
  assertThrows(() => compactElf(stretchedElf({ inZeros: 1 })), Error, "what should be zeros is not");
  const compact = compactElf(stretchedElf());
  assert(compact.length < stretchedElf().length);
  assertThrows(() => compactElf(compact), Error);
});
