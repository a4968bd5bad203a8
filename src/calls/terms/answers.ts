/**
 * The answers that commands return: plain data, with the names of the contract (Answers). Only renderers turn them into
 * text. Fields that are `undefined` are left out in every format. The tables are the types of answers, and the output
 * schemas of tools; only those load them.
 */

import type { ByteSource } from "../../../fd/mod.ts";
import { type FdFailure, SLICE_MODES } from "../../../fd/system.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import type { Message, NamedCall, NextCall } from "./next_call.ts";
import type { Report } from "./reports.ts";

// The notation for fields: each has its type for the compiler, and the JSON Schema that MCP's output schemas have for it.
// Answers may have more fields than those schemas list.

export type Schema = Readonly<Record<string, unknown>>;

/** A field of an answer. A field whose value can be undefined may be absent, which is the same in every format. */
interface Field<Value> {
  /** Absent if tools do not list the field. */
  schema?: Schema;
  isOptional?: boolean;
  /** For the compiler; never set. */
  type?: [Value];
}

/** Fields by name, in the order in which answers have them. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

type ValueOf<F> = F extends { type?: [infer Value] } ? Value : never;

/** The values of `Of`'s fields. */
type ValuesOf<Of> =
  & { [Name in keyof Of as undefined extends ValueOf<Of[Name]> ? never : Name]: ValueOf<Of[Name]> }
  & { [Name in keyof Of as undefined extends ValueOf<Of[Name]> ? Name : never]?: ValueOf<Of[Name]> };

/** A field with a schema of its own. */
export function listed<Value>(schema: Schema, description?: string): Field<Value> {
  return { schema: description === undefined ? schema : { ...schema, description } };
}

// The type of a value is given or the default, never inferred from where the field is used.
export const text = <Value = string>(description?: string): Field<NoInfer<Value>> =>
  listed({ type: "string" }, description);
export const count = (description?: string) => listed<number>({ type: "integer", minimum: 0 }, description);
export const flag = <Value = boolean>(): Field<NoInfer<Value>> => listed({ type: "boolean" });
export const texts = () => listed<string[]>({ type: "array", items: { type: "string" } });
export const choice = <const Value>(choices: readonly Value[]) =>
  listed<Value>({ type: "string", enum: choices });
export const object = <Of extends Fields>(fields: Of) => listed<ValuesOf<Of>>(schemaOfFields(fields));
export const list = <Of extends Fields>(fields: Of) =>
  listed<ValuesOf<Of>[]>({ type: "array", items: schemaOfFields(fields) });

/** A field that tools do not list. */
export const unlisted = <Value>(): Field<Value> => ({});
export const maybe = <Value>(field: Field<Value>): Field<Value | undefined> => ({
  ...field,
  isOptional: true,
});

/** The same fields, each optional. */
export function partial<Of extends Fields>(fields: Of) {
  const optional = Object.entries(fields).map(([name, field]) => [name, maybe(field)]);
  return Object.fromEntries(optional) as { [Name in keyof Of]: Field<ValueOf<Of[Name]> | undefined> };
}

/** The schema of an object with the listed ones of `fields`. */
export function schemaOfFields(fields: Fields): Schema {
  const named = Object.entries(fields).filter(([, { schema }]) => schema !== undefined);
  return {
    type: "object",
    properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
    required: named.filter(([, { isOptional }]) => isOptional !== true).map(([name]) => name),
  };
}

/** Bytes that are shown or written as they are. It can be walked several times and need not be in memory. */
export type Body = ByteSource;

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
  /** The lines that are like none of these, if there are any. */
  others?: number;
}

const MODE = choice(SLICE_MODES);
const MESSAGE = text<Message>();
const NEXT = text<NextCall>("The call to make next.");
const REMARKS = { message: MESSAGE, next: maybe(NEXT) };
const MAYBE_REMARKS = { message: maybe(MESSAGE), next: maybe(NEXT) };
/** For lists that may be longer than what is shown, which `message` says. */
const LIST_REMARKS = { total: maybe(count()), message: maybe(text()), next: maybe(NEXT) };
/** The encoding of content that is shown decoded. JSON has other bodies that are not well-formed as base64; the renderer adds this. */
const ENCODING = maybe(
  listed<"utf-16le" | "utf-16be">({ enum: ["base64", "utf-16le", "utf-16be"] }),
);

