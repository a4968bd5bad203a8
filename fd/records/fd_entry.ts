import { refuse } from "../disk/errors.ts";
import { DEFAULT_PAGE_SIZE } from "../bytes/page_rule.ts";
import type { SliceMode } from "../failures.ts";
import type { Arrived, BlockEntry } from "../index/block_entries.ts";
import type { ContentInRecord } from "./object_record.ts";
import { type ClaimLine, type DigestLine, momentNow, type SealLine } from "./record_line.ts";
import { formatFd } from "../store/fd_id.ts";
import type { Elsewhere } from "../store/backend.ts";
import type { Store } from "../store/open_store.ts";
import { contentPath } from "../store/store_paths.ts";
import type { ScanTotals } from "../index/scan_text.ts";

/** State of an fd: growing, complete, or truncated by its writer's end. Looking up a removed fd fails instead. */
export type FdState = "sealed" | "live" | "incomplete";

/** Everything known about an fd. Counts of a live fd are those at the time of the look-up. */
export interface FdEntry {
  /** N of `fd:N`, from 1. */
  id: number;
  /** A removed fd has no entry. */
  state: FdState;
  /** Origin of the bytes: `stdin`, `run`, `backup`, `extract` or a name given by the caller. */
  source: string;
  /** The command that wrote it, as a list of words. */
  command: string[] | undefined;
  /** The command's working directory. */
  cwd: string | undefined;
  /** Milliseconds since 1970. */
  createdMs: number;
  /** When it was imported from another store; its age counts from then. */
  importedMs?: number | undefined;
  /** The fd of the last run of the same command in the same directory, which may be removed by now. */
  before?: number | undefined;
  /** The host that stored it in a shared store; undefined in a local one. */
  host?: string | undefined;
  /** Bytes of content. */
  byteCount: number;
  /** Code points; each ill-formed sequence counts as one. */
  charCount: number;
  /** Number of LF: the line count, or one less if the last line has no LF. */
  lineFeedCount: number;
  /** Lines; 0 if the content is empty. */
  lineCount: number;
  /** Pages; 1 if the content is empty. */
  pageCount: number;
  /** Page size in chars. */
  pageSize: number;
  /** In hex; absent until first computed. */
  sha256: string | undefined;
  /** Exit code of the command, 0 to 255. */
  exitCode: number | undefined;
  /** The signal that ended the command: `SIGTERM`. */
  signal: string | undefined;
  /** Run time of the command. */
  durationMs: number | undefined;
  /** The part dropped by a size limit. */
  gap: { atByte: number; droppedBytes: number } | undefined;
  /** The slice this fd was extracted from. */
  parent: { id: number; mode: SliceMode; start: number; count: number } | undefined;
  /** The file with the content and nothing else, unless it is packed or in the record. Never write to it. */
  contentPath: string;
  /** Set if the content is in the file of the record. */
  inRecord?: ContentInRecord | undefined;
  /** The block sum of all block sums (FORMAT.md); undefined while the fd is live. */
  sum: number | undefined;
  /** For a live fd of a shared store that another host writes. */
  elsewhere?: Elsewhere | undefined;
  /** The text of content in UTF-16 (`decoded_entry.ts`): counts, lines and pages are those of the text. */
  decoded?: {
    encoding: "utf-16le" | "utf-16be";
    bytes: Uint8Array;
    blocks: readonly BlockEntry[];
    /** The entry of the content as it is stored. */
    stored: FdEntry;
  } | undefined;
  /** For a live fd, the content that its index file does not cover yet. */
  arrived?: Arrived | undefined;
}

/** A removed fd. `sha256` is undefined if the content could not be read. */
export interface Removal {
  /** N of `fd:N`. */
  id: number;
  /** Origin of the bytes. */
  source: string;
  /** The command that wrote it, to get it again. */
  command: string[] | undefined;
  /** Bytes of content. */
  byteCount: number;
  /** Of the content, in hex. */
  sha256: string | undefined;
  /** Reason given by the caller. */
  why: string;
}

/** The part of a log that is needed here. */
interface Described {
  claim: ClaimLine | undefined;
  digest: DigestLine | undefined;
  object: { inRecord: ContentInRecord } | undefined;
}

/** Builds the entry of fd `id`, which has ended, from its record lines. */
export function describeFd(
  store: Store,
  id: number,
  { claim, digest, object }: Described,
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
    before: claim?.before,
    host: claim?.host,
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
    inRecord: object?.inRecord,
    sum: seal.sum,
  };
}

/** Refuses a live fd, for operations that need the whole content. @throws {FdError} `invalid_parameter`. */
export function refuseLive(entry: Pick<FdEntry, "id" | "state">): void {
  if (entry.state !== "live") return;
  refuse("fd", formatFd(entry.id), "an fd that is not being written");
}

/**
 * Whether the bytes of an fd may differ from what its command wrote. The source says it, of parts of such output, too: it is in
 * the record, so copies and archives have it.
 */
export function isChanged({ source }: Pick<FdEntry, "source">): boolean {
  return /^(shell|search|extract)_text$/.test(source);
}

/** The source of what an extraction or a search makes of `entry`. */
export function derivedSource(
  entry: Pick<FdEntry, "source" | "decoded">,
  source: "extract" | "search",
): string {
  return isChanged(entry) || entry.decoded !== undefined ? `${source}_text` : source;
}

/** How a put ended. */
export interface PutEnd {
  /** Exit code of the command, 0 to 255. */
  exitCode?: number | undefined;
  /** The signal that ended the command: `SIGTERM`. */
  signal?: string | undefined;
  /** Run time of the command; rounded when stored. */
  durationMs?: number | undefined;
  /** Whether the content is truncated: the disk was full or the writer was stopped. */
  incomplete?: boolean | undefined;
}

/** Builds the seal line for content with these totals. */
export function sealLine(totals: ScanTotals, end: PutEnd, gap: SealLine["gap"]): SealLine {
  return {
    event: "seal",
    at: momentNow(),
    bytes: totals.byteCount,
    chars: totals.charCount,
    line_feeds: totals.lineFeedCount,
    lines: totals.lineCount,
    pages: totals.pageCount,
    sum: totals.sum,
    ended: end.incomplete ? "incomplete" : "whole",
    gap,
    exit_code: end.exitCode,
    signal: end.signal,
    duration_ms: end.durationMs === undefined ? undefined : Math.round(end.durationMs),
  };
}
