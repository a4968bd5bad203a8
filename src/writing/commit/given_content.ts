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
import { refuse } from "../../../fd/system.ts";
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

/** A slice of the fd `handle`, fetched first if the store is shared; all of it without a range. */
export async function handleContent(
  store: Store,
  handle: string,
  range: RangeFields = {},
): Promise<GivenContent> {
  await prepareFd(store, handle);
  const entry = findFd(store, handle);
  const wanted = rangeOrAll(range);
  await prepareContent(store, entry, wanted);
  const slice = locateSlice(store, entry, wanted);
  return { ...readSlice(store, entry, slice), remark: withMissingRemark(entry, undefined, slice) };
}

/** The content that a request names: a slice of `fd` or, without one, the text of `field`. */
export async function requestedContent(
  store: Store,
  { fd, range, text, field }: {
    fd: string | undefined;
    range?: RangeFields;
    text: string | undefined;
    field: string;
  },
): Promise<GivenContent> {
  if (fd === undefined) return bytesSource(textBytes(text!, field));
  return await handleContent(store, fd, range);
}

/** The notes about partial contents, without duplicates. */
export function missingNotes(contents: readonly Pick<GivenContent, "remark">[]): string[] {
  return [...new Set(contents.flatMap(({ remark }) => remark ?? []))];
}
