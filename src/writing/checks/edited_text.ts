/**
 * Content that is being edited, in pieces of some kilobytes, so that an edit costs a piece and not the whole. Pieces
 * are views of the original until they are edited. After a few searches each piece has a rough set of its four-byte
 * sequences, and a search reads only the pieces that may match.
 */

import { byteSearch, countLineFeeds, joinBytes } from "../../../fd/system.ts";

/** The number of matches, and the offsets of the first ones. */
export interface Places {
  count: number;
  first: number[];
}

export interface PlaceRequest {
  /** Search at or after this byte (default 0). */
  fromByte?: number | undefined;
  /** Whether overlapping matches count: `aa` is in `aaa` twice. */
  overlapping: boolean;
  /** The number of offsets to return; other matches are only counted. */
  keep: number;
  /** Stop after this many. */
  most?: number | undefined;
}

/** Content that is edited in memory. Offsets are bytes of the current text. */
export type EditedText = ReturnType<typeof editedText>;

/** The size of a new piece; one that grows to twice this is split. */
const PIECE_BYTES = 16_384;
const MAX_PIECE_BYTES = 2 * PIECE_BYTES;
/** Smaller pieces are merged with a neighbour. */
const MIN_PIECE_BYTES = PIECE_BYTES / 4;

/** Building the sets pays after this many searches that read everything. */
const SEARCHES_BEFORE_GRAMS = 8;
const GRAM_BYTES = 4;
const GRAM_BITS = 16;
/** If more than this share of the pieces may match, all are read. */
const MAX_PICKED = 1 / 8;
/** The number of sequences of the sought text that are looked up. */
const MAX_GRAMS = 64;

const LF = 0x0a;

interface Piece {
  /** The piece is the first `length` bytes. */
  bytes: Uint8Array;
  length: number;
  /** Whether `bytes` is the piece's own memory and may be written. */
  isOwn: boolean;
  /** The number of LFs; -1 if not counted yet. */
  feedCount: number;
  /** A bit for each sum of four bytes that begin in the piece, possibly of some that were edited away. */
  grams: Uint32Array | undefined;
}

