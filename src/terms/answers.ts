/**
 * The answers that commands return: plain data, with the names of the contract (contract, Answers). Renderers turn them
 * into text, and `next` into what its reader can call; nothing else prints. Fields that are `undefined` are left out of
 * every dress.
 *
 * @module
 */

import type { FdFailure, SliceMode } from "../../fd/mod.ts";
import type { Message, NextCall } from "./next_call.ts";

/** Bytes that are shown or written as they are. It can be walked more than once, and never holds all of itself in memory. */
export interface Body {
  readonly byteLength: number;
  chunks(): Iterable<Uint8Array>;
  /** All of it, where it is in memory. */
  readonly bytes?: Uint8Array | undefined;
}

/** One part of a preview: where it lies, and its bytes. */
export interface PreviewPart {
  /** "41-80", numbered from 1; "0-0" where there is no line. */
  lines: string;
  body: Body;
}

/** A command's output or stdin was stored. */
export interface FdResult {
  type: "fd_result";
  fd: string;
  pages: number;
  /** Whether the preview ends inside a line that goes on. */
  truncated: boolean;
  lines: string;
  total_lines: number;
  source: string;
  chars: number;
  bytes: number;
  /** Absent where it is sealed. */
  state?: "live" | "incomplete" | undefined;
  /** While it is live: what was to be read of it up to now (see {@link FdContent}). */
  cursor?: number | undefined;
  /** Bytes that a cap cut out, and where the hole is. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  duration_ms?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
  preview: PreviewPart[];
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
  /** Absent where it is sealed, unless a cursor was asked with. */
  state?: "sealed" | "live" | "incomplete" | undefined;
  /** While it is live, or where a cursor was asked with: how many bytes lie before the end of this slice. */
  cursor?: number | undefined;
  /** How the command ended, where a cursor was asked with, or the command was run by the same call. */
  exit_code?: number | undefined;
  signal?: string | undefined;
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  /** Where a bound on chars cut the slice short: how many chars of it are here. `start` and `count` are what was asked for. */
  shown_chars?: number | undefined;
  /** The number of the first line, where renderers are to put each line's number before it (raw never does). */
  numbered_from?: number | undefined;
  next?: NextCall | undefined;
  content: Body;
}

/** What is missing of the fd, or of the part of it, that was searched, written to a file or made an fd of its own. */
export interface Missing {
  /** Absent where it is sealed. */
  state?: "live" | "incomplete" | undefined;
  /** Bytes that a cap cut out, and where the hole is. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
}

/** A slice became an fd of its own. `content_size` counts chars. */
export interface FdExtraction extends Missing {
  type: "fd_extraction";
  source_fd: string;
  new_fd: string;
  mode: SliceMode;
  content_size: number;
  start: number;
  count: number;
  page?: number | "all" | undefined;
  /** What the name meant before that the new fd was given. */
  previous_fd?: string | undefined;
  /** Of a search: it stopped there, and more lines match. */
  capped?: true | undefined;
  message: string;
  next?: NextCall | undefined;
}

/** An fd, or a slice of it, is in a file. `size_bytes` is the whole file's size afterwards; `char_count` what was written. */
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

/** One fd in a list. */
export interface FdSummary {
  fd: string;
  state: "sealed" | "live" | "incomplete" | "removed";
  source: string;
  bytes: number;
  chars: number;
  total_lines: number;
  pages: number;
  /** ISO 8601, UTC. */
  created: string;
  names: string[];
  /** Bytes that a cap cut out, and where the hole is. */
  dropped_bytes?: number | undefined;
  gap_at_byte?: number | undefined;
  /** When and why it was removed, and what its content's sha-256 was; where it was. */
  removed?: string | undefined;
  why?: string | undefined;
  sha256?: string | undefined;
}

/** What the store holds, newest last. `message` and `next` are there when `total` is more than is shown. */
export interface FdList {
  type: "fd_list";
  total: number;
  message?: string | undefined;
  next?: NextCall | undefined;
  fds: FdSummary[];
}

/** All that is known of one fd. */
export interface FdStat extends FdSummary {
  type: "fd_stat";
  page_size: number;
  /** Absent while it is live. */
  sha256?: string | undefined;
  command?: string[] | undefined;
  cwd?: string | undefined;
  exit_code?: number | undefined;
  signal?: string | undefined;
  duration_ms?: number | undefined;
  parent?: { fd: string; mode: SliceMode; start: number; count: number } | undefined;
}

/**
 * The bound names. `id` is the name as written in arguments, `ref:NAME`; `state` is there where its fd is not. `total`,
 * `message` and `next` are there when there are more than are shown.
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

/** Told beside the answer of `ref extract`: names that mean another fd now, and tags that are no reference. */
export interface RefNotice {
  type: "ref_notice";
  /** How many names mean another fd now; the first of them are in `replaced`. */
  replaced_total?: number | undefined;
  replaced?: { id: string; fd: string; previous_fd: string }[] | undefined;
  /** How many references could not be stored, and the first of their names. */
  unstored_total?: number | undefined;
  unstored?: string[] | undefined;
  /** All tags that were left alone; the first of them are in `malformed`. */
  malformed_total?: number | undefined;
  malformed?: { line: number; tag: string; why: string }[] | undefined;
  message: string;
}

/** How two fds differ. `diff` holds unified hunks: all of them, or the first ones where `diff_fd` holds the whole. */
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
  /** What was not looked at: "times space". */
  ignored?: string[] | undefined;
  /** The diff is right, but a shorter one may exist. */
  coarse?: true | undefined;
  /** The fd that holds the whole diff, and how many of its lines are shown and there are. */
  diff_fd?: string | undefined;
  shown_lines?: number | undefined;
  diff_lines?: number | undefined;
  /** It could not be stored, and only its beginning is held. */
  cut?: true | undefined;
  message: Message;
  next?: NextCall | undefined;
  diff?: Body | undefined;
  /** Everything that `diff` begins, for a dress that holds nothing else. */
  whole?: Body | undefined;
}

