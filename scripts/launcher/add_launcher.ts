/**
 * Adds the code of `launch.c` to a copy of a Linux runtime, which then starts with it and calls it instead of getcwd and
 * setrlimit. The code and its script take the places of functions that only native addons call; fdtool loads none.
 */

import { LAUNCH_CODE } from "./launch_code.ts";

/** Exported functions of every Linux runtime that are large enough together, and follow each other: `v8::Map::Set` and `Delete`. */
const UNUSED = "_ZN2v83Map3SetENS_5LocalINS_7ContextEEENS1_INS_5ValueEEES5_";
const UNUSED_TOO = "_ZN2v83Map6DeleteENS_5LocalINS_7ContextEEENS1_INS_5ValueEEE";
const MAX_GAP = 64;

/** Bytes that the runtime maps at its start, and that storing takes besides. */
const ADDRESS_SPACE = 384 * 2 ** 20;
/** With 16 MiB in a control group it starts; with 10 the system kills it. */
const MEMORY = 24 * 2 ** 20;

const LOADED = 1;
const SYMBOL_TABLE = 11;
const RELOCATIONS = 4;
const ENTRY_AT = 24;

/**
 * Changes `runtime`, an ELF file. `script` is run by sh if the runtime cannot start. Throws if the runtime is not
 * laid out as expected.
 */
export function addLauncher(runtime: Buffer, script: string): void {
  const isArm = runtime.readUInt16LE(18) === 0xb7;
  const { code, currentDirectory, keepLimit, start } = LAUNCH_CODE[isArm ? "arm64" : "x64"];
  const [unused, next] = [symbolNamed(runtime, UNUSED), symbolNamed(runtime, UNUSED_TOO)];
  const gap = next.address - unused.address - unused.byteCount;
  if (gap < 0 || gap > MAX_GAP) throw new Error("the functions for the launcher do not follow each other");
  const slot = slotOf(runtime, "getcwd");
  const entry = Number(runtime.readBigUInt64LE(ENTRY_AT));
  const program = Buffer.from(code, "base64");
  const places = [entry - unused.address, slot - unused.address, program.length];
  [...places, ADDRESS_SPACE, MEMORY].forEach((value, at) => program.writeBigInt64LE(BigInt(value), at * 8));
  const bytes = Buffer.concat([program, Buffer.from(`${script}\0`)]);
  if (bytes.length > next.address + next.byteCount - unused.address) {
    throw new Error(`the launcher needs ${bytes.length} bytes`);
  }
  bytes.copy(runtime, fileOffset(runtime, unused.address));
  const replace = (calledThrough: number, target: number): void => {
    const stub = stubOf(runtime, calledThrough, isArm);
    const distance = unused.address + target - stub;
    const at = fileOffset(runtime, stub);
    // `jmp` counts from its end; `b` in words, from itself. What follows stays, for a slot that is bound late.
    if (isArm) runtime.writeUInt32LE((0x14000000 | (distance >> 2 & 0x3ffffff)) >>> 0, at);
    else runtime.writeInt32LE(distance - 5, runtime.writeUInt8(0xe9, at));
  };
  replace(slot, currentDirectory);
  replace(slotOf(runtime, "setrlimit"), keepLimit);
  runtime.writeBigUInt64LE(BigInt(unused.address + start), ENTRY_AT);
}

interface RuntimeSymbol {
  name: string;
  address: number;
  byteCount: number;
}

interface Section {
  type: number;
  address: number;
  offset: number;
  byteCount: number;
  link: number;
}

function sectionsOf(runtime: Buffer): Section[] {
  const table = Number(runtime.readBigUInt64LE(40));
  return Array.from({ length: runtime.readUInt16LE(60) }, (_, at) => {
    const header = runtime.subarray(table + at * 64);
    const number = (offset: number) => Number(header.readBigUInt64LE(offset));
    return {
      type: header.readUInt32LE(4),
      address: number(16),
      offset: number(24),
      byteCount: number(32),
      link: header.readUInt32LE(40),
    };
  });
}

