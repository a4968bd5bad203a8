/**
 * Bun compiles for Linux by putting the program behind the runtime's zero-initialised memory and stretching one load
 * segment over both, so that nearly two megabytes of zeros stand in the file. The program can as well have a load
 * segment of its own: then the system makes the zeros, as it does for the bare runtime. Addresses stay what they are;
 * only places in the file change.
 *
 * A segment needs a program header, and there is no room for another. The one of the notes (build id, oldest kernel)
 * gives way: debuggers find notes by their sections, and the loader of a program needs none.
 *
 * @module
 */

import { Buffer } from "node:buffer";

const SECTION_NOBITS = 8;
const SECTION_IS_THREAD_LOCAL = 0x400;
const SEGMENT_LOAD = 1;
const SEGMENT_NOTE = 4;
const READ_AND_WRITE = 6;

/** The section that Bun puts the program in. */
const PROGRAM_SECTION = ".bun";

interface Segment {
  /** Where its header stands in the file. */
  headerOffset: number;
  type: number;
  fileOffset: number;
  address: number;
  fileSize: number;
  alignment: number;
}

interface Section {
  headerOffset: number;
  name: string;
  type: number;
  flags: number;
  address: number;
  fileOffset: number;
  size: number;
}

/**
 * A compiled program without the zeros in its middle. Throws when it is laid out in another way than Bun does it: a
 * guess would make a program that dies in strange ways.
 */
export function compactElf(elf: Buffer): Buffer {
  if (elf.toString("latin1", 0, 6) !== "\x7fELF\x02\x01") throw unknownLayout("no 64-bit little-endian ELF");
  const segments = segmentsOf(elf);
  const sections = sectionsOf(elf);

  const program = sections.find(({ name }) => name === PROGRAM_SECTION);
  const stretched = segments.findLast(({ type }) => type === SEGMENT_LOAD);
  if (program === undefined || stretched === undefined) throw unknownLayout(`no ${PROGRAM_SECTION}`);
  if (
    !holds(stretched, program.address) ||
    program.fileOffset - stretched.fileOffset !== program.address - stretched.address
  ) throw unknownLayout("the program is not in the last load segment");
  const spare = segments.find(({ type, headerOffset }) =>
    type === SEGMENT_NOTE && headerOffset > stretched.headerOffset
  );
  if (spare === undefined) throw unknownLayout("no program header to spare");

  const zeros = sections.filter(({ type, flags, address }) =>
    type === SECTION_NOBITS && (flags & SECTION_IS_THREAD_LOCAL) === 0 && holds(stretched, address)
  );
  const zerosFrom = Math.min(...zeros.map(({ address }) => address));
  const zerosTo = Math.max(...zeros.map(({ address, size }) => address + size));
  if (!(zerosFrom < zerosTo && zerosTo <= program.address)) {
    throw unknownLayout("no zeros before the program");
  }
  const keptTo = stretched.fileOffset + zerosFrom - stretched.address;
  if (elf.subarray(keptTo, program.fileOffset).some((byte) => byte !== 0)) {
    throw unknownLayout("what should be zeros is not");
  }

  // The loader maps whole pages: a segment's place in the file and its address agree up to the alignment.
  const { alignment } = stretched;
  const programOffset = keptTo + (program.address - keptTo % alignment + alignment) % alignment;
  const moved = program.fileOffset - programOffset;
  if (moved <= 0) return elf;

  const compact = Buffer.concat([
    elf.subarray(0, keptTo),
    Buffer.alloc(programOffset - keptTo),
    elf.subarray(program.fileOffset),
  ]);
  const programSize = stretched.fileSize - (program.fileOffset - stretched.fileOffset);
  writeSizes(compact, stretched.headerOffset, zerosFrom - stretched.address, zerosTo - stretched.address);
  compact.writeUInt32LE(SEGMENT_LOAD, spare.headerOffset);
  compact.writeUInt32LE(READ_AND_WRITE, spare.headerOffset + 4);
  compact.writeBigUInt64LE(BigInt(programOffset), spare.headerOffset + 8);
  compact.writeBigUInt64LE(BigInt(program.address), spare.headerOffset + 16);
  compact.writeBigUInt64LE(BigInt(program.address), spare.headerOffset + 24);
  writeSizes(compact, spare.headerOffset, programSize, programSize);
  compact.writeBigUInt64LE(BigInt(alignment), spare.headerOffset + 48);

  const sectionTable = Number(elf.readBigUInt64LE(40));
  if (sectionTable < program.fileOffset) throw unknownLayout("sections are listed before the program");
  compact.writeBigUInt64LE(BigInt(sectionTable - moved), 40);
  for (const { headerOffset, fileOffset } of sections) {
    if (fileOffset < program.fileOffset) continue;
    compact.writeBigUInt64LE(BigInt(fileOffset - moved), headerOffset - moved + 24);
  }
  return compact;
}

/** Whether `segment` holds the byte at `address`. */
function holds(segment: Segment, address: number): boolean {
  return segment.address <= address && address < segment.address + segment.fileSize;
}

function writeSizes(elf: Buffer, headerOffset: number, fileSize: number, memorySize: number): void {
  elf.writeBigUInt64LE(BigInt(fileSize), headerOffset + 32);
  elf.writeBigUInt64LE(BigInt(memorySize), headerOffset + 40);
}

function segmentsOf(elf: Buffer): Segment[] {
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
      alignment: Number(elf.readBigUInt64LE(headerOffset + 48)),
    };
  });
}

function sectionsOf(elf: Buffer): Section[] {
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

function unknownLayout(what: string): Error {
  return new Error(
    `this program is not laid out as Bun does it (${what}): look again at scripts/compact_elf.ts`,
  );
}
