/**
 * A cursor says how far an fd was read: how many bytes of what its writer sent lie before it. It holds for ever, also
 * where a cap later cuts the middle out of the content: what lies in the hole is gone, what follows it is still found.
 *
 * @module
 */

import { BLOCK_BYTES } from "../bytes/block_sum.ts";
import { fail } from "../disk/errors.ts";
import type { FdEntry } from "../records/fd_entry.ts";
import type { OpenContent } from "./open_content.ts";
import { leadIn } from "../bytes/utf8_chars.ts";

/** The cursor of one who has read the content up to `byteOffset`. */
export function cursorAt({ gap }: FdEntry, byteOffset: number): number {
  return gap === undefined || byteOffset <= gap.atByte ? byteOffset : byteOffset + gap.droppedBytes;
}

/**
 * Where in the content one goes on who has read up to `cursor`.
 *
 * @throws {FdError} `invalid_parameter` for a number that no answer gave: beyond the end, or inside a char.
 */
export function byteOfCursor(content: OpenContent, cursor: number): number {
  const { entry } = content;
  const end = cursorAt(entry, entry.byteCount);
  if (!Number.isSafeInteger(cursor) || cursor < 0 || cursor > end) {
    failCursor(cursor, `the cursor of an earlier answer, 0 to ${end}`);
  }
  const { gap } = entry;
  if (gap === undefined || cursor < gap.atByte) {
    if (bytesIntoChar(content, cursor) > 0) {
      failCursor(cursor, "the cursor of an earlier answer; this byte is inside a character");
    }
    return cursor;
  }
  const byteOffset = Math.max(gap.atByte, cursor - gap.droppedBytes);
  // Where head and tail were joined, a char may have come about that was none before.
  return byteOffset - bytesIntoChar(content, byteOffset);
}

function failCursor(cursor: number, wanted: string): never {
  fail({ kind: "invalid_parameter", field: "since", got: String(cursor), wanted });
}

/** How many bytes before `byteOffset` the char starts that goes on there; 0 where one starts. */
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
