/**
 * New content: text, a file, or an fd with an optional range. From an fd it need not pass through a model's arguments
 * or fit in memory.
 */

import {
  type ByteSource,
  bytesSource,
  findFd,
  locateSlice,
  prepareContent,
  prepareFd,
  readSlice,
  type Store,
} from "../../../fd/mod.ts";
import { FdError, refuse } from "../../../fd/system.ts";
import { type RangeFields, rangeOrAll } from "../../calls/requests/requested_slice.ts";
import { withMissingRemark } from "../../answers/parts/missing_remark.ts";

/** Content that may be from an fd. */
export interface GivenContent extends ByteSource {
  /** A note about partial content of the fd. */
  readonly remark?: string | undefined;
}

/**
 * Text as UTF-8. A lone surrogate, which JSON can carry, cannot be encoded.
 *
 * @throws {FdError} `invalid_parameter`.
 */
export function textBytes(text: string, field: string): Uint8Array {
  if (!text.isWellFormed()) refuse(field, "a lone surrogate", "valid Unicode text");
  return new TextEncoder().encode(text);
}

/** Gets what {@link handleContent} reads, if the store is shared. A wrong handle or range is left to it. */
export async function prepareHandle(
  store: Store,
  handle: string | undefined,
  range: RangeFields = {},
): Promise<void> {
  if (handle === undefined) return;
  await prepareFd(store, handle);
  try {
    await prepareContent(store, findFd(store, handle), rangeOrAll(range));
  } catch (thrown) {
    if (thrown instanceof FdError && UNPREPARED.includes(thrown.failure.kind)) throw thrown;
  }
}

/** Failures of preparing that reading would take for damage. */
const UNPREPARED: readonly FdError["failure"]["kind"][] = [
  "store_unreachable",
  "store_denied",
  "storage_full",
];

/** A slice of the fd `handle`; all of it without a range. */
export function handleContent(store: Store, handle: string, range: RangeFields = {}): GivenContent {
  const entry = findFd(store, handle);
  const slice = locateSlice(store, entry, rangeOrAll(range));
  return { ...readSlice(store, entry, slice), remark: withMissingRemark(entry, undefined, slice) };
}

/** The content that a request names: a slice of the fd `handle` or, without one, the text of `field`. */
export function requestedContent(
  store: Store,
  handle: string | undefined,
  range: RangeFields,
  text: string | undefined,
  field: string,
): GivenContent {
  return handle === undefined ? bytesSource(textBytes(text!, field)) : handleContent(store, handle, range);
}

/** The notes about partial contents, without duplicates. */
export function missingNotes(contents: readonly Pick<GivenContent, "remark">[]): string[] {
  return [...new Set(contents.flatMap(({ remark }) => remark ?? []))];
}
