/**
 * Outlines of content of a known kind, which the first answer shows instead of a digest: what it consists of, rather than
 * which of its lines matter.
 *
 * @module
 */

import type { ReadRequest } from "../requests/read_request.ts";

/** What some content consists of. */
export interface ContentOutline {
  /** The kind in a word or two: "json", "diff". */
  kind: string;
  /** The outline, as lines without line ends. */
  lines: readonly string[];
  /** The slice worth reading first, without the fd. */
  readOn?: Omit<ReadRequest, "fd"> | undefined;
}

/** Makes the outline of content that passes by once. */
export interface OutlineReader {
  /** Takes the next bytes, valid until it returns. Returns false if the content is of another kind: then it is not called again. */
  see(bytes: Uint8Array): boolean;
  /** Returns the outline of all that was seen; undefined if the content is of another kind after all. */
  end(): ContentOutline | undefined;
}

/** Starts the outline of content by its first bytes (4 KiB, or all of it); undefined if they are of no known kind. */
export function startOutline(_firstBytes: Uint8Array): OutlineReader | undefined {
  return undefined;
}

/** How many of the first bytes decide the kind. */
export const FIRST_BYTES = 4096;
