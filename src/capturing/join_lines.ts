/**
 * Joins two streams in one record so that neither splits a line of the other: a line waits until all of it has come. No
 * byte is added or lost.
 */

const LF = 0x0a;
const NOTHING = new Uint8Array(0);

/** So much of a line waits for its end, and so much of one stream for the end of the other's line. */
const MAX_WAITING_BYTES = 262_144;

/** Calls `take` with the bytes of a stream as they go into the record. */
export function joinLines(take: (stream: number, bytes: Uint8Array) => void) {
  const waiting = new Map<number, Uint8Array>();
  /** The stream that is in the middle of a line in the record. */
  let open: number | undefined;
  const add = (stream: number, bytes: Uint8Array, isFlushed = false): void => {
    const before = waiting.get(stream) ?? NOTHING;
    const all = before.length === 0 ? bytes : Buffer.concat([before, bytes]);
    const isBlocked = open !== undefined && open !== stream;
    let end = isBlocked ? 0 : all.lastIndexOf(LF) + 1;
    if (isFlushed || all.length > MAX_WAITING_BYTES || end === 0 && open === stream) end = all.length;
    waiting.set(stream, all.slice(end));
    if (end === 0) return;
    take(stream, all.subarray(0, end));
    open = all[end - 1] === LF ? undefined : stream;
    if (open !== undefined) return;
    for (const [other, { length }] of waiting) if (other !== stream && length > 0) add(other, NOTHING);
  };
  return {
    add,
    /** Passes on all that waits, first the rest of an open line. */
    flush(): void {
      for (const stream of [...open === undefined ? [] : [open], ...waiting.keys()]) {
        add(stream, NOTHING, true);
      }
    },
  };
}
