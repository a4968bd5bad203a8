/**
 * Faults of single checks of a write: each kind with its fields and, in one table, its text. A new kind does not compile without
 * its text. The kinds that are not checks are in `write_failure.ts`.
 */

import type { FdFailure } from "../../../fd/system.ts";
import { visibleJson } from "./control_chars.ts";
import type { EditRequest } from "../requests/edit_request.ts";
import { ACKNOWLEDGEMENT } from "../requests/rewrite_request.ts";
import { type FailureText, type FailureTexts, textBy } from "./failure_words.ts";
import type { NextCall, ParameterWriter } from "./next_call.ts";

/** A fault of content and the line that it is in, from 1, if that is known. */
export interface LineProblem {
  lineNumber: number | undefined;
  column?: number | undefined;
  problem: string;
}

/** A line of a file, for messages: numbered from 1, without its line end, truncated if long. */
export interface ShownLine {
  lineNumber: number;
  /** Of what is meant in a long line, or in one with several matches: its first char, from 1. */
  column?: number | undefined;
  /** In a long line: the offset of that char in the file, from 0. */
  charOffset?: number | undefined;
  text: string;
}

/**
 * A line similar to the text searched for, and what differs: "white space", "line ends", "case", "quotes, dashes or accents",
 * "escapes", "ill-formed bytes", "place", "text".
 */
export interface NearLine extends ShownLine {
  differs: readonly string[];
}

/** A failed check. Several can fail at once; they are reported together. */
export type WriteFault =
  /** `fd` has the content, unless the call itself has it. */
  | { kind: "line_count_mismatch"; actual: number; expected: number | undefined; fd?: string | undefined }
  | { kind: "invalid_acknowledgement" }
  /** Lines of the content that `path` would have. `parameter` allows them. */
  | { kind: "placeholder_found"; path: string; lines: readonly ShownLine[]; parameter: string }
  /** The content has another sha-256 or size than the caller stated. */
  | { kind: "hash_mismatch"; actual: string; expected: string }
  | { kind: "size_mismatch"; actualBytes: number; expectedBytes: number }
  | {
    kind: "structure_invalid";
    /** The settings that are invalid; undefined if it is content that was to be written. */
    settings?: string;
    /** Undefined if the content is valid, but not what fdtool can change. */
    language: string | undefined;
    problems: readonly LineProblem[];
  }
  /** The file changed since the caller, or the step being undone, saw it. A missing file has no sha-256. */
  | {
    kind: "stale_file";
    path: string;
    expectedSha256: string | undefined;
    actualSha256: string | undefined;
    what: string;
    /** The difference between the file as it is and what an undo would make of it. */
    diff?: string | undefined;
    /** The step whose undo this is, if force would undo it. */
    undoes?: string | undefined;
  }
  | {
    kind: "match_not_found";
    path: string;
    /** The index of the edit, from 0; absent if there is only one. */
    edit?: number | undefined;
    /** The argument that was searched for: `old_string`, `location_marker` … */
    sought: string;
    /** The argument after whose match it was searched for. */
    after?: string | undefined;
    nearest: readonly NearLine[];
    /** The difference, in words. */
    why?: string | undefined;
    /** The text that would match exactly once. */
    corrected?: string | undefined;
    /** The line ends that the sent text needs to match. */
    eol?: "lf" | "crlf" | undefined;
    /** The whole call with it. */
    retry?: EditRequest | undefined;
  }
  | {
    kind: "match_not_unique";
    path: string;
    edit?: number | undefined;
    sought: string;
    /** The lines on which the first matches start. */
    lines: readonly ShownLine[];
    matchCount: number;
  }
  /** `meant` is the existing file that the path may mean, `retry` the call with it; `mayCreate`: another parameter creates it. */
  | {
    kind: "file_not_found";
    path: string;
    meant?: string | undefined;
    retry?: NextCall | undefined;
    mayCreate?: true;
  }
  /** The path leads to no file, and is written as none is: in quotes, with `@`, with a backslash. */
  | { kind: "unclear_path"; path: string; meant: string | undefined; retry?: NextCall | undefined }
  /** The path is a directory, device, socket or pipe. */
  | { kind: "write_error"; path: string; what: string }
  /** The path is a file of the store: the content of `fd`, or its metadata. */
  | { kind: "store_file"; path: string; fd: string | undefined };

const HELP_REWRITE: NextCall = { command: "help", args: { command: "rewrite" } };

