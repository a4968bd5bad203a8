/**
 * The answers that commands return: plain data, with the names of the contract (Answers). Only renderers turn them into
 * text. Fields that are `undefined` are left out in every format.
 */

import type { FdFailure, SliceMode } from "../../fd/system.ts";
import type { Message, NextCall } from "./next_call.ts";
import type { Report } from "./reports.ts";

/** Bytes that are shown or written as they are. It can be walked several times and need not be in memory. */
export interface Body {
  readonly byteLength: number;
  chunks(): Iterable<Uint8Array>;
  /** All bytes, if they are in memory. */
  readonly bytes?: Uint8Array | undefined;
}

export interface PreviewPart {
  /** "41-80", numbered from 1; "0-0" for no line. */
  lines: string;
  body: Body;
  /** The stored bytes, if `body` is their clean view. */
  stored?: Body | undefined;
  /** In a digest: each line of the body has its number before it where the answer is text. */
  numbered?: true | undefined;
}

/** Lines that a digest leaves out. */
export interface PreviewGap {
  lines: string;
  /** The number of those lines. */
  omitted: number;
  /** Their most frequent kinds: a line, truncated if long, and the number of similar lines. */
  like: { count: number; line: string }[];
}

/** Output or stdin was stored. */
export interface FdResult {
  type: "fd_result";
  fd: string;
  pages: number;
  /** Whether the preview shows a line in part. */
  truncated: boolean;
  lines: string;
  total_lines: number;
  source: string;
  chars: number;
  bytes: number;
  /** Absent if sealed. */
  state?: "live" | "incomplete" | undefined;
  /** False if other hosts cannot read it yet. */
  shared?: false | undefined;
  /** For a live fd: how many bytes could be read by now (see {@link FdContent}). */
  cursor?: number | undefined;
  /** Bytes that a size limit dropped, and where. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  duration_ms?: number | undefined;
  /** Present if the bytes may differ from what the command wrote: a harness handed over text. */
  exact?: "no" | undefined;
  /** Chars of the shown slices that their clean view leaves out; absent if none. */
  cleaned?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
  preview: (PreviewPart | PreviewGap)[];
}

/** A slice of an fd. `page` is a number in page mode, "all" for all of it, absent in line and char mode. */
export interface FdContent {
  type: "fd_content";
  fd: string;
  page?: number | "all" | undefined;
  pages: number;
  continued: boolean;
  truncated: boolean;
  lines: string;
  total_lines: number;
  mode: SliceMode;
  start: number;
  count: number;
  /** Absent if sealed, unless the call had a cursor. */
  state?: "sealed" | "live" | "incomplete" | undefined;
  /** For a live fd that another host writes: the host, and when the shared store was asked. */
  host?: string | undefined;
  as_of?: string | undefined;
  /** For a live fd, or if the call had a cursor: the bytes of the fd up to the end of this slice. */
  cursor?: number | undefined;
  /** Present if the call had a cursor or ran the command. */
  exit_code?: number | undefined;
  signal?: string | undefined;
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  /** The chars shown, if a limit on chars shortened the slice. `start` and `count` are as requested. */
  shown_chars?: number | undefined;
  /** Chars of the slice that its clean view leaves out; absent if none. */
  cleaned?: number | undefined;
  /** The number of the first line, if lines are to be numbered (raw never does). */
  numbered_from?: number | undefined;
  next?: NextCall | undefined;
  content: Body;
  /** The stored bytes, if `content` is their clean view: what raw shows. */
  stored?: Body | undefined;
}

