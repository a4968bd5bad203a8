/**
 * Watches long content while it is stored, and notes where lines with signs of failure are: a few of each kind, the first
 * ones and the last. Memory and notes are bounded, and depend only on the content, not on the pieces in which it arrives.
 */

import { cleanBytes, needsCleaning, nodeBuffer } from "../../fd/system.ts";
import { judgeLine, SIGN_HASHES } from "./failure_signs.ts";
import { BYTES_AFTER, startHunt, type StemHunt } from "./hunt_stems.ts";
import { kindOf, newLineScan, scanLine } from "./scan_line.ts";

/** Lines of one kind that have a sign. */
export interface NotedKind {
  kind: number;
  count: number;
  strength: number;
  sign: number;
  /** Byte offsets in the content, in the line: of the first few, and of the last. */
  firstAt: number[];
  lastAt: number;
}

/** The notes on the whole content. */
export interface Notes {
  /** Bytes that were seen. */
  byteCount: number;
  kinds: NotedKind[];
}

/** Sees content go by. */
export type ContentWatcher = ReturnType<typeof watchContent>;

/** The beginning is studied line by line afterwards, so the watcher passes over it. */
export const STUDIED_START_BYTES = 131_072;

const WINDOW_BYTES = 65_536;
/** The most bytes of a line that are read before and after its sign. */
const REACH_BYTES = 2048;
const HISTORY_BYTES = 3 * REACH_BYTES;
const LINE_FEED = 0x0a;

const MAX_KINDS = 2048;
const MAX_FIRST = 3;
/** The first lines, all of which are judged. After them, one of `JUDGED_OF` is. */
const JUDGED_LINES = 30_000;
const JUDGED_OF = 64;
/** After this many signs with the same bytes around them, further ones are only counted. */
const MAX_OF_SURROUNDINGS = 24;
const SURROUNDINGS = 4096;

/** Starts to watch content from its start. */
export function watchContent() {
  const hunt = startHunt();
  const { bytes } = hunt;
  bytes.fill(LINE_FEED, 0, HISTORY_BYTES);
  const notes = startNotes(hunt);
  /** The offset of the window in the content, and the number of bytes in the window. */
  let windowAt = 0;
  let filled = 0;

  function flush(isLast: boolean): void {
    const end = HISTORY_BYTES + filled;
    const from = Math.max(HISTORY_BYTES - REACH_BYTES, HISTORY_BYTES - windowAt);
    const to = isLast ? end : end - REACH_BYTES;
    if (isLast) bytes.fill(LINE_FEED, end, end + BYTES_AFTER);
    if (windowAt + filled > STUDIED_START_BYTES) notes.take(from, to, end, windowAt - HISTORY_BYTES);
    bytes.copyWithin(0, filled, end);
    windowAt += filled;
    filled = 0;
  }

  return {
    /** Takes the next bytes, which are valid until it returns. */
    see(seen: Uint8Array): void {
      for (let at = 0; at < seen.length;) {
        const length = Math.min(WINDOW_BYTES - filled, seen.length - at);
        bytes.set(length === seen.length ? seen : seen.subarray(at, at + length), HISTORY_BYTES + filled);
        filled += length;
        at += length;
        if (filled === WINDOW_BYTES) flush(false);
      }
    },
    end(): Notes {
      const byteCount = windowAt + filled;
      flush(true);
      return { byteCount, kinds: notes.kinds() };
    },
  };
}

/** Starts to note signs that `hunt` finds. */
function startNotes(hunt: StemHunt) {
  const { bytes, found } = hunt;
  const scan = newLineScan();
  const known = new Map<number, NotedKind>();
  const surroundings = new Int32Array(SURROUNDINGS);
  const surroundingCounts = new Int32Array(SURROUNDINGS);
  const surroundingKinds: (NotedKind | undefined)[] = [];
  let judgedLines = 0;
  let skippedLines = 0;
  let lineEndAt = 0;

  /** Counts a sign whose surroundings were seen often, and returns -1; else returns the slot of its surroundings. */
  function freshSlot(at: number, place: number): number {
    const key = surroundingsOf(bytes, at);
    const slot = key & SURROUNDINGS - 1;
    if (surroundings[slot] !== key) {
      surroundings[slot] = key;
      surroundingCounts[slot] = 0;
      surroundingKinds[slot] = undefined;
    }
    if (++surroundingCounts[slot]! <= MAX_OF_SURROUNDINGS) return slot;
    const noted = surroundingKinds[slot];
    if (noted !== undefined) {
      noted.count++;
      noted.lastAt = place;
    }
    return -1;
  }

  function note(at: number, end: number, offset: number): NotedKind | undefined {
    let from = at;
    while (from > at - REACH_BYTES && bytes[from - 1] !== LINE_FEED) from--;
    let to = at;
    while (to < end && to < at + REACH_BYTES && bytes[to] !== LINE_FEED) to++;
    lineEndAt = to + offset;
    const stored = bytes.subarray(from, to);
    const line = needsCleaning(stored) ? cleanBytes(stored) : stored;
    scanLine(line, 0, line.length, SIGN_HASHES, scan);
    const { strength, sign } = judgeLine(latin1(line), 0, line.length, scan);
    const kind = kindOf(line, 0, line.length, scan);
    let noted = known.get(kind);
    if (noted === undefined) {
      if (known.size === MAX_KINDS && !forgetWeakest(known, strength)) return undefined;
      noted = { kind, count: 0, strength, sign, firstAt: [], lastAt: 0 };
      known.set(kind, noted);
    }
    noted.count++;
    noted.strength = Math.max(noted.strength, strength);
    if (noted.firstAt.length < MAX_FIRST) noted.firstAt.push(at + offset);
    noted.lastAt = at + offset;
    return noted;
  }

  return {
    /** Notes signs from address `from` up to `to`; valid bytes end at `end`. `offset` makes addresses places in the content. */
    take(from: number, to: number, end: number, offset: number): void {
      const count = hunt.hunt(from, to);
      for (let index = 0; index < count; index++) {
        const at = found[index]!;
        if (at + offset < lineEndAt) continue;
        const slot = freshSlot(at, at + offset);
        if (slot < 0) continue;
        if (judgedLines >= JUDGED_LINES && ++skippedLines % JUDGED_OF !== 0) continue;
        judgedLines++;
        surroundingKinds[slot] = note(at, end, offset);
      }
    },
    kinds: (): NotedKind[] => [...known.values()].filter(({ strength }) => strength > 0),
  };
}

function latin1(bytes: Uint8Array): string {
  return nodeBuffer().Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

/** Makes room among the kinds for one of `strength`. Returns whether there is any. */
function forgetWeakest(known: Map<number, NotedKind>, strength: number): boolean {
  let weakest: NotedKind | undefined;
  for (const noted of known.values()) {
    if (weakest === undefined || noted.strength < weakest.strength) weakest = noted;
  }
  if (weakest === undefined || weakest.strength >= strength) return false;
  known.delete(weakest.kind);
  return true;
}

/** A hash of the bytes around an address, in which all digits are alike. */
function surroundingsOf(bytes: Uint8Array, at: number): number {
  let hash = 0x811c9dc5 | 0;
  for (let each = at - 6; each < at + 14; each++) {
    const byte = bytes[each]!;
    if (byte === LINE_FEED && each > at) break;
    hash = Math.imul(hash ^ (byte >= 0x30 && byte <= 0x39 ? 0x30 : byte), 0x01000193);
  }
  return hash ^ hash >>> 15;
}
