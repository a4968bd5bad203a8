/** Content that is outlined, and its outline as data. @module */

import type { ReadRequest } from "../requests/read_request.ts";

/** What some content consists of. */
export interface ContentOutline {
  /** The kind in a word or two: "JSON", "a diff". */
  kind: string;
  /** The outline, as lines without line ends. */
  lines: readonly string[];
  /** The slice worth reading first, without the fd. */
  readOn?: Omit<ReadRequest, "fd"> | undefined;
  /** The query worth asking first, instead of reading. */
  query?: string | undefined;
  /** Whether a digest is shown below: the outline does not cover all of the content. */
  withDigest?: boolean | undefined;
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