/** The parts that a searched, written or extracted fd lacks. */
export interface Missing {
  /** Absent if sealed. */
  state?: "live" | "incomplete" | undefined;
  /** Bytes that a size limit dropped, and where. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
}

/** A slice became an fd. `content_size` counts chars. */
export interface FdExtraction extends Missing {
  type: "fd_extraction";
  source_fd: string;
  new_fd: string;
  mode: SliceMode;
  content_size: number;
  start: number;
  count: number;
  page?: number | "all" | undefined;
  /** The fd that had the name before. */
  previous_fd?: string | undefined;
  /** A search stopped there, although more lines match. */
  capped?: true | undefined;
  message: string;
  next?: NextCall | undefined;
}

/** An fd or slice was written to a file. `size_bytes` is the file's size afterwards; `char_count` what was written. */
export interface FdFileResult extends Missing {
  type: "fd_file_result";
  fd: string;
  file_path: string;
  mode: "write" | "append" | "insert";
  char_count: number;
  size_bytes: number;
  success: boolean;
  create: boolean;
  exist_ok: boolean;
  backup_fd?: string | undefined;
  tx?: string | undefined;
  message: string;
  next?: NextCall | undefined;
}

export interface FdSummary {
  fd: string;
  state: "sealed" | "live" | "incomplete" | "removed";
  source: string;
  bytes: number;
  /** Bytes of content on the disk, if they are not `bytes`. */
  disk_bytes?: number | undefined;
  chars: number;
  total_lines: number;
  pages: number;
  /** ISO 8601, UTC. */
  created: string;
  names: string[];
  /** Bytes that a size limit dropped, and where. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  /** In a list, only for people. */
  command?: string[] | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  /** Of a removed fd: when and why it was removed, and its content's sha-256. */
  removed?: string | undefined;
  why?: string | undefined;
  sha256?: string | undefined;
}

/** The fds of the store, newest last. `message` and `next` are present if `total` is more than is shown. */
export interface FdList {
  type: "fd_list";
  total?: number | undefined;
  message?: string | undefined;
  next?: NextCall | undefined;
  fds: FdSummary[];
}

export interface FdStat extends FdSummary {
  type: "fd_stat";
  page_size: number;
  /** Absent for a live fd. */
  sha256?: string | undefined;
  cwd?: string | undefined;
  duration_ms?: number | undefined;
  /** As in {@link FdResult}. */
  exact?: "no" | undefined;
  parent?: { fd: string; mode: SliceMode; start: number; count: number } | undefined;
}

/**
 * The bound names. `id` is `ref:NAME`; `state` is present if the fd is missing. `total`, `message` and `next` are
 * present if there are more than are shown.
 */
export interface RefList {
  type: "ref_list";
  total?: number | undefined;
  message?: string | undefined;
  next?: NextCall | undefined;
  refs: {
    id: string;
    fd: string;
    created: string;
    lines: number;
    chars: number;
    state?: "removed" | "lost" | undefined;
  }[];
}

/** A notice that follows the answer of `ref extract`: names that were rebound, and malformed tags. */
export interface RefNotice {
  type: "ref_notice";
  /** The number of rebound names; `replaced` has the first of them. */
  replaced_total?: number | undefined;
  replaced?: { id: string; fd: string; previous_fd: string }[] | undefined;
  /** The number of references that could not be stored; `unstored` has the first names. */
  unstored_total?: number | undefined;
  unstored?: string[] | undefined;
  /** The number of ignored tags; `malformed` has the first of them. */
  malformed_total?: number | undefined;
  malformed?: { line: number; tag: string; why: string }[] | undefined;
  message: string;
}

/** A diff of two fds. `diff` has unified hunks: all, or the first ones if `diff_fd` has all. */
export interface FdDiff {
  type: "fd_diff";
  old_fd: string;
  new_fd: string;
  identical: boolean;
  hunks: number;
  lines_added: number;
  lines_removed: number;
  old_total_lines: number;
  new_total_lines: number;
  /** The ignored differences: "times space". */
  ignored?: string[] | undefined;
  /** Lines that differ only in times, addresses and ids, and were left out because they are most of the diff. */
  volatile_lines?: number | undefined;
  /** The fd with the diff in which they are, if it is long. */
  exact_fd?: string | undefined;
  /** A shorter diff may exist. */
  coarse?: true | undefined;
  /** Chars of both contents that their clean view left out where they were compared line by line; absent if none. */
  cleaned?: number | undefined;
  /** The fd with the whole diff, and how many of its lines are shown and exist. */
  diff_fd?: string | undefined;
  shown_lines?: number | undefined;
  diff_lines?: number | undefined;
  /** The diff could not be stored, and only its beginning is available. */
  cut?: true | undefined;
  message: Message;
  next?: NextCall | undefined;
  diff?: Body | undefined;
  /** The whole diff that `diff` begins, for raw. */
  whole?: Body | undefined;
}

/** A line that matched or, with `context`, is near one that did. */
export interface MatchLine {
  /** Its fd, if several were searched. */
  fd?: string | undefined;
  line: number;
  text: string;
  /** The exact bytes of `text`, if they are not well-formed. */
  bytes?: Uint8Array | undefined;
  context?: true | undefined;
  /**
   * Of a match alone: its first char's offset in the content. If `shifted`, its line differs in clean view, and the offset
   * is that of the line plus the place in the clean line.
   */
  start?: number | undefined;
  shifted?: true | undefined;
  /** The match is longer than what is searched at once, and may begin earlier or end later. */
  partial?: true | undefined;
  /** Of a match in a long line: the text around it, with `…` if the line goes on. */
  before?: string | undefined;
  after?: string | undefined;
  /** Bytes of a long line that are not shown: before and after `text`. */
  cut_before?: number | undefined;
  cut_after?: number | undefined;
  /** Only for people: where the matches are in `text`, each from an index to another. */
  spans?: [from: number, to: number][] | undefined;
}

/** One of several searched fds: how many of its lines match and are shown, or why it could not be read. */
export interface SearchedFd extends Missing {
  fd: string;
  total?: number | undefined;
  shown?: number | undefined;
  error?: FdFailure["kind"] | undefined;
  source?: string | undefined;
}

/**
 * Matching lines of an fd or, without `fd`, of all. `total` counts those in everything that was searched; `counted`: only
 * the count was requested.
 */
export interface FdMatches extends Missing {
  type: "fd_matches";
  fd?: string | undefined;
  /** Several patterns are separated by line feeds. */
  pattern: string;
  total: number;
  shown: number;
  /** The number of fds searched, if more than one, and the newest of those with matches or failures. */
  searched?: number | undefined;
  fds?: SearchedFd[] | undefined;
  counted?: true | undefined;
  /** `matches` are the matches themselves, not their lines. */
  only_matching?: true | undefined;
  /** Present if the call ran the command whose output was searched. */
  exit_code?: number | undefined;
  signal?: string | undefined;
  /** Chars that the clean view left out of what is shown. */
  cleaned?: number | undefined;
  /** If there are more than are shown: the commonest and the rarest shapes of them, each with its first line. */
  shapes?: { lines: number; first: number; like: string }[] | undefined;
  matches: MatchLine[];
  message?: Message | undefined;
  next?: NextCall | undefined;
}

/** The results of a filter over the JSON values of an fd. `results` counts those shown or stored. */
export interface FdQuery extends Missing {
  type: "fd_query";
  fd: string;
  filter: string;
  results: number;
  /** There are more results, or a part of the last one is missing. */
  truncated?: true | undefined;
  /** Why the filter was not applied to all values. */
  error?: "parse_error" | "filter_error" | "timed_out" | "out_of_memory" | undefined;
  /** The fd that the results were stored as, and the fd that its name was bound to before. */
  new_fd?: string | undefined;
  previous_fd?: string | undefined;
  message?: Message | undefined;
  next?: NextCall | undefined;
  /** JSON, one result a line; with `raw`, strings as they are. */
  values?: Body | undefined;
}

/** Bytes passed on unchanged: too few to store, or storing failed. */
export interface PassThrough {
  type: "pass_through";
  stdout: Body;
  stderr?: Body | undefined;
  /** Whether it reports a change. */
  isDone?: boolean | undefined;
  /**
   * fdtool's own text, mostly JSON, the same in every format: on a terminal its control chars are shown, not obeyed.
   */
  isOwnText?: true | undefined;
  /** Whether it is stored content: on a terminal its control chars are shown, not obeyed. */
  isContent?: true | undefined;
}

/** The path of an fd's content. It is the bare path in xml too, for `"$(fdtool path fd:3)"`. */
export interface FdPath {
  type: "fd_path";
  fd: string;
  path: string;
}

/** A changed file. `removed`: an undo removed it. */
export interface WrittenFile {
  path: string;
  created: boolean;
  removed?: true | undefined;
  lines_added: number;
  lines_removed: number;
  /** The lines of the file, as it is now, that differ from before: `41-43,60`. */
  lines?: string | undefined;
  /** The size afterwards. */
  bytes: number;
  backup_fd?: string | undefined;
  /** `FILE.bak`, if one was requested. */
  backup_file?: string | undefined;
}

/**
 * User's files were changed or, in a dry run, would be. A single file is in the answer itself, several are in `files`.
 */
export interface WriteResult extends Partial<WrittenFile> {
  type: "write_result";
  files?: WrittenFile[] | undefined;
  /** How many more there are; the journal has them all. */
  more_files?: number | undefined;
  tx?: string | undefined;
  dry_run?: true | undefined;
  /** The fd with the whole diff, if it is too large to show. */
  diff_fd?: string | undefined;
  message: Message;
  next?: NextCall | undefined;
  /** A dry run's unified diff, or its beginning. */
  diff?: Body | undefined;
}

export type AnswerType =
  | "Boolean"
  | "Text"
  | { Select: { options: string[] } }
  | { Schema: { schema: Readonly<Record<string, unknown>> } };

/** `id` names the answer when the call is repeated with `--answers`. */
export interface Question {
  id: string;
  text: string;
  pre_amble: string | null;
  answer_type: AnswerType;
  default: string | boolean | null;
}

/** A write that waits for an answer. Nothing was written. */
export interface NeedsInput {
  type: "needs_input";
  inquiry_id: string;
  tool: string;
  question: Question;
  /** `inherit`: the conversation's own model should answer. */
  target?: { model: { id: string } } | undefined;
  next: NextCall;
}

/** The open questions. `total`, `message` and `next` are present if there are more than are shown. */
export interface InquiryList {
  type: "inquiry_list";
  total?: number | undefined;
  message?: string | undefined;
  next?: NextCall | undefined;
  inquiries: { inquiry_id: string; tool: string; path: string; question: string; asked: string }[];
}

/** The counts that `rewrite` expects for a content. */
export interface LineCount {
  type: "line_count";
  lines: number;
  bytes: number;
  sha256: string;
  /** The parts that the counted fd lacks. */
  message?: string | undefined;
}

/** A plan that could be applied now. */
export interface PlanCheck {
  type: "plan_check";
  intent: string;
  files: WrittenFile[];
  more_files?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
}

/** The plan of a journal step, as it was given. */
export interface PlanShown {
  type: "plan_shown";
  tx: string;
  intent?: string | undefined;
  plan_fd: string;
  /** The first few files, by their names in the directory where the plan was applied. */
  paths: string[];
  more_paths?: number | undefined;
  state: string;
  /** Absent if long: `plan_fd` has it. */
  plan?: unknown;
  /** The plan of any length, for raw. */
  whole: unknown;
  message?: string | undefined;
  next?: NextCall | undefined;
}

/** The journal, newest last. */
export interface WriteLog {
  type: "write_log";
  total: number;
  /** If the call named the step: its change. */
  diff?: Body | undefined;
  message?: Message | undefined;
  next?: NextCall | undefined;
  steps: {
    tx: string;
    at: string;
    tool: string;
    intent?: string | undefined;
    state: "done" | "recovered" | "undone" | "rolled back" | "interrupted" | "running";
    /** The first few; more if the call named the step. */
    paths: string[];
    more_paths?: number | undefined;
    /** The size of all its files, before and after; absent if unknown. */
    bytes_before: number;
    bytes_after?: number | undefined;
    backups: string[];
    more_backups?: number | undefined;
    /** If the call named the step: files that an undo left as they were, because they had been changed since. */
    left?: string[] | undefined;
    more_left?: number | undefined;
    plan_fd?: string | undefined;
    undoes?: string | undefined;
  }[];
}

/** A step, and the first few of its files. */
export interface NamedStep {
  tx: string;
  tool: string;
  paths: string[];
  more_paths?: number | undefined;
}

export interface RecoverReport {
  type: "recover_report";
  /** `left`: files that were changed since and not touched. */
  recovered: (NamedStep & { how: string; left: string[]; more_left?: number | undefined })[];
  more_recovered?: number | undefined;
  /** Steps that are still interrupted. */
  failed?: NamedStep[] | undefined;
  more_failed?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
}

/** A notice that follows any other answer: these steps were interrupted by a kill and wait for `recover`. */
export interface InterruptedNotice {
  type: "write_notice";
  interrupted: NamedStep[];
  more_interrupted?: number | undefined;
  message: Message;
  next: NextCall;
}

export type Answer =
  | FdResult
  | FdContent
  | FdExtraction
  | FdFileResult
  | FdList
  | FdStat
  | RefList
  | RefNotice
  | FdMatches
  | FdQuery
  | FdDiff
  | FdPath
  | PassThrough
  | Report
  | WriteResult
  | NeedsInput
  | InquiryList
  | LineCount
  | PlanCheck
  | PlanShown
  | WriteLog
  | RecoverReport
  | InterruptedNotice;

/** Answers that are rendered rather than passed on unchanged. */
export type FramedAnswer = Exclude<Answer, PassThrough>;
