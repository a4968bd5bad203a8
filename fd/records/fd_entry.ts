/**
 * All that is known of one fd.
 *
 * @module
 */

import type { SliceMode } from "../disk/errors.ts";
import type { Store } from "../store/open_store.ts";
import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import type { RecordLog } from "./record_log.ts";
import type { SealLine } from "./record_line.ts";
import type { Arrived } from "../index/scan_live.ts";
import { contentPath } from "../store/store_paths.ts";

/** What an fd is: growing, whole, or as much as ever came. Removed fds are answered with a failure. */
export type FdState = "sealed" | "live" | "incomplete";

/** All that is known of one fd. Counts of a live fd are those of the moment it was looked up. */
export interface FdEntry {
  /** N of `fd:N`, from 1. */
  id: number;
  /** Whether its content still grows, is whole, or is as much as ever came. */
  state: FdState;
  /** What the bytes are: `stdin`, `run`, `backup`, `extract` or what the caller said. */
  source: string;
  /** The command that wrote it, word by word. */
  command: string[] | undefined;
  /** Where that command ran. */
  cwd: string | undefined;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** When it came from another store; its age counts from then. */
  importedMs?: number | undefined;
  /** Bytes of content. */
  byteCount: number;
  /** Code points; each ill-formed sequence counts as one. */
  charCount: number;
  /** LF in it: the line count, or one less where the last line has none. */
  lineFeedCount: number;
  /** Lines; 0 of empty content. */
  lineCount: number;
  /** Pages; 1 of empty content. */
  pageCount: number;
  /** Chars a page. */
  pageSize: number;
  /** Hex, where somebody asked for it before. */
  sha256: string | undefined;
  /** Of the command, 0 to 255. */
  exitCode: number | undefined;
  /** What ended the command: `SIGTERM`. */
  signal: string | undefined;
  /** How long the command ran. */
  durationMs: number | undefined;
  /** What a cap cut out, and where the hole is. */
  gap: { atByte: number; droppedBytes: number } | undefined;
  /** Where an extracted fd was taken from. */
  parent: { id: number; mode: SliceMode; start: number; count: number } | undefined;
  /** The file that holds the content and nothing else. Read it, never write it. */
  contentPath: string;
  /** The block sum of all block sums (FORMAT.md); undefined while the fd is live. */
  sum: number | undefined;
  /** While it is live: what its index file does not say yet. */
  arrived?: Arrived | undefined;
}

/** What the record lines of fd `id`, which has ended, say of it; `path` is its content's, where that is known. */
export function describeFd(
  store: Store,
  id: number,
  { claim, digest }: Pick<RecordLog, "claim" | "digest">,
  seal: SealLine,
  path = contentPath(store.path, id),
): FdEntry {
  return {
    id,
    state: seal.ended === "whole" ? "sealed" : "incomplete",
    source: claim?.source ?? "unknown",
    command: claim?.command,
    cwd: claim?.cwd,
    createdMs: claim?.at ?? seal.at,
    importedMs: claim?.imported_at,
    byteCount: seal.bytes,
    charCount: seal.chars,
    lineFeedCount: seal.line_feeds,
    lineCount: seal.lines,
    pageCount: seal.pages,
    pageSize: claim?.page_size ?? DEFAULT_PAGE_SIZE,
    sha256: digest?.sha256,
    exitCode: seal.exit_code,
    signal: seal.signal,
    durationMs: seal.duration_ms,
    gap: seal.gap === undefined
      ? undefined
      : { atByte: seal.gap.at_byte, droppedBytes: seal.gap.dropped_bytes },
    parent: claim?.parent,
    contentPath: path,
    sum: seal.sum,
  };
}