/** Bytes that a size limit dropped, and where. */
const DROPPED = {
  dropped_bytes: maybe(count("Bytes dropped by a size limit.")),
  gap_at_byte: maybe(count("They are missing after this byte.")),
};

/** The parts that a searched, written or extracted fd lacks. */
const MISSING = {
  /** Absent if sealed. */
  state: maybe(text<"live" | "incomplete">()),
  ...DROPPED,
  encoding: ENCODING,
};
export type Missing = ValuesOf<typeof MISSING>;

const SUMMARY = {
  fd: text(),
  state: text<"sealed" | "live" | "incomplete" | "removed">(),
  source: text(),
  bytes: count(),
  /** Bytes of content on the disk, if they are not `bytes`. */
  disk_bytes: unlisted<number | undefined>(),
  chars: count(),
  total_lines: count(),
  pages: count(),
  /** ISO 8601, UTC. */
  created: text(),
  names: texts(),
  /** Bytes that a size limit dropped, and where. */
  dropped_bytes: unlisted<number | undefined>(),
  gap_at_byte: unlisted<number | undefined>(),
  /** In a list, only for people. */
  command: unlisted<string[] | undefined>(),
  exit_code: unlisted<number | undefined>(),
  signal: unlisted<string | undefined>(),
  /** Of a removed fd: when and why it was removed, and its content's sha-256. */
  removed: unlisted<string | undefined>(),
  why: unlisted<string | undefined>(),
  sha256: unlisted<string | undefined>(),
};
export type FdSummary = ValuesOf<typeof SUMMARY>;

/** A line that matched or, with `context`, is near one that did. */
const MATCH_LINE = {
  /** Its fd, if several were searched. */
  fd: unlisted<string | undefined>(),
  line: count(),
  text: text(),
  /** The exact bytes of `text`, if they are not well-formed. */
  bytes: unlisted<Uint8Array | undefined>(),
  context: unlisted<true | undefined>(),
  /**
   * Of a match alone: its first char's offset in the content. If `shifted`, its line differs in clean view, and the offset
   * is that of the line plus the place in the clean line.
   */
  start: unlisted<number | undefined>(),
  shifted: unlisted<true | undefined>(),
  /** Of a match alone: how often it was found, if this is the first of several that are equal. */
  times: unlisted<number | undefined>(),
  /** The match is longer than what is searched at once, and may begin earlier or end later. */
  partial: unlisted<true | undefined>(),
  /** Of a match in a long line: the text around it, with `…` if the line goes on. */
  before: unlisted<string | undefined>(),
  after: unlisted<string | undefined>(),
  /** Bytes of a long line that are not shown: before and after `text`. */
  cut_before: unlisted<number | undefined>(),
  cut_after: unlisted<number | undefined>(),
  /** Only for people: where the matches are in `text`, each from an index to another. */
  spans: unlisted<[from: number, to: number][] | undefined>(),
};
export type MatchLine = ValuesOf<typeof MATCH_LINE>;

/** One of several searched fds: how many of its lines match and are shown, or why it could not be read. */
export interface SearchedFd extends Missing {
  fd: string;
  total?: number | undefined;
  shown?: number | undefined;
  error?: FdFailure["kind"] | undefined;
  source?: string | undefined;
}

/** A changed file. `removed`: an undo removed it. */
const WRITTEN_FILE = {
  path: text(),
  created: flag(),
  removed: unlisted<true | undefined>(),
  lines_added: count(),
  lines_removed: count(),
  /** The lines of the file, as it is now, that differ from before: `41-43,60`. */
  lines: maybe(text()),
  /** The size afterwards. */
  bytes: count(),
  backup_fd: maybe(text()),
  /** `FILE.bak`, if one was requested. */
  backup_file: unlisted<string | undefined>(),
};
export type WrittenFile = ValuesOf<typeof WRITTEN_FILE>;