/** One line that matched, or, with `context`, stands near one that did. */
export interface MatchLine {
  /** The fd that it is in, where several were searched. */
  fd?: string | undefined;
  line: number;
  text: string;
  /** The exact bytes of what `text` shows, where they are no well-formed text. */
  bytes?: Uint8Array | undefined;
  context?: true | undefined;
  /** Bytes of the line that are not shown, because it is long: before `text`, and after it. */
  cut_before?: number | undefined;
  cut_after?: number | undefined;
}

/** One of several fds that were searched: how many lines of it match and are shown, or the failure that kept it from being read. */
export interface SearchedFd extends Missing {
  fd: string;
  total?: number | undefined;
  shown?: number | undefined;
  error?: FdFailure["kind"] | undefined;
  source?: string | undefined;
}

/**
 * Matching lines of an fd or, without `fd`, of all. `total` counts matching lines in everything that was searched;
 * `counted` says that only they were asked for.
 */
export interface FdMatches extends Missing {
  type: "fd_matches";
  fd?: string | undefined;
  /** Several patterns are separated by line feeds. */
  pattern: string;
  total: number;
  shown: number;
  /** How many fds were searched, if it was more than one, and the newest of those with matches or failures. */
  searched?: number | undefined;
  fds?: SearchedFd[] | undefined;
  counted?: true | undefined;
  /** How the command ended whose output was searched, where that was one call. */
  exit_code?: number | undefined;
  signal?: string | undefined;
  matches: MatchLine[];
  message?: Message | undefined;
  next?: NextCall | undefined;
}

/** Bytes handed on unchanged: what was too small to store, or could not be stored. */
export interface PassThrough {
  type: "pass_through";
  stdout: Body;
  stderr?: Body | undefined;
  /** Whether it reports something that was done. */
  isDone?: boolean | undefined;
  /** Text of fdtool's own, JSON mostly, that is the same in every dress: on a terminal its controls are shown, not obeyed. */
  isOwnText?: true | undefined;
}

/** Where an fd's content lies. In xml too it is the bare path, so that `"$(fdtool path fd:3)"` is one. */
export interface FdPath {
  type: "fd_path";
  fd: string;
  path: string;
}

/** A short report of a command that changes or checks the store: `gc`, `rm`, `name`, `verify`, `fork`, `export` … */
export interface Report {
  type:
    | "fd_removed"
    | "fd_gc"
    | "ref_bound"
    | "fd_verify"
    | "fd_fork"
    | "fd_export"
    | "fd_import"
    | "doctor_report";
  /** Facts in the order in which they are shown; lists are shown one item a line. */
  facts: Readonly<
    Record<string, string | number | boolean | readonly Readonly<Record<string, unknown>>[] | undefined>
  >;
  message: Message;
  next?: NextCall | undefined;
}

