/** Names the parts of packed content that are damaged; all others can be read. */

import { ifPossible } from "../disk/errors.ts";
import { BLOCK_BYTES, blockSum } from "../bytes/block_sum.ts";
import type { BlockIndex } from "../index/index_file.ts";
import { DamagedPack, type PackedContent } from "../packs/stored_content.ts";
import type { FdEntry } from "../records/fd_entry.ts";

/** A range of whole blocks. */
interface Part {
  fromByte: number;
  toByte: number;
}

/** Names a part of content by its bytes and lines. */
export function damagedPart({ byteCount, lineCount }: FdEntry, index: BlockIndex, part: Part): string {
  const { fromByte, toByte } = part;
  const lineAt = (byte: number) => index.at(byte / BLOCK_BYTES).lineFeedsBefore + 1;
  const lastLine = toByte >= byteCount ? lineCount : lineAt(toByte);
  return `bytes ${fromByte} to ${toByte - 1} (lines ${lineAt(fromByte)} to ${lastLine}) are damaged; ` +
    "the rest can be read";
}

/** Reads all of `packed`, and names its damaged parts. Throws system errors unchanged. */
export function damagedParts(packed: PackedContent, entry: FdEntry, index: BlockIndex): string[] {
  const parts: Part[] = [];
  for (let block = 0; block < index.blockCount; block++) {
    const fromByte = block * BLOCK_BYTES;
    const toByte = Math.min(fromByte + BLOCK_BYTES, entry.byteCount);
    const sum = ifPossible(() => blockSum(packed.bytesAt(fromByte, toByte - fromByte)), DamagedPack);
    if (sum === index.at(block).blockSum) continue;
    const last = parts.at(-1);
    if (last?.toByte === fromByte) last.toByte = toByte;
    else parts.push({ fromByte, toByte });
  }
  return parts.map((part) => damagedPart(entry, index, part));
}