/** How faults read, by kind. */
const FAULT_TEXTS: FailureTexts<WriteFault, ParameterWriter> = {
  line_count_mismatch({ actual, expected, fd }) {
    const wanted = expected ?? "none given";
    const message = `Content line count (${actual}) does not match expectedLineCount (${wanted})`;
    // Its end shows whether the content or the count is wrong.
    const next: NextCall = fd === undefined || expected === undefined
      ? HELP_REWRITE
      : { command: "read", args: { fd, tail: 10 } };
    return { message, next, fields: { actual, expected } };
  },
  invalid_acknowledgement() {
    const message = `Invalid acknowledgement string. Must be exactly: "${ACKNOWLEDGEMENT}"`;
    return { message, next: HELP_REWRITE, fields: { wanted: ACKNOWLEDGEMENT } };
  },
  placeholder_found({ path, lines, parameter }, writeParameter) {
    const named = lines.slice(0, MAX_NAMED).map(numberedLine).join(", ");
    const more = lines.length > MAX_NAMED ? `, and ${lines.length - MAX_NAMED} more` : "";
    const numbers = lines.some(({ text }) => /^\d+(?:[:→\t]| \|)/.test(text))
      ? " Leave out the line numbers."
      : "";
    const message =
      `The content has placeholder lines instead of real content: ${named}${more}.${numbers} Provide the whole ` +
      "content, or use edit_file for a part. " +
      `Use ${writeParameter({ parameter, value: true })} to write it as it is`;
    return { path, message, fields: { lines: lines.map(lineFields) } };
  },
  hash_mismatch({ actual, expected }) {
    const message = `Content sha-256 (${actual}) does not match the expected ${expected}`;
    return { message, fields: { actual, expected } };
  },
  size_mismatch({ actualBytes, expectedBytes }) {
    const message = `Content size (${actualBytes} bytes) does not match the expected ${expectedBytes} bytes`;
    return { message, fields: { actual: actualBytes, expected: expectedBytes } };
  },
  structure_invalid({ settings, language, problems }) {
    const reported = problems.map(({ lineNumber, column, problem }) => {
      const place = column === undefined ? "" : `, column ${column}`;
      return lineNumber === undefined ? problem : `line ${lineNumber}${place}: ${problem}`;
    });
    const what = language === undefined
      ? `Cannot change ${settings ?? "the file"}`
      : `${settings ?? "The content"} is not valid ${language}`;
    return {
      message: `${what}: ${reported.join("; ")}`,
      fields: {
        language,
        problems: problems.map(({ lineNumber: line, column, problem }) => ({ line, column, problem })),
      },
    };
  },
  stale_file({ path, expectedSha256, actualSha256, what, diff, undoes }) {
    const detail = diff === undefined || diff === "" ? undefined : diff.trimEnd().split("\n");
    const shown = detail === undefined ? "" : ". Undoing would change:";
    const fields = { expected_sha256: expectedSha256, actual_sha256: actualSha256, diff };
    const next: NextCall | undefined = undoes !== undefined
      ? { command: "undo", args: { tx: undoes, force: true } }
      : actualSha256 === undefined
      ? undefined
      : { command: "read", args: { fd: path } };
    return { path, message: `Cannot write ${path}: ${what}${shown}`, detail, next, fields };
  },
  match_not_found({ path, edit, sought, after, nearest, why, corrected, eol, retry }, writeParameter) {
    const place = after === undefined ? path : `${path} after its ${after}`;
    const where = nearest.length === 0 ? "no similar text" : `nearest: ${nearest.map(nearLine).join(", ")}`;
    const text = visibleJson(corrected ?? "");
    const isShort = corrected !== undefined && retry === undefined && text.length <= LONGEST_CORRECTED;
    const advice = eol !== undefined && edit === undefined && sought === "old_string"
      ? `; use ${writeParameter({ parameter: "eol", value: eol })}`
      : isShort
      ? `. Write it as ${text}`
      : "";
    const hint = (why === undefined ? "" : `: ${why}`) + advice;
    const message = `${editName(edit)}${sought} was not found in ${place} (${where})${hint}`;
    const near = nearest.map((line) => ({ ...lineFields(line), differs: line.differs }));
    const next = retry === undefined
      ? readAround(path, nearest[0])
      : { command: "edit" as const, args: retry };
    return {
      path,
      message,
      next,
      fields: { edit, sought, nearest: near, why, corrected: isShort ? corrected : undefined },
    };
  },
  match_not_unique({ path, edit, sought, lines, matchCount }, writeParameter) {
    const more = matchCount > lines.length ? " …" : "";
    // In a plan it is a kind of operation.
    const all = sought === "old_string"
      ? writeParameter({ parameter: "replace_all", value: true })
      : "replace_all";
    const message =
      `${editName(edit)}${sought} appears ${matchCount} times in ${path} (${placesText(lines)}${more}${
        edit ? `, counted after edit ${edit}` : ""
      }); ` +
      `include more context to make it unique, or use ${all}`;
    const fields = { edit, sought, matches: matchCount, lines: lines.map(lineFields) };
    return { path, message, next: readAround(path, lines[0]), fields };
  },
  file_not_found({ path, meant, retry, mayCreate }, writeParameter) {
    const parameter = writeParameter({ parameter: "createIfMissing", value: true });
    const how = mayCreate === true ? `; use ${parameter} to create it` : "";
    const message = `Cannot change ${path}: it does not exist${how}${didYouMean(meant)}`;
    const create: NextCall = { command: "create", args: { path } };
    const next = meant === undefined && mayCreate !== true ? create : retry;
    return { path, message, next, fields: { meant } };
  },
  unclear_path({ path, meant, retry }) {
    const hint = /[\b\t\n\f\r]./.test(path) ? " In JSON, a backslash is written \\\\." : "";
    const message =
      `Cannot write ${visibleJson(path)}: there is no such file${didYouMean(meant) || "."}${hint} ` +
      "If the name is meant as it is, write ./ before it";
    return {
      type: "invalid_parameter",
      path,
      message,
      next: retry,
      fields: { field: "path", got: path, meant },
    };
  },
  write_error({ path, what }) {
    return {
      path,
      message: `Cannot write ${path}: it is ${what}; expected a regular file`,
      fields: { what },
    };
  },
  store_file({ path, fd }) {
    const what = fd === undefined ? "a file of the store" : `the content of ${fd}`;
    const message =
      `Cannot write ${path}: it is ${what}, which must not change. Copy it to another file and change that`;
    const next: NextCall = fd === undefined
      ? { command: "ls", args: {} }
      : { command: "to-file", args: { fd, file_path: `${fd.replace(":", "-")}.txt`, exist_ok: false } };
    return { type: "permission_error", fd, path, message, next };
  },
};

