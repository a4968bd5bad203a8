/**
 * New content as callers bring it: as text, by handle with an optional range, or from a file. By handle it need not pass
 * through a model's arguments, and is never all in memory.
 *
 * @module
 */

import {
  type ByteSource,
  fail,
  type FdEntry,
  findFd,
  locateSlice,
  readSlice,
  type Slice,
  type Store,
} from "../../fd/mod.ts";
import { withMissingRemark } from "../missing_remark.ts";
import { convertLineEnds } from "./line_ends.ts";
import { gatherBytes } from "./gather_bytes.ts";

/** Line ends are kept as given, or converted. */
export type Eol = "keep" | "lf" | "crlf";

/** Content that may have come by handle. */
export interface GivenContent extends ByteSource {
  /** What the fd lacks that it came from, in words; undefined where it lacks nothing. */
  readonly remark?: string | undefined;
}

/** A range of an fd as requests write it, in one unit. */
export interface HandleRange {
  lines?: string | undefined;
  pages?: string | undefined;
  chars?: string | undefined;
}

/** Pieces in which bytes are handed on: no runtime writes or sums 2 GiB at once. */
const PIECE_BYTES = 65_536;

/** Bytes as a source. */
export function bytesSource(bytes: Uint8Array): ByteSource {
  return { byteLength: bytes.length, chunks: () => piecesOf(bytes) };
}

function* piecesOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES);
}

/**
 * Text as a source. A lone surrogate, which JSON can carry, has no UTF-8.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function textSource(text: string, field: string): ByteSource {
  return bytesSource(textBytes(text, field));
}

/** Text as UTF-8; see {@link textSource}. */
export function textBytes(text: string, field: string): Uint8Array {
  if (!text.isWellFormed()) {
    fail({
      kind: "invalid_parameter",
      field,
      got: "a lone surrogate",
      wanted: "text that can be written as UTF-8",
    });
  }
  return new TextEncoder().encode(text);
}

/** A slice of an fd by its handle: the whole of it without a range. */
export function handleSlice(
  store: Store,
  handle: string,
  range: HandleRange,
): { entry: FdEntry; slice: Slice; content: GivenContent } {
  const entry = findFd(store, handle);
  const slice = locateSlice(store, entry, rangeRequest(range));
  const remark = withMissingRemark(entry, undefined, slice);
  return { entry, slice, content: { ...readSlice(store, entry, slice), remark } };
}

/** What the fds lack that contents came from: each of it once. */
export function missingNotes(contents: readonly Pick<GivenContent, "remark">[]): string[] {
  return [...new Set(contents.flatMap(({ remark }) => remark ?? []))];
}

const RANGE_UNITS = [["lines", "line"], ["pages", "page"], ["chars", "char"]] as const;

function rangeRequest(range: HandleRange): Parameters<typeof locateSlice>[2] {
  const given = RANGE_UNITS.filter(([name]) => range[name] !== undefined);
  const [first, second] = given;
  if (first === undefined) return { all: true };
  if (second !== undefined) {
    fail({
      kind: "invalid_parameter",
      field: second[0],
      got: String(range[second[0]]),
      wanted: "one range only",
    });
  }
  const [name, mode] = first;
  const written = range[name]!;
  const match = /^([0-9]{1,15})(?:-([0-9]{0,15}))?$/.exec(written.trim());
  const start = Number(match?.[1]);
  const last = match?.[2] === undefined
    ? start
    : match[2] === ""
    ? Number.MAX_SAFE_INTEGER
    : Number(match[2]);
  if (match === null || last < start) {
    fail({ kind: "invalid_parameter", field: name, got: written, wanted: "A-B, A- (to the end) or A" });
  }
  return { mode, start, count: Math.min(last - start + 1, Number.MAX_SAFE_INTEGER) };
}

/** The content with its line ends as wanted. */
export function withLineEnds(content: ByteSource, eol: Eol): ByteSource {
  return eol === "keep" ? content : bytesSource(convertLineEnds(gatherBytes(content.chunks()), eol));
}
