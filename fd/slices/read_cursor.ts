/**
 * A cursor tells how far an fd was read, as a number of bytes sent by its writer. It stays valid even if the cap
 * later drops the middle of the content: dropped bytes are gone, but what follows them is still found.
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { fail } from "../disk/errors.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { OpenContent } from "./open_content.ts";
import { leadIn } from "../bytes/utf8_chars.ts";

/** Returns the cursor after reading the content up to `byteOffset`. */
export function cursorAt({ gap }: FdEntry, byteOffset: number): number {
  return gap === undefined || byteOffset <= gap.atByte ? byteOffset : byteOffset + gap.droppedBytes;
}

/**
 * Returns the byte offset in the content from which to continue at `cursor`.
 *
 * @throws {FdError} `invalid_parameter` for a number that no answer returned: beyond the end, or inside a char.
 */
export function byteOfCursor(content: OpenContent, cursor: number): number {
  const { gap } = content.entry;
  const offset = offsetOfCursor(content.entry, cursor);
  const into = bytesIntoChar(content, offset);
  if (into > 0 && (gap === undefined || cursor < gap.atByte)) {
    failCursor(cursor, "the cursor of an earlier answer; this byte is inside a character");
  }
  // Joining head and tail may have formed a new char.
  return offset - into;
}

/** Returns the byte offset of `cursor`, without regard to chars. Throws `invalid_parameter` for one beyond the end. */
export function offsetOfCursor(entry: FdEntry, cursor: number): number {
  const end = cursorAt(entry, entry.byteCount);
  if (!Number.isSafeInteger(cursor) || cursor < 0 || cursor > end) {
    failCursor(cursor, `the cursor of an earlier answer, 0 to ${end}`);
  }
  const { gap } = entry;
  return gap === undefined || cursor < gap.atByte ? cursor : Math.max(gap.atByte, cursor - gap.droppedBytes);
}

function failCursor(cursor: number, wanted: string): never {
  fail({ kind: "invalid_parameter", field: "since", got: String(cursor), wanted });
}

/** Returns how many bytes before `byteOffset` its char starts; 0 if it is the start of a char. */
function bytesIntoChar(content: OpenContent, byteOffset: number): number {
  const { entry, index } = content;
  let into = 0;
  while (byteOffset > into && byteOffset < entry.byteCount && !startsChar(byteOffset - into)) into++;
  return into;

  function startsChar(at: number): boolean {
    const block = Math.floor(at / BLOCK_BYTES);
    const within = at - block * BLOCK_BYTES;
    const first = index.at(block).leadIn;
    return within >= first && (within === first || leadIn(content.block(block), within, first) === 0);
  }
}