/** Makes an editable text of `content`, which must not change afterwards. */
export function editedText(content: Uint8Array) {
  let pieces = piecesOf(content);
  let byteCount = content.length;
  /** All bytes, if they are known to be one array. */
  let whole: Uint8Array | undefined = content;
  let searchCount = 0;
  let scratch = new Uint8Array(0);

  /** The piece with the byte at `offset`, and where the piece starts; the last piece for the end of the text. */
  function locate(offset: number): { index: number; start: number } {
    let start = 0;
    let index = 0;
    for (; index < pieces.length - 1; index++) {
      const { length } = pieces[index]!;
      if (offset < start + length) break;
      start += length;
    }
    return { index, start };
  }

  /** Replaces the bytes from `fromByte` to before `toByte` by `added`, which must not change afterwards. */
  function replace(fromByte: number, toByte: number, added: Uint8Array): void {
    if (fromByte === toByte && added.length === 0) return;
    whole = undefined;
    byteCount += added.length - (toByte - fromByte);
    const located = locate(fromByte);
    let { index } = located;
    const first = pieces[index]!;
    const offset = fromByte - located.start;
    const removedInFirst = Math.min(toByte - fromByte, first.length - offset);
    let removedBehind = toByte - fromByte - removedInFirst;
    if (first.length - removedInFirst + added.length <= MAX_PIECE_BYTES) {
      spliceWithin(first, offset, removedInFirst, added);
    } else {
      const before = cut(first, 0, offset);
      const behind = cut(first, offset + removedInFirst, first.length);
      const parts = [before, ...piecesOf(added), behind].filter((piece) => piece.length > 0);
      pieces.splice(index, 1, ...parts);
      index += parts.length - 1;
    }
    // The rest of the removed bytes is in the following pieces.
    let gone = 0;
    while (removedBehind > 0 && removedBehind >= pieces[index + 1 + gone]!.length) {
      removedBehind -= pieces[index + 1 + gone]!.length;
      gone++;
    }
    if (gone > 0) pieces.splice(index + 1, gone);
    if (removedBehind > 0) spliceWithin(pieces[index + 1]!, 0, removedBehind, new Uint8Array(0));
    joinCrumbs(index);
    noteGrams(fromByte, fromByte + added.length);
  }

  /** Merges the piece at `index` with its neighbours while one of them is small. */
  function joinCrumbs(index: number): void {
    for (let at = Math.max(0, index - 1); at <= index + 1 && at + 1 < pieces.length;) {
      const piece = pieces[at]!;
      const next = pieces[at + 1]!;
      const shorter = Math.min(piece.length, next.length);
      const isJoined = shorter === 0 ||
        shorter < MIN_PIECE_BYTES && piece.length + next.length <= PIECE_BYTES;
      if (!isJoined) at++;
      else {
        spliceWithin(piece, piece.length, 0, next.bytes.subarray(0, next.length));
        piece.grams = undefined;
        pieces.splice(at + 1, 1);
      }
    }
  }

  /** Adds the sums of four bytes that begin from `fromByte` to before `toByte`, or overlap `fromByte`. */
  function noteGrams(fromByte: number, toByte: number): void {
    if (searchCount <= SEARCHES_BEFORE_GRAMS) return;
    const begin = Math.max(0, fromByte - GRAM_BYTES + 1);
    let { index, start } = locate(begin);
    for (; index < pieces.length && start < toByte; index++) {
      const piece = pieces[index]!;
      if (piece.grams !== undefined) {
        addGrams(piece.grams, index, Math.max(0, begin - start), Math.min(piece.length, toByte - start));
      }
      start += piece.length;
    }
  }

  /** Adds the sums of four bytes that begin in the piece at `index`, from `from` to before `to`. */
  function addGrams(grams: Uint32Array, index: number, from: number, to: number): void {
    const { bytes, length } = pieces[index]!;
    const inside = Math.min(to, length - GRAM_BYTES + 1);
    if (from < inside) addInnerGrams(grams, bytes, from, inside);
    for (let at = Math.max(from, inside, 0); at < to; at++) {
      let gram = 0;
      let of = index;
      let offset = at;
      let taken = 0;
      for (; taken < GRAM_BYTES; taken++, offset++) {
        while (of < pieces.length && offset >= pieces[of]!.length) {
          offset -= pieces[of]!.length;
          of++;
        }
        if (of === pieces.length) break;
        gram = gram << 8 | pieces[of]!.bytes[offset]!;
      }
      if (taken === GRAM_BYTES) mark(grams, sumOf(gram));
    }
  }

  function gramsOf(index: number): Uint32Array {
    const piece = pieces[index]!;
    if (piece.grams === undefined) {
      piece.grams = new Uint32Array(2 ** GRAM_BITS / 32);
      addGrams(piece.grams, index, 0, piece.length);
    }
    return piece.grams;
  }

  /** Whether a match of `length` bytes with these sums may begin in the piece at `index`. */
  function mayBegin(index: number, sums: readonly number[], length: number): boolean {
    const grams = sums.length === 0 ? undefined : gramsOf(index);
    if (grams === undefined) return true;
    for (const [order, sum] of sums.entries()) {
      if (isMarked(grams, sum)) continue;
      if (order === 0) return false;
      // All but the first may begin in a later piece.
      let isBehind = false;
      for (let of = index + 1, reach = 0; !isBehind && of < pieces.length && reach < length; of++) {
        isBehind = isMarked(gramsOf(of), sum);
        reach += pieces[of]!.length;
      }
      if (!isBehind) return false;
    }
    return true;
  }

  /** Finds `sought`, which must not be empty. */
  function places(
    sought: Uint8Array,
    { fromByte = 0, overlapping, keep, most = Infinity }: PlaceRequest,
  ): Places {
    const found: Places = { count: 0, first: [] };
    const sums = ++searchCount > SEARCHES_BEFORE_GRAMS ? sumsIn(sought) : [];
    const search = byteSearch(sought);
    let { index, start } = locate(fromByte);
    for (let from = fromByte - start; index < pieces.length; index++, from = 0) {
      const { bytes, length } = pieces[index]!;
      // No match begins here, but an earlier one may end here.
      const isOnlyEnd = !mayBegin(index, sums, sought.length);
      const to = !isOnlyEnd ? length : search.pendingCount === 0 ? 0 : Math.min(length, sought.length - 1);
      for (let at = search.next(bytes, from, to); at !== -1; at = search.next(bytes, at, to)) {
        found.count++;
        if (found.first.length < keep) found.first.push(start + at - sought.length);
        if (found.count >= most) return found;
        if (!overlapping) search.forget();
      }
      // No match begins in this piece.
      if (isOnlyEnd && search.pendingCount <= to) search.forget();
      start += length;
    }
    return found;
  }

  /** Runs of whole lines, in order, that include every line with `required`. Each is valid until the next. */
  function* linesWith(required: Uint8Array): Iterable<{ fromByte: number; bytes: Uint8Array }> {
    const sums = required.length > 0 && ++searchCount > SEARCHES_BEFORE_GRAMS ? sumsIn(required) : [];
    const may = pieces.map((_, index) => mayBegin(index, sums, required.length));
    if (may.filter(Boolean).length > pieces.length * MAX_PICKED) {
      return yield { fromByte: 0, bytes: readThrough() };
    }
    let taken = 0;
    let start = 0;
    for (const [index, { length }] of pieces.entries()) {
      const pieceStart = start;
      start += length;
      // The run was extended to the end of a line.
      if (!may[index]! || start <= taken) continue;
      const fromByte = Math.max(taken, lineStart(pieceStart));
      const feed = nextFeed(start - 1);
      taken = feed === -1 ? byteCount : feed + 1;
      yield { fromByte, bytes: slice(fromByte, taken) };
    }
  }

  /** All bytes, valid until the next call. */
  function readThrough(): Uint8Array {
    if (whole !== undefined) return whole;
    if (scratch.length < byteCount) scratch = new Uint8Array(2 * byteCount);
    let at = 0;
    for (const { bytes, length } of pieces) {
      scratch.set(bytes.subarray(0, length), at);
      at += length;
    }
    return scratch.subarray(0, byteCount);
  }

  /** The first LF at or after `offset`; -1 if there is none. */
  function nextFeed(offset: number): number {
    let { index, start } = locate(offset);
    for (let from = offset - start; index < pieces.length; index++, from = 0) {
      const piece = pieces[index]!;
      if (feedsIn(piece) > 0) {
        const feed = piece.bytes.subarray(0, piece.length).indexOf(LF, from);
        if (feed !== -1) return start + feed;
      }
      start += piece.length;
    }
    return -1;
  }

  /** The start of the line that `offset` is in. */
  function lineStart(offset: number): number {
    let { index, start } = locate(offset);
    for (let to = offset - start; index >= 0; to = pieces[index]?.length ?? 0) {
      const piece = pieces[index]!;
      const feed = feedsIn(piece) === 0 ? -1 : piece.bytes.subarray(0, to).lastIndexOf(LF);
      if (feed !== -1) return start + feed + 1;
      index--;
      start -= pieces[index]?.length ?? 0;
    }
    return 0;
  }

  /** The number of LFs before `offset`. */
  function feedsBefore(offset: number): number {
    const { index, start } = locate(offset);
    let feedCount = 0;
    for (let before = 0; before < index; before++) feedCount += feedsIn(pieces[before]!);
    return feedCount + countLineFeeds(pieces[index]!.bytes.subarray(0, offset - start));
  }

  /** Copies a range. */
  function slice(fromByte: number, toByte: number): Uint8Array {
    const taken = new Uint8Array(Math.max(0, toByte - fromByte));
    let { index, start } = locate(fromByte);
    for (let at = 0; at < taken.length; index++) {
      const { bytes, length } = pieces[index]!;
      const from = fromByte + at - start;
      const count = Math.min(length - from, taken.length - at);
      taken.set(bytes.subarray(from, from + count), at);
      at += count;
      start += length;
    }
    return taken;
  }

  /** All bytes. The caller must not modify them. */
  function bytes(): Uint8Array {
    whole ??= joinBytes(pieces.map((piece) => piece.bytes.subarray(0, piece.length)));
    return whole;
  }

  return {
    get byteCount(): number {
      return byteCount;
    },
    replace,
    /** Replaces everything by `content`, which must not change afterwards. */
    replaceWhole(content: Uint8Array): void {
      pieces = piecesOf(content);
      byteCount = content.length;
      whole = content;
    },
    places,
    linesWith,
    nextFeed,
    lineStart,
    feedsBefore,
    slice,
    bytes,
  };
}