export type AnswerType =
  | "Boolean"
  | "Text"
  | { Select: { options: string[] } }
  | { Schema: { schema: Readonly<Record<string, unknown>> } };

/** `id` names the answer when the call is repeated with `--answers`. */
const QUESTION = {
  id: text(),
  text: text(),
  pre_amble: unlisted<string | null>(),
  answer_type: listed<AnswerType>({}),
  default: unlisted<string | boolean | null>(),
};
export type Question = ValuesOf<typeof QUESTION>;

/** A step, and the first few of its files. */
const NAMED_STEP = { tx: text(), tool: text(), paths: texts(), more_paths: unlisted<number | undefined>() };
export type NamedStep = ValuesOf<typeof NAMED_STEP>;

/** All answers but reports, with their fields in the order of display. */
export const ANSWERS = {
  /** Output or stdin was stored. */
  fd_result: {
    fd: text(),
    pages: count(),
    /** Whether the preview shows a line in part. */
    truncated: flag(),
    lines: text(),
    total_lines: count(),
    source: text(),
    chars: count(),
    bytes: count(),
    ...MISSING,
    /** False if other hosts cannot read it yet. */
    shared: maybe(flag<false>()),
    /** Present if that is so because this host or the store is over its quota. */
    unshared: maybe(text<"over_quota">()),
    /** For a live fd: how many bytes could be read by now (see `fd_content`). */
    cursor: unlisted<number | undefined>(),
    exit_code: maybe(count()),
    signal: unlisted<string | undefined>(),
    duration_ms: unlisted<number | undefined>(),
    /** Present if the bytes may differ from what the command wrote: a harness handed over text. */
    exact: maybe(text<"no">()),
    /** The fd of the last run of the same command, if it printed the same. */
    same: maybe(text()),
    /** Chars of the shown slices that their clean view leaves out; absent if none. */
    cleaned: maybe(count()),
    ...REMARKS,
    preview: unlisted<(PreviewPart | PreviewGap)[]>(),
  },
  /** A slice of an fd. */
  fd_content: {
    fd: text(),
    /** A number in page mode, "all" for all of it, absent in line and char mode. */
    page: maybe(listed<number | "all">({ anyOf: [{ type: "integer" }, { const: "all" }] })),
    pages: count(),
    continued: flag(),
    truncated: flag(),
    lines: text('The lines in the slice, such as "41-80".'),
    total_lines: count(),
    mode: MODE,
    start: count(),
    count: count(),
    /** Absent if sealed, unless the call had a cursor. */
    state: maybe(text<"sealed" | "live" | "incomplete">()),
    /** For a live fd that another host writes: the host, and when the shared store was asked. */
    host: unlisted<string | undefined>(),
    as_of: unlisted<string | undefined>(),
    /** For a live fd, or if the call had a cursor: the bytes of the fd up to the end of this slice. */
    cursor: maybe(count("Pass as since to read what comes after this slice.")),
    /** Present if the call had a cursor or ran the command. */
    exit_code: maybe(count()),
    signal: unlisted<string | undefined>(),
    ...DROPPED,
    /** The chars shown, if a limit on chars shortened the slice. `start` and `count` are as requested. */
    shown_chars: maybe(count()),
    /** Chars of the slice that its clean view leaves out; absent if none. */
    cleaned: maybe(count()),
    /** The number of the first line, if lines are to be numbered (raw never does). */
    numbered_from: unlisted<number | undefined>(),
    /** The file that was stored as the fd. In xml an attribute. */
    message: maybe(text()),
    next: maybe(NEXT),
    encoding: ENCODING,
    content: text<Body>(),
    /** The stored bytes, if `content` is their clean view: what raw shows. */
    stored: unlisted<Body | undefined>(),
  },
  /** A slice became an fd. */
  fd_extraction: {
    source_fd: text(),
    new_fd: text(),
    mode: MODE,
    content_size: count("In chars."),
    start: count(),
    count: count(),
    page: unlisted<number | "all" | undefined>(),
    ...MISSING,
    /** The fd that had the name before. */
    previous_fd: maybe(text()),
    /** A search stopped there, although more lines match. */
    capped: maybe(flag<true>()),
    message: text(),
    next: maybe(NEXT),
  },
  /** An fd or slice was written to a file. `size_bytes` is the file's size afterwards; `char_count` what was written. */
  fd_file_result: {
    fd: text(),
    file_path: text(),
    mode: choice(["write", "append", "insert"]),
    char_count: count(),
    size_bytes: count(),
    success: flag(),
    create: flag(),
    exist_ok: flag(),
    ...MISSING,
    backup_fd: maybe(text()),
    tx: maybe(text()),
    message: MESSAGE,
    next: maybe(NEXT),
  },
  /** The fds of the store, newest last. The remarks are present if `total` is more than is shown. */
  fd_list: { ...LIST_REMARKS, fds: list(SUMMARY) },
  fd_stat: {
    ...SUMMARY,
    ...DROPPED,
    command: maybe(texts()),
    exit_code: maybe(count()),
    signal: maybe(text()),
    page_size: count(),
    /** Absent for a live fd. */
    sha256: maybe(text()),
    cwd: maybe(text()),
    duration_ms: maybe(count()),
    /** As in `fd_result`. */
    exact: maybe(text<"no">()),
    encoding: ENCODING,
    parent: maybe(object({ fd: text(), mode: MODE, start: count(), count: count() })),
  },
  /** The path of an fd's content. It is the bare path in xml too, for `"$(fdtool path fd:3)"`. */
  fd_path: { fd: text(), path: text() },
  /** The bound names. `id` is `ref:NAME`; `state` is present if the fd is missing. */
  ref_list: {
    ...LIST_REMARKS,
    refs: list({
      id: text(),
      fd: text(),
      created: text(),
      lines: count(),
      chars: count(),
      state: unlisted<"removed" | "lost" | undefined>(),
    }),
  },
  /** A notice that follows the answer of `ref extract`: names that were rebound, and malformed tags. */
  ref_notice: {
    /** The number of rebound names; `replaced` has the first of them. */
    replaced_total: unlisted<number | undefined>(),
    replaced: unlisted<{ id: string; fd: string; previous_fd: string }[] | undefined>(),
    /** The number of references that could not be stored; `unstored` has the first names. */
    unstored_total: unlisted<number | undefined>(),
    unstored: unlisted<string[] | undefined>(),
    /** The number of ignored tags; `malformed` has the first of them. */
    malformed_total: unlisted<number | undefined>(),
    malformed: unlisted<{ line: number; tag: string; why: string }[] | undefined>(),
    message: text(),
  },
  /** A diff of two fds. `diff` has unified hunks: all, or the first ones if `diff_fd` has all. */
  fd_diff: {
    old_fd: text(),
    new_fd: text(),
    identical: flag(),
    hunks: count(),
    lines_added: count(),
    lines_removed: count(),
    old_total_lines: count(),
    new_total_lines: count(),
    /** The ignored differences: "times space". */
    ignored: maybe(texts()),
    volatile_lines: maybe(count("Lines that differ only in times, addresses and ids, left out.")),
    /** The fd with the diff in which they are, if it is long. */
    exact_fd: maybe(text()),
    /** A shorter diff may exist. */
    coarse: maybe(flag<true>()),
    /** Chars of both contents that their clean view left out where they were compared line by line; absent if none. */
    cleaned: maybe(count()),
    diff_fd: maybe(text("The fd with the whole diff, if it is too long to show.")),
    /** How many lines of the whole diff are shown and exist. */
    shown_lines: maybe(count()),
    diff_lines: maybe(count()),
    /** The diff could not be stored, and only its beginning is available. */
    cut: unlisted<true | undefined>(),
    ...REMARKS,
    encoding: ENCODING,
    diff: maybe(text<Body>("Unified hunks.")),
    /** The whole diff that `diff` begins, for raw. */
    whole: unlisted<Body | undefined>(),
  },
  /** Matching lines of an fd or, without `fd`, of all. `total` counts those in everything that was searched. */
  fd_matches: {
    fd: maybe(text()),
    /** Several patterns are separated by line feeds. */
    pattern: text(),
    /** The lines are those that do not match. */
    invert: maybe(flag<true>()),
    total: count(),
    shown: count(),
    /** Only the count was requested. */
    counted: maybe(flag<true>()),
    /** `matches` are the matches themselves, not their lines. */
    only_matching: maybe(flag<true>()),
    /** The number of fds searched, if more than one, and the newest of those with matches or failures. */
    searched: maybe(count()),
    fds: maybe(listed<SearchedFd[]>({ type: "array", items: schemaOfFields({ fd: text() }) })),
    ...MISSING,
    /** Present if the call ran the command whose output was searched. */
    exit_code: maybe(count()),
    signal: unlisted<string | undefined>(),
    cleaned: maybe(count("Chars left out of what is shown.")),
    ...MAYBE_REMARKS,
    /** If there are more than are shown: the commonest and the rarest shapes of them, each with its first line. */
    shapes: maybe(list({ lines: count(), first: count(), like: text() })),
    matches: list(MATCH_LINE),
  },
  /** The results of a filter over the JSON values of an fd. `results` counts those shown or stored. */
  fd_query: {
    fd: text(),
    filter: text(),
    results: count(),
    /** There are more results, or a part of the last one is missing. */
    truncated: maybe(flag<true>()),
    /** Why the filter was not applied to all values. */
    error: maybe(choice(["parse_error", "filter_error", "timed_out", "out_of_memory"])),
    /** The fd that the results were stored as, and the fd that its name was bound to before. */
    new_fd: maybe(text()),
    previous_fd: unlisted<string | undefined>(),
    ...MISSING,
    ...MAYBE_REMARKS,
    /** JSON, one result a line; with `raw`, strings as they are. */
    values: maybe(text<Body>()),
  },
  /** User's files were changed or, in a dry run, would be. A single file is in the answer itself, several are in `files`. */
  write_result: {
    ...partial(WRITTEN_FILE),
    files: unlisted<WrittenFile[] | undefined>(),
    /** The journal has them all. */
    more_files: maybe(count("Number of files not listed.")),
    tx: maybe(text()),
    dry_run: unlisted<true | undefined>(),
    /** The fd with the whole diff, if it is too large to show. */
    diff_fd: unlisted<string | undefined>(),
    ...REMARKS,
    /** A dry run's unified diff, or its beginning. */
    diff: unlisted<Body | undefined>(),
  },
  /** A write that waits for an answer. Nothing was written. */
  needs_input: {
    inquiry_id: text(),
    tool: text(),
    question: object(QUESTION),
    /** `inherit`: the conversation's own model should answer. */
    target: unlisted<{ model: { id: string } } | undefined>(),
    next: NEXT,
  },
  /** The open questions. */
  inquiry_list: {
    ...LIST_REMARKS,
    inquiries: list({ inquiry_id: text(), tool: text(), path: text(), question: text(), asked: text() }),
  },
  /** The counts that `rewrite` expects for a content. `message`: the parts that the counted fd lacks. */
  line_count: { lines: count(), bytes: count(), sha256: text(), message: maybe(text()) },
  /** A plan that could be applied now. */
  plan_check: {
    intent: text(),
    files: unlisted<WrittenFile[]>(),
    more_files: unlisted<number | undefined>(),
    ...REMARKS,
  },
  /** The plan of a journal step, as it was given. */
  plan_shown: {
    tx: text(),
    intent: maybe(text()),
    plan_fd: text(),
    /** The first few files, by their names in the directory where the plan was applied. */
    paths: texts(),
    more_paths: unlisted<number | undefined>(),
    state: text(),
    /** Absent if long: `plan_fd` has it. */
    plan: unlisted<unknown>(),
    /** The plan of any length, for raw. */
    whole: unlisted<unknown>(),
    message: maybe(text()),
    next: maybe(NEXT),
  },
  /** The journal, newest last. */
  write_log: {
    total: count(),
    /** If the call named the step: its change. */
    diff: maybe(text<Body>()),
    ...MAYBE_REMARKS,
    steps: list({
      tx: text(),
      at: text(),
      tool: text(),
      intent: unlisted<string | undefined>(),
      state: text<"done" | "recovered" | "undone" | "rolled back" | "interrupted" | "running">(),
      /** The first few; more if the call named the step. */
      paths: texts(),
      more_paths: unlisted<number | undefined>(),
      /** The size of all its files, before and after; absent if unknown. */
      bytes_before: count(),
      bytes_after: unlisted<number | undefined>(),
      backups: texts(),
      more_backups: unlisted<number | undefined>(),
      /** If the call named the step: files that an undo left as they were, because they had been changed since. */
      left: unlisted<string[] | undefined>(),
      more_left: unlisted<number | undefined>(),
      plan_fd: unlisted<string | undefined>(),
      undoes: unlisted<string | undefined>(),
    }),
  },
  recover_report: {
    /** `left`: files that were changed since and not touched. */
    recovered: list({ ...NAMED_STEP, how: text(), left: texts(), more_left: unlisted<number | undefined>() }),
    more_recovered: unlisted<number | undefined>(),
    /** Steps that are still interrupted. */
    failed: maybe(list(NAMED_STEP)),
    more_failed: unlisted<number | undefined>(),
    ...REMARKS,
  },
  /** A notice that follows any other answer: these steps were interrupted by a kill and wait for `recover`. */
  write_notice: {
    interrupted: list(NAMED_STEP),
    more_interrupted: unlisted<number | undefined>(),
    message: MESSAGE,
    next: NEXT,
  },
};

