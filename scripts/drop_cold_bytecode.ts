/**
 * Removes the bytecode of code that few calls run. Bun adds about three bytes of bytecode for each byte of a module, and
 * has no option to choose modules; without it, the runtime parses the module's source when it is loaded (the MCP
 * server, the largest, then starts about 10 ms later). The room pays for what users do notice.
 *
 * The program is a section of modules (Bun 1.4): the pieces of all modules, the module table, and a trailer:
 *
 *     size u64 | pieces, table … | byte count u64, table offset u32, table length u32, … | "\n---- Bun! ----\n"
 *
 * A table entry has the offset and length of a module's name, contents, source map, bytecode, and two more pieces.
 * Offsets count from after `size`. Bytecode is aligned to 128 bytes, so only multiples of that are cut out. Bun's own
 * modules have bytecode too, and a table of its own (`builtin_bytecode.ts`).
 */

import { Buffer } from "node:buffer";
import { type BuiltinTable, isColdBuiltin, readBuiltins } from "./builtin_bytecode.ts";
import {
  checkElf,
  holds,
  moveSections,
  PROGRAM_SECTION,
  type Section,
  sectionsOf,
  type Segment,
  SEGMENT_LOAD,
  segmentsOf,
  unknownLayout,
  writeSizes,
} from "./elf_layout.ts";

const TRAILER = "\n---- Bun! ----\n";
const TRAILER_BYTES = 32;
const ENTRY_BYTES = 52;
/** Behind the module table: a hash of each module's name. */
const HASH_BYTES = 4;
/** Pieces of an entry: name, contents, source map, bytecode, module info, origin path. */
const PIECES = 6;
const BYTECODE = 3;
const ALIGNMENT = 128;

/** A chunk of the build: its file name, and how many bytes of it come from each source file. */
export type ChunkSources = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Sources whose code runs once a session, or in rare commands. */
const COLD_SOURCES = [
  /node_modules\/(?!valibot\/)/,
  /^src\/(agents|completing|doctor|forking|outline|querying|referencing|screen|ui)\//,
  /^src\/hooks\/(?!claude_code_|opencode_hook|replace_result|hook_payload)/,
  /^src\/commands\/agents\/(?!hook)/,
  /^src\/commands\/store\/(evaluate|export|fork|gc|import|name|path|ref|refs|rm|spawn)\.ts$/,
  /^src\/commands\/store\/(shared_job|store|sync|ui|upload|verify)\.ts$/,
  /^src\/writing\/(operation_form|place_markers|read_plan|simulate_plan|write_plan)\.ts$/,
  /^src\/writing\/checks\/(bracket_balance|placeholder_lines|structure_check)\.ts$/,
  /^fd\/(archive|forks|packing|upkeep)\//,
  /^fd\/(packs\/frame_filter|search\/(required_parts|skip_frames))\.ts$/,
  /^fd\/search\/(copy_spans|hit_spans|line_spans|pattern_spans|walk_spans)\.ts$/,
  /^src\/reading\/(show_spans|span_view)\.ts$/,
  // What a read of cached content and a small capture run through stays.
  /^fd\/cache\/(bind|cache_facts|change|check|choose|fetch|place_names)/,
  /^fd\/remote\/(assume|fetch|further|kept|metadata|probe|process|read_profile|small_file)/,
  /^fd\/shared\/(clean|gc_object|group|list|remove|shared_names|try_access|upload_segments)/,
  /^src\/writing\/history\//,
  /^src\/writing\/(answer_inquiry|ask_person)\.ts$/,
  /^src\/arguments\/(fd_first|file_for_fd|guess_command|help_text|nearest_word|wrap_text)\.ts$/,
  /^src\/(background\/(bare_lines|supervise_command)|commands\/files\/(answer|plan)|commands\/output\/supervise)\.ts$/,
  /^src\/streams\/(screen_size|text_width)\.ts$/,
  /^src\/capturing\/(capture_progress|closing|interruption|live_output)\.ts$/,
  /^fd\/clean\/live_view\.ts$/,
  /^src\/running\/windows_start\.ts$/,
  /^src\/sharing\/(clean_shared|do_shared|read_from_memory|show_store|sync_fds)/,
];

/** Whether more than half of a chunk comes from cold sources. */
export function isColdChunk(sources: ReadonlyMap<string, number>): boolean {
  let coldBytes = 0;
  let allBytes = 0;
  for (const [source, byteCount] of sources) {
    allBytes += byteCount;
    if (COLD_SOURCES.some((pattern) => pattern.test(source))) coldBytes += byteCount;
  }
  return coldBytes * 2 > allBytes;
}

interface ModuleEntry {
  offset: number;
  name: string;
  bytecodeAt: number;
  bytecodeLength: number;
}

/** Bytes to cut out; offsets in the program. */
interface Cut {
  from: number;
  to: number;
}

/**
 * Returns the program in `elf`, as Bun writes it, without the bytecode of the chunks that {@link isColdChunk} finds in
 * `chunks`. Throws if the layout is unknown: a guess would make a program that crashes.
 */