/** `content` as pieces that are views of it; one empty piece if it is empty. */
function piecesOf(content: Uint8Array): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < content.length || at === 0; at += PIECE_BYTES) {
    const bytes = content.subarray(at, at + PIECE_BYTES);
    pieces.push({ bytes, length: bytes.length, isOwn: false, feedCount: -1, grams: undefined });
  }
  return pieces;
}

/** A part of `piece` that shares its memory: `piece` must not be used again. */
function cut(piece: Piece, from: number, to: number): Piece {
  const bytes = piece.bytes.subarray(from, to);
  return { bytes, length: bytes.length, isOwn: false, feedCount: -1, grams: undefined };
}

function feedsIn(piece: Piece): number {
  if (piece.feedCount === -1) piece.feedCount = countLineFeeds(piece.bytes.subarray(0, piece.length));
  return piece.feedCount;
}

/** Replaces `removedCount` bytes at `offset` in the piece's own memory. The piece must not become too large. */
function spliceWithin(piece: Piece, offset: number, removedCount: number, added: Uint8Array): void {
  const { bytes, length } = piece;
  const removedEnd = offset + removedCount;
  if (piece.feedCount !== -1) {
    piece.feedCount += countLineFeeds(added) - countLineFeeds(bytes.subarray(offset, removedEnd));
  }
  const needed = length - removedCount + added.length;
  if (piece.isOwn && needed <= bytes.length) bytes.copyWithin(offset + added.length, removedEnd, length);
  else {
    const roomy = new Uint8Array(Math.min(MAX_PIECE_BYTES, Math.max(2 * needed, 64)));
    roomy.set(bytes.subarray(0, offset));
    roomy.set(bytes.subarray(removedEnd, length), offset + added.length);
    piece.bytes = roomy;
    piece.isOwn = true;
  }
  piece.bytes.set(added, offset);
  piece.length = needed;
}

