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
import type { Message } from "../../calls/terms/next_call.ts";
import { type LineEndStyle, styleOf, tallyLineEnds } from "../checks/line_ends.ts";
import { currentContent, type Target } from "./inspect_target.ts";

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
  if (store.shared === undefined || handle === undefined) return;
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

const STYLE_NAMES: Readonly<Record<LineEndStyle, string>> = {
  lf: "LF",
  crlf: "CRLF",
  cr: "CR",
  mixed: "mixed line ends",
  none: "no line ends",
};

/**
 * Checks the new text of a write, which messages call `what`: rewrite, edit, create and plan each do before they ask or write, so a
 * check that holds for all of them refuses here. Returns a note if the line ends differ from those of the file; it says how
 * to convert them if the caller could.
 */
export function checkNewText(
  target: Target,
  given: Iterable<Uint8Array>,
  what: string,
  { convertible } = { convertible: true },
): Message[] {
  const its = styleOf(tallyLineEnds(given));
  if (its === "none") return [];
  const own = styleOf(tallyLineEnds(currentContent(target)));
  if (own === its || own === "none") return [];
  const sentence = `Line ends: ${what} has ${STYLE_NAMES[its]}, the file had ${STYLE_NAMES[own]}`;
  if (!convertible || (own !== "lf" && own !== "crlf")) return [`${sentence}.`];
  return [[`${sentence}; use `, { parameter: "eol", value: own }, " to convert."]];
}