export function dropColdBytecode(elf: Buffer, chunks: ChunkSources): Buffer {
  checkElf(elf);
  const sections = sectionsOf(elf);
  const section = sections.find(({ name }) => name === PROGRAM_SECTION);
  const segment = segmentsOf(elf).findLast(({ type }) => type === SEGMENT_LOAD);
  if (section === undefined || segment === undefined || !holds(segment, section.address)) {
    throw unknownLayout(`no loaded ${PROGRAM_SECTION}`);
  }
  const program = elf.subarray(section.fileOffset + 8, section.fileOffset + section.size);
  const isCold = (name: string) => isColdChunk(chunks.get(baseName(name)) ?? new Map());
  const slim = slimProgram(program, isCold, isColdBuiltin);
  return replaceProgram(elf, { sections, section, segment }, slim);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Cuts the bytecode of cold modules, and of Bun's own cold ones, out of a program (without the leading size). */
export function slimProgram(
  program: Buffer,
  isCold: (name: string) => boolean,
  isColdOwn: (id: number) => boolean,
): Buffer {
  const trailerAt = program.lastIndexOf(TRAILER) - TRAILER_BYTES;
  if (trailerAt < 0 || Number(program.readBigUInt64LE(trailerAt)) !== trailerAt) {
    throw unknownLayout("trailer");
  }
  const tableAt = program.readUInt32LE(trailerAt + 8);
  const tableLength = program.readUInt32LE(trailerAt + 12);
  if (tableLength % ENTRY_BYTES !== 0 || tableAt + tableLength > trailerAt) {
    throw unknownLayout("module table");
  }
  const entries = entriesOf(program, tableAt, tableLength);
  const builtins = readBuiltins(program, tableAt + tableLength + entries.length * HASH_BYTES);
  const isDropped = (entry: ModuleEntry) => entry.bytecodeLength > 0 && isCold(entry.name);
  const cuts = [...entries.filter(isDropped), ...builtins.modules.filter(({ id }) => isColdOwn(id))]
    .map(({ bytecodeAt, bytecodeLength }) => ({
      from: bytecodeAt,
      to: bytecodeAt + bytecodeLength - bytecodeLength % ALIGNMENT,
    })).sort((one, other) => one.from - other.from);
  checkAllIsKnown(program, entries, builtins);

  const result = withoutCuts(program, cuts);
  const moved = (offset: number) => offset - cutBefore(cuts, offset);
  const move = (at: number) => result.writeUInt32LE(moved(program.readUInt32LE(at)), moved(at));
  for (const entry of entries) {
    for (let piece = 0; piece < PIECES; piece++) move(entry.offset + piece * 8);
    if (isDropped(entry)) result.writeBigUInt64LE(0n, moved(entry.offset) + BYTECODE * 8);
  }
  for (const { id, entryAt } of builtins.modules) {
    move(entryAt + 4);
    if (isColdOwn(id)) result.writeBigUInt64LE(0n, moved(entryAt) + 4);
  }
  for (const at of builtins.offsetsAt) move(at);
  const trailer = moved(trailerAt);
  result.writeBigUInt64LE(BigInt(trailer), trailer);
  move(trailerAt + 8);
  move(trailerAt + 20);
  return result;
}

function entriesOf(program: Buffer, tableAt: number, tableLength: number): ModuleEntry[] {
  const entries: ModuleEntry[] = [];
  for (let offset = tableAt; offset < tableAt + tableLength; offset += ENTRY_BYTES) {
    const nameAt = program.readUInt32LE(offset);
    entries.push({
      offset,
      name: program.toString("utf8", nameAt, nameAt + program.readUInt32LE(offset + 4)),
      bytecodeAt: program.readUInt32LE(offset + BYTECODE * 8),
      bytecodeLength: program.readUInt32LE(offset + BYTECODE * 8 + 4),
    });
  }
  return entries;
}

/** Throws if there are bytes among the bytecode that no table describes: something may point there. */
function checkAllIsKnown(program: Buffer, entries: readonly ModuleEntry[], builtins: BuiltinTable): void {
  const strings = builtins.offsetsAt.map((at) => ({
    bytecodeAt: program.readUInt32LE(at),
    bytecodeLength: program.readUInt32LE(at + 4),
  }));
  const pieces = [...entries, ...builtins.modules, ...strings].filter(({ bytecodeLength }) =>
    bytecodeLength > 0
  )
    .sort((one, other) => one.bytecodeAt - other.bytecodeAt);
  let end = 0;
  for (const { bytecodeAt, bytecodeLength } of pieces) {
    if (bytecodeAt - end >= 2 * ALIGNMENT) throw unknownLayout("bytecode of an unknown module");
    end = bytecodeAt + bytecodeLength;
  }
}

/** How many bytes are cut out before `offset`. */
function cutBefore(cuts: readonly Cut[], offset: number): number {
  let byteCount = 0;
  for (const { from, to } of cuts) if (to <= offset) byteCount += to - from;
  return byteCount;
}

function withoutCuts(bytes: Buffer, cuts: readonly Cut[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { from, to } of cuts) {
    pieces.push(bytes.subarray(at, from));
    at = to;
  }
  return Buffer.concat([...pieces, bytes.subarray(at)]);
}

function replaceProgram(
  elf: Buffer,
  { sections, section, segment }: { sections: readonly Section[]; section: Section; segment: Segment },
  program: Buffer,
): Buffer {
  const byteCount = section.size - 8 - program.length;
  const end = section.fileOffset + section.size;
  const result = Buffer.concat([
    elf.subarray(0, section.fileOffset),
    Buffer.alloc(8),
    program,
    elf.subarray(end),
  ]);
  const sizeWord = elf.readBigUInt64LE(section.fileOffset) - BigInt(byteCount);
  result.writeBigUInt64LE(sizeWord, section.fileOffset);
  writeSizes(result, segment.headerOffset, segment.fileSize - byteCount, segment.memorySize - byteCount);
  const sectionTable = Number(elf.readBigUInt64LE(40));
  moveSections(result, sections, { sectionTable, afterOffset: end, byteCount });
  result.writeBigUInt64LE(BigInt(section.size - byteCount), section.headerOffset - byteCount + 32);
  return result;
}
