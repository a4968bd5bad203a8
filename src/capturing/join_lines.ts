/**
 * Joins two streams in one record so that neither splits a line of the other: a line waits until all of it has come. No
 * byte is added or lost.
 */

const LF = 0x0a;

/** So much of a line waits for its end, and so much of one stream for the end of the other's line. */
const MAX_WAITING_BYTES = 1_048_576;

interface Waiting {
  pieces: Uint8Array[];
  byteCount: number;
  /** Whether there are whole lines among them, which wait for the other stream. */
  isBlocked: boolean;
}

/** Calls `take` with the bytes of a stream as they go into the record. */
export function joinLines(take: (stream: number, bytes: Uint8Array) => void) {
  const all = new Map<number, Waiting>();
  /** The stream that is in the middle of a line in the record. */
  let open: number | undefined;
  const waitingOf = (stream: number): Waiting => {
    const waiting = all.get(stream) ?? { pieces: [], byteCount: 0, isBlocked: false };
    all.set(stream, waiting);
    return waiting;
  };
  const pass = (stream: number, bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    take(stream, bytes);
    open = bytes[bytes.length - 1] === LF ? undefined : stream;
  };
  const release = (stream: number): Uint8Array[] => {
    const waiting = waitingOf(stream);
    waiting.byteCount = 0;
    waiting.isBlocked = false;
    return waiting.pieces.splice(0);
  };
  const wait = (stream: number, bytes: Uint8Array): void => {
    if (bytes.length === 0) return;
    const waiting = waitingOf(stream);
    waiting.pieces.push(bytes.slice());
    waiting.byteCount += bytes.length;
  };
  const add = (stream: number, bytes: Uint8Array): void => {
    const waiting = waitingOf(stream);
    const mayWait = waiting.byteCount + bytes.length <= MAX_WAITING_BYTES;
    if (open !== undefined && open !== stream && mayWait) {
      waiting.isBlocked = true;
      return wait(stream, bytes);
    }
    const end = bytes.lastIndexOf(LF) + 1;
    if (end === 0 && open !== stream && mayWait) return wait(stream, bytes);
    for (const piece of release(stream)) pass(stream, piece);
    pass(stream, bytes.subarray(0, end === 0 ? bytes.length : end));
    if (end > 0) wait(stream, bytes.subarray(end));
    if (open !== undefined) return;
    for (const [other, { isBlocked }] of all) {
      if (isBlocked) { for (const piece of release(other)) add(other, piece); }
    }
  };
  return {
    add,
    /** Passes on all that waits, first the rest of an open line. */
    flush(): void {
      const before = open;
      const streams = [...all.keys()].sort((a, b) => Number(b === before) - Number(a === before));
      for (const stream of streams) for (const piece of release(stream)) pass(stream, piece);
    },
  };
}