/** The text of `fault`. */
export function faultText(fault: WriteFault, writeParameter: ParameterWriter): FailureText {
  return textBy(FAULT_TEXTS, fault, writeParameter);
}

/** Whether `failure` is a fault of a write, not a failure of the disk, which can be a `write_error` too. */
export function isWriteFault(failure: WriteFault | FdFailure): failure is WriteFault {
  return Object.hasOwn(FAULT_TEXTS, failure.kind) && (failure.kind !== "write_error" || "what" in failure);
}

/** How many lines a sentence names; the fields list all of them. */
export const MAX_NAMED = 5;

function numberedLine({ lineNumber, column, text }: ShownLine): string {
  return `line ${lineNumber}${column === undefined ? "" : `, column ${column}`} (${text.trim()})`;
}

function nearLine(line: NearLine): string {
  return `${numberedLine(line)} differs in ${line.differs.join(" and ")}`;
}

function lineFields({ lineNumber, column, text }: ShownLine) {
  return { line: lineNumber, column, text };
}

/** `lines 1, 3` or, with several matches in a line or in a long one, `line 1, columns 5, 90; line 3`. */
function placesText(lines: readonly ShownLine[]): string {
  if (lines.every(({ column }) => column === undefined)) {
    return `lines ${lines.map(({ lineNumber }) => lineNumber).join(", ")}`;
  }
  const places = Map.groupBy(lines, ({ lineNumber }) => lineNumber);
  return [...places].map(([line, all]) => {
    const columns = all.flatMap(({ column }) => column ?? []);
    if (columns.length === 0) return `line ${line}`;
    return `line ${line}, column${columns.length === 1 ? "" : "s"} ${columns.join(", ")}`;
  }).join("; ");
}

/** The call that shows what is around `line`: the first page if there is no such line. */
function readAround(path: string, line: ShownLine | undefined): NextCall {
  // A number is an fd, as is what has the prefix of one.
  const fd = /^(?:\d+$|fd:|ref:)/.test(path) ? `./${path}` : path;
  if (line === undefined) return { command: "read", args: { fd } };
  if (line.charOffset !== undefined) {
    const start = Math.max(0, line.charOffset - CHARS_AROUND);
    return { command: "read", args: { fd, mode: "char", start, count: 2 * CHARS_AROUND } };
  }
  const start = Math.max(1, line.lineNumber - READ_AROUND);
  return { command: "read", args: { fd, mode: "line", start, count: 2 * READ_AROUND + 1 } };
}

const READ_AROUND = 4;
/** UTF-16 units of JSON. */
const LONGEST_CORRECTED = 400;
const CHARS_AROUND = 200;

function didYouMean(meant: string | undefined): string {
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

function editName(edit: number | undefined): string {
  return edit === undefined ? "" : `Edit ${edit + 1}: `;
}