/** One changed file of a write. `removed`: an undo took it away. */
export interface WrittenFile {
  path: string;
  created: boolean;
  removed?: true | undefined;
  lines_added: number;
  lines_removed: number;
  /** The size afterwards. */
  bytes: number;
  backup_fd?: string | undefined;
  /** The copy beside it, `FILE.bak`, where one was asked for. */
  backup_file?: string | undefined;
}

/** A user's file was changed, or, in a dry run, would be. One file stands in the answer itself, several in `files`. */
export interface WriteResult extends Partial<WrittenFile> {
  type: "write_result";
  files?: WrittenFile[] | undefined;
  /** How many more there are; the step has them all. */
  more_files?: number | undefined;
  tx?: string | undefined;
  dry_run?: true | undefined;
  /** The fd that holds the whole diff, where it is too large to be shown. */
  diff_fd?: string | undefined;
  message: Message;
  next?: NextCall | undefined;
  /** A dry run's unified diff, or its beginning. */
  diff?: Body | undefined;
}

/** How a question may be answered (contract, Inquiries). */
export type AnswerType =
  | "Boolean"
  | "Text"
  | { Select: { options: string[] } }
  | { Schema: { schema: Readonly<Record<string, unknown>> } };

/** What is asked. `id` names the answer when the call is made again with `--answers`. */
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
  /** Who is to answer: `inherit` is the model of the conversation itself. */
  target?: { model: { id: string } } | undefined;
  next: NextCall;
}

/** The questions that wait. `total`, `message` and `next` are there when there are more than are shown. */
export interface InquiryList {
  type: "inquiry_list";
  total?: number | undefined;
  message?: string | undefined;
  next?: NextCall | undefined;
  inquiries: { inquiry_id: string; tool: string; path: string; question: string; asked: string }[];
}

/** What `rewrite` will expect to be told of some content. */
export interface LineCount {
  type: "line_count";
  lines: number;
  bytes: number;
  sha256: string;
  /** What the fd lacks that was counted. */
  message?: string | undefined;
}

/** A plan that could be applied as things are. */
export interface PlanCheck {
  type: "plan_check";
  intent: string;
  files: WrittenFile[];
  more_files?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
}

/** The plan of a step, as it was given. */
export interface PlanShown {
  type: "plan_shown";
  tx: string;
  intent?: string | undefined;
  plan_fd: string;
  /** Its first few files; the plan names them as they were called where it was applied. */
  paths: string[];
  more_paths?: number | undefined;
  state: string;
  /** Absent where it is long; `plan_fd` has it, and `message` says so. */
  plan?: unknown;
  /** The plan, however long, for a dress that holds nothing else. */
  whole: unknown;
  message?: string | undefined;
  next?: NextCall | undefined;
}

/** The journal, newest last. */
export interface WriteLog {
  type: "write_log";
  total: number;
  message?: Message | undefined;
  next?: NextCall | undefined;
  steps: {
    tx: string;
    at: string;
    tool: string;
    intent?: string | undefined;
    state: "done" | "recovered" | "undone" | "rolled back" | "interrupted" | "running";
    /** The first few; more where the step was asked for alone. */
    paths: string[];
    /** How many more there are. */
    more_paths?: number | undefined;
    /** The size of all its files together, before it and afterwards; absent while it is not known. */
    bytes_before: number;
    bytes_after?: number | undefined;
    backups: string[];
    more_backups?: number | undefined;
    /** Files that somebody else had changed, and that going back did not touch; where the step was asked for alone. */
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

/** What `recover` did. */
export interface RecoverReport {
  type: "recover_report";
  /** `left`: files that somebody else changed meanwhile, and that were not touched. */
  recovered: (NamedStep & { how: string; left: string[]; more_left?: number | undefined })[];
  more_recovered?: number | undefined;
  /** What could not be ended, and is interrupted still. */
  failed?: NamedStep[] | undefined;
  more_failed?: number | undefined;
  message: Message;
  next?: NextCall | undefined;
}

/** Told beside any other answer: a kill interrupted these steps, and they wait for `recover`. */
export interface InterruptedNotice {
  type: "write_notice";
  interrupted: NamedStep[];
  more_interrupted?: number | undefined;
  message: Message;
  next: NextCall;
}

/** Every answer there is. */
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

/** Answers that are dressed; what is handed on unchanged is not. */
export type FramedAnswer = Exclude<Answer, PassThrough>;
