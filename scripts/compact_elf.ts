/**
 * Bun compiles for Linux by putting the program behind the runtime's zero-initialised memory and stretching one load
 * segment over both, so that the file contains nearly two megabytes of zeros. The program can as well have a load
 * segment of its own: then the system makes the zeros, as it does for the bare runtime. Addresses stay what they are;
 * only places in the file change.
 *
 * A segment needs a program header, and there is no room for another. The one of the notes (build id, oldest kernel)
 * gives way: debuggers find notes by their sections, and the loader of a program needs none.
 */

import { Buffer } from "node:buffer";
import {
  checkElf,
  holds,
  moveSections,
  PROGRAM_SECTION,
  sectionsOf,
  SEGMENT_LOAD,
  segmentsOf,
  unknownLayout,
  writeSizes,
} from "./elf_layout.ts";

const SECTION_NOBITS = 8;
const SECTION_IS_THREAD_LOCAL = 0x400;
const SEGMENT_NOTE = 4;
const READ_AND_WRITE = 6;

/**
 * A compiled program without the zeros in its middle. Throws when it is laid out in another way than Bun does it: a
 * guess would make a program that dies in strange ways.
 */
export function compactElf(elf: Buffer): Buffer {
  checkElf(elf);
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
  moveSections(compact, sections, { sectionTable, afterOffset: program.fileOffset, byteCount: moved });
  return compact;
}