/** The sums of `sought`, that of its first four bytes first; empty if it is shorter. */
function sumsIn(sought: Uint8Array): number[] {
  const last = sought.length - GRAM_BYTES;
  if (last < 0) return [];
  const count = Math.min(MAX_GRAMS, last + 1);
  return Array.from({ length: count }, (_, number) => {
    const at = count === 1 ? 0 : Math.floor(number * last / (count - 1));
    return sumOf(sought[at]! << 24 | sought[at + 1]! << 16 | sought[at + 2]! << 8 | sought[at + 3]!);
  });
}

function sumOf(gram: number): number {
  return Math.imul(gram, 0x9e3779b1) >>> (32 - GRAM_BITS);
}

function mark(grams: Uint32Array, sum: number): void {
  grams[sum >>> 5]! |= 1 << (sum & 31);
}

function isMarked(grams: Uint32Array, sum: number): boolean {
  return (grams[sum >>> 5]! & 1 << (sum & 31)) !== 0;
}

/** Adds the sums of the four bytes that begin from `from` to before `to`, all within `bytes`. */
function addInnerGrams(grams: Uint32Array, bytes: Uint8Array, from: number, to: number): void {
  let gram = bytes[from]! << 16 | bytes[from + 1]! << 8 | bytes[from + 2]!;
  for (let at = from; at < to; at++) {
    gram = gram << 8 | bytes[at + 3]!;
    mark(grams, sumOf(gram));
  }
}