/** The fields of a report that tools list. Its facts are in `reports.ts`. */
export const REPORT_FIELDS = REMARKS;

/** An answer of one type. */
export type AnswerOf<Type extends keyof typeof ANSWERS> = { type: Type } & ValuesOf<typeof ANSWERS[Type]>;

export type FdResult = AnswerOf<"fd_result">;
export type FdContent = AnswerOf<"fd_content">;
export type FdExtraction = AnswerOf<"fd_extraction">;
export type RefList = AnswerOf<"ref_list">;
export type FdMatches = AnswerOf<"fd_matches">;
export type WriteResult = AnswerOf<"write_result">;
export type NeedsInput = AnswerOf<"needs_input">;
export type PlanCheck = AnswerOf<"plan_check">;
export type WriteLog = AnswerOf<"write_log">;
export type RecoverReport = AnswerOf<"recover_report">;
export type InterruptedNotice = AnswerOf<"write_notice">;

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

/** Answers that are rendered rather than passed on unchanged. */
export type FramedAnswer = { [Type in keyof typeof ANSWERS]: AnswerOf<Type> }[keyof typeof ANSWERS] | Report;

export type Answer = FramedAnswer | PassThrough;

/** The part of an fd that the answer shows. */
export interface Preview {
  parts: (PreviewPart | PreviewGap)[];
  /** "1-82", or "1-40,961-1000" for two parts; "0-0" if nothing is shown. */
  lines: string;
  /** Whether a line is shown in part. */
  truncated: boolean;
  /** The slice to read next, as `read` takes it; undefined if all is shown. */
  readOn: Omit<ReadRequest, "fd"> | undefined;
  /** Chars that the clean view of what is shown leaves out. */
  cleanedChars?: number | undefined;
  /** The filter to query instead. */
  query?: string | undefined;
  /** The name of a file to export to instead. */
  exportTo?: string | undefined;
  /** Sentences about the run before. */
  said?: readonly (string | NamedCall)[] | undefined;
  /** The call that compares with the run before, to be made next. */
  diff?: NamedCall | undefined;
  /** `fd:N` of the run before, if its content is the same. */
  same?: string | undefined;
  /** If an outline is shown instead of content: the kind of content. */
  outlined?: string | undefined;
}
