/**
 * New content: text, a file, or an fd with an optional range. From an fd it need not pass through a model's arguments
 * or fit in memory.
 */

import {
  type ByteSource,
  type FdEntry,
  findFd,
  locateSlice,
  readSlice,
  type Slice,
  type Store,
} from "../../../fd/mod.ts";
import { fail } from "../../../fd/system.ts";
import { type RangeFields, rangeOrAll } from "../../requests/requested_slice.ts";
import { withMissingRemark } from "../../answering/missing_remark.ts";
import { convertLineEnds, type Eol } from "../checks/line_ends.ts";

/** Content that may be from an fd. */
export interface GivenContent extends ByteSource {
  /** A note about partial content of the fd. */
  readonly remark?: string | undefined;
}

/** No runtime writes or sums 2 GiB at once. */
const PIECE_BYTES = 65_536;

export function bytesSource(bytes: Uint8Array): ByteSource & { bytes: Uint8Array } {
  return {
    byteLength: bytes.length,
    bytes,
    *chunks() {
      for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
        yield bytes.subarray(from, from + PIECE_BYTES);
      }
    },
  };
}

/**
 * Text as a source. A lone surrogate, which JSON can carry, cannot be encoded.
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
      wanted: "valid Unicode text",
    });
  }
  return new TextEncoder().encode(text);
}

/** A slice of an fd; all of it without a range. */
export function handleSlice(
  store: Store,
  handle: string,
  range: RangeFields,
): { entry: FdEntry; slice: Slice; content: GivenContent } {
  const entry = findFd(store, handle);
  const slice = locateSlice(store, entry, rangeOrAll(range));
  const remark = withMissingRemark(entry, undefined, slice);
  return { entry, slice, content: { ...readSlice(store, entry, slice), remark } };
}

/** The notes about partial contents, without duplicates. */
export function missingNotes(contents: readonly Pick<GivenContent, "remark">[]): string[] {
  return [...new Set(contents.flatMap(({ remark }) => remark ?? []))];
}

/** The content with its line ends converted. */
export function withLineEnds(content: ByteSource, eol: Eol): ByteSource {
  return eol === "keep" ? content : bytesSource(convertLineEnds(gatherBytes(content.chunks()), eol));
}

/**
 * Joins pieces, each of which may be overwritten once the next is asked for. If `byteCount`, an estimate, is right,
 * no byte is copied twice.
 */
export function gatherBytes(chunks: Iterable<Uint8Array>, byteCount = 0): Uint8Array {
  let gathered = new Uint8Array(byteCount);
  let length = 0;
  for (const chunk of chunks) {
    if (length + chunk.length > gathered.length) {
      const wider = new Uint8Array(Math.max(length + chunk.length, 2 * length));
      wider.set(gathered.subarray(0, length));
      gathered = wider;
    }
    gathered.set(chunk, length);
    length += chunk.length;
  }
  return gathered.subarray(0, length);
}