/** The symbols of a table, in order. */
function symbolsOf(runtime: Buffer): RuntimeSymbol[] {
  const sections = sectionsOf(runtime);
  const table = sections.find(({ type }) => type === SYMBOL_TABLE);
  if (table === undefined) throw new Error("this runtime has no dynamic symbols");
  const names = sections[table.link]!.offset;
  return Array.from({ length: table.byteCount / 24 }, (_, at) => {
    const symbol = table.offset + at * 24;
    const name = names + runtime.readUInt32LE(symbol);
    return {
      name: runtime.toString("latin1", name, runtime.indexOf(0, name)),
      address: Number(runtime.readBigUInt64LE(symbol + 8)),
      byteCount: Number(runtime.readBigUInt64LE(symbol + 16)),
    };
  });
}

function symbolNamed(runtime: Buffer, wanted: string): RuntimeSymbol {
  const symbol = symbolsOf(runtime).find(({ name, address }) => name === wanted && address > 0);
  if (symbol === undefined) throw new Error(`this runtime does not export ${wanted}`);
  return symbol;
}

/** The address through which the function of a library is called. */
function slotOf(runtime: Buffer, wanted: string): number {
  const symbols = symbolsOf(runtime);
  // R_X86_64_JUMP_SLOT and R_AARCH64_JUMP_SLOT.
  const jumps = [7, 0x402];
  for (const { type, offset, byteCount } of sectionsOf(runtime)) {
    for (let at = offset; type === RELOCATIONS && at < offset + byteCount; at += 24) {
      const isJump = jumps.includes(runtime.readUInt32LE(at + 8));
      if (!isJump || symbols[runtime.readUInt32LE(at + 12)]?.name !== wanted) continue;
      return Number(runtime.readBigUInt64LE(at));
    }
  }
  throw new Error(`this runtime does not call ${wanted}`);
}

/** The address of the code that jumps through `slot`: in the linkage table, which is executable and small. */
function stubOf(runtime: Buffer, slot: number, isArm: boolean): number {
  for (const { address, offset, byteCount } of sectionsOf(runtime)) {
    // The table is the section before the data of the same program; its entries have 16 bytes.
    if (byteCount > 0x10000 || byteCount % 16 !== 0 || address === 0) continue;
    for (let at = 0; at + 16 <= byteCount; at += 16) {
      if (jumpsTo(runtime.subarray(offset + at), address + at, isArm) === slot) return address + at;
    }
  }
  throw new Error("this runtime has no stub for a function of a library");
}

/** The slot that an entry of the linkage table jumps through. */
function jumpsTo(code: Buffer, address: number, isArm: boolean): number | undefined {
  // jmp *distance(%rip)
  if (!isArm) return code.readUInt16LE(0) === 0x25ff ? address + 6 + code.readInt32LE(2) : undefined;
  // adrp x16, page; ldr x17, [x16, #low]
  const [page, load] = [code.readUInt32LE(0), code.readUInt32LE(4)];
  if ((page & 0x9f00001f) >>> 0 !== 0x90000010 || (load & 0xffc003ff) >>> 0 !== 0xf9400211) return undefined;
  const pages = (page >>> 5 & 0x7ffff) << 2 | page >>> 29 & 3;
  return (address & ~0xfff) + pages * 4096 + (load >>> 10 & 0xfff) * 8;
}

/** The place in the file of what is loaded at `address`. */
function fileOffset(runtime: Buffer, address: number): number {
  const table = Number(runtime.readBigUInt64LE(32));
  for (let at = 0; at < runtime.readUInt16LE(56); at++) {
    const header = runtime.subarray(table + at * 56);
    const [offset, start, byteCount] = [8, 16, 32].map((field) => Number(header.readBigUInt64LE(field)));
    if (header.readUInt32LE(0) !== LOADED || address < start! || address >= start! + byteCount!) continue;
    return offset! + address - start!;
  }
  throw new Error(`nothing of this runtime is loaded at ${address}`);
}
