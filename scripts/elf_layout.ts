/**
 * Segments and sections of a 64-bit little-endian ELF file, as far as the build moves them.
 */

import type { Buffer } from "node:buffer";

/** A program header. Offsets are in the file. */
export interface Segment {
  headerOffset: number;
  type: number;
  fileOffset: number;
  address: number;
  fileSize: number;
  memorySize: number;
  alignment: number;
}

/** A section header. Offsets are in the file. */
export interface Section {
  headerOffset: number;
  name: string;
  type: number;
  flags: number;
  address: number;
  fileOffset: number;
  size: number;
}

/** The type of a segment that is loaded. */
export const SEGMENT_LOAD = 1;

/** The section in which Bun puts the program. */
export const PROGRAM_SECTION = ".bun";

/** Throws unless `elf` is a 64-bit little-endian ELF file. */
export function checkElf(elf: Buffer): void {
  if (elf.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") {
    throw unknownLayout("not a 64-bit little-endian ELF file");
  }
}

/** Whether `segment` holds the byte at `address`. */
export function holds(segment: Segment, address: number): boolean {
  return segment.address <= address && address < segment.address + segment.fileSize;
}

/** Lists the program headers. */
export function segmentsOf(elf: Buffer): Segment[] {
  const table = Number(elf.readBigUInt64LE(32));
  const entrySize = elf.readUInt16LE(54);
  return Array.from({ length: elf.readUInt16LE(56) }, (_, i) => {
    const headerOffset = table + i * entrySize;
    return {
      headerOffset,
      type: elf.readUInt32LE(headerOffset),
      fileOffset: Number(elf.readBigUInt64LE(headerOffset + 8)),
      address: Number(elf.readBigUInt64LE(headerOffset + 16)),
      fileSize: Number(elf.readBigUInt64LE(headerOffset + 32)),
      memorySize: Number(elf.readBigUInt64LE(headerOffset + 40)),
      alignment: Number(elf.readBigUInt64LE(headerOffset + 48)),
    };
  });
}

/** Sets the sizes of the segment whose header is at `headerOffset`. */
export function writeSizes(elf: Buffer, headerOffset: number, fileSize: number, memorySize: number): void {
  elf.writeBigUInt64LE(BigInt(fileSize), headerOffset + 32);
  elf.writeBigUInt64LE(BigInt(memorySize), headerOffset + 40);
}

/** Lists the section headers. */
export function sectionsOf(elf: Buffer): Section[] {
  const table = Number(elf.readBigUInt64LE(40));
  const entrySize = elf.readUInt16LE(58);
  const headers = Array.from({ length: elf.readUInt16LE(60) }, (_, i) => table + i * entrySize);
  const namesHeader = headers[elf.readUInt16LE(62)];
  if (namesHeader === undefined) throw unknownLayout("no section names");
  const names = Number(elf.readBigUInt64LE(namesHeader + 24));
  return headers.map((headerOffset) => {
    const name = names + elf.readUInt32LE(headerOffset);
    return {
      headerOffset,
      name: elf.toString("latin1", name, elf.indexOf(0, name)),
      type: elf.readUInt32LE(headerOffset + 4),
      flags: Number(elf.readBigUInt64LE(headerOffset + 8)),
      address: Number(elf.readBigUInt64LE(headerOffset + 16)),
      fileOffset: Number(elf.readBigUInt64LE(headerOffset + 24)),
      size: Number(elf.readBigUInt64LE(headerOffset + 32)),
    };
  });
}

/**
 * Moves the section table, and the file offsets of all sections that start after `afterOffset`, `byteCount` bytes
 * towards the start. `elf` is already the shortened file; `sections` and `sectionTable` describe the file before.
 */
export function moveSections(
  elf: Buffer,
  sections: readonly Section[],
  { sectionTable, afterOffset, byteCount }: { sectionTable: number; afterOffset: number; byteCount: number },
): void {
  if (sectionTable < afterOffset) throw unknownLayout("the section table precedes the program");
  elf.writeBigUInt64LE(BigInt(sectionTable - byteCount), 40);
  for (const { headerOffset, fileOffset } of sections) {
    if (fileOffset < afterOffset) continue;
    elf.writeBigUInt64LE(BigInt(fileOffset - byteCount), headerOffset - byteCount + 24);
  }
}

/** An error for a file that Bun lays out in a way the build does not know. */
export function unknownLayout(what: string): Error {
  return new Error(`Bun lays this program out in an unknown way (${what}): see scripts/elf_layout.ts`);
}
