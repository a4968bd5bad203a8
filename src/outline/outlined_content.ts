/** Content that is outlined, and its outline as data. */

import type { ReadRequest } from "../requests/read_request.ts";

/** A summary of the parts of some content. */
export interface ContentOutline {
  /** The kind in a word or two: "JSON", "a diff". */
  kind: string;
  /** The outline, as lines without line ends. */
  lines: readonly string[];
  /** The slice worth reading first, without the fd. */
  readOn?: Omit<ReadRequest, "fd"> | undefined;
  /** The query worth asking first, instead of reading. */
  query?: string | undefined;
  /** The name of a file to export the content to, instead of reading it. */
  exportTo?: string | undefined;
  /**
   * The part below: a digest, if the outline does not cover all of the content, or the lines with signs of failure
   * that it does not show itself.
   */
  below?: "digest" | "findings" | undefined;
  /** Lines that the outline shows, by number. */
  shownLines?: readonly number[] | undefined;
}

/** Content that is outlined. */
export interface OutlinedContent {
  byteCount: number;
  lineCount: number;
  /** The bytes from one offset up to another or the end, in pieces that are valid until the next one. */
  pieces(fromByte: number, toByte: number): Iterable<Uint8Array>;
  /** The same bytes in one piece. */
  read(fromByte: number, toByte: number): Uint8Array;
  /** The number of the line that a byte is in, from 1. */
  lineAt(byteOffset: number): number;
}
