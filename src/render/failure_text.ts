/**
 * Writes the sentence of each kind of failure and the next command (contract, Answers). A sentence says what failed,
 * why, and what was expected.
 */

import { firstChars } from "../answering/first_few.ts";
import { formatFd, parseFdArgument } from "../../fd/mod.ts";
import type { FdFailure, SliceMode, StorePromise } from "../../fd/system.ts";
import { type Guess, guessCommand, type KnownCommands } from "../arguments/guess_command.ts";
import { nearestOption, nearestParameter, nearestWord } from "../arguments/nearest_word.ts";
import type { NextCall, ParameterWriter } from "../terms/next_call.ts";
import { daysAhead, doubtedFds } from "../answering/clock_doubt.ts";
import { optionText, shellLine } from "../answering/next_command.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import type { WriteFailure } from "../terms/write_failure.ts";
import type { FailureText } from "../terms/failure_words.ts";
import { writeFailureText } from "./write_failure_text.ts";
import type { ArgumentFault, UsageFailure } from "../requests/usage_failure.ts";
import { UNNAMED_DIRECTORY } from "../answering/unnamed_directory.ts";

/** Every failure of a call. */
export type Failure = FdFailure | UsageFailure | RefusedWrite | InternalFailure;

/** A refused write; `write_failure_text.ts` makes its sentences. */
export interface RefusedWrite {
  kind: "write_refused";
  failure: WriteFailure;
}

export interface InternalFailure {
  kind: "internal_error";
  what: string;
}

/** The text of `failure`. `failed` is the command that failed, if known: the one to get help on. */
export function failureText(
  failure: Failure,
  failed: string | undefined,
  writeParameter: ParameterWriter = optionText,
): FailureText {
  switch (failure.kind) {
    case "not_found": {
      const { fd, highestId } = failure;
      const reason = parseFdArgument(fd) === undefined
        ? "expected fd:12, 12 or ref:NAME, or a name"
        : fd.startsWith("ref:")
        ? "unknown name"
        : highestId === 0
        ? "this store is empty"
        : `the newest fd in this store is fd:${highestId}`;
      return {
        type: "not_found",
        fd,
        message: `${fd} not found: ${reason}`,
        next: fd.startsWith("ref:") ? { command: "refs", args: {} } : LIST,
        fields: { highest_id: highestId },
      };
    }
    case "removed": {
      const { fd, removedAtMs, why, source, command, cwd, isImported, parent, byteCount, sha256 } = failure;
      const removedAt = new Date(removedAtMs).toISOString();
      const what = command === undefined ? source : shellLine(command);
      return {
        type: "removed",
        fd,
        message: `${fd} was removed at ${removedAt} (${why}). It had ${byteCount} bytes${
          isImported ? ", was imported," : ""
        } and came from: ${what}`,
        // A command from an archive is shown but never offered, because the archive's author chose it.
        next: command?.[0] === "fdtool" && !isImported
          ? { words: command.slice(1) }
          : command !== undefined && RUN_OPTIONS[source] !== undefined && !isImported
          ? { words: ["run", ...directoryOption(cwd), ...RUN_OPTIONS[source]!, "--", ...command] }
          : parent !== undefined
          ? { command: "read", args: extractionOf(parent) }
          : LIST,
        fields: { removed_at: removedAt, why, source, command, cwd, bytes: byteCount, sha256 },
      };
    }
    case "invalid_page": {
      const { fd, page, pageCount } = failure;
      const nearest = page < 1 ? 1 : pageCount;
      return {
        type: "invalid_page",
        fd,
        message: `Cannot read page ${page} of ${fd}: valid range: 1-${pageCount}`,
        next: { command: "read", args: { fd, start: nearest } },
        fields: { page, pages: pageCount },
      };
    }
    case "invalid_range": {
      const { fd, mode, start, first, last } = failure;
      const isEmpty = last < first;
      const nearest = start < first ? first : last;
      return {
        type: "invalid_range",
        fd,
        message: `Cannot read ${mode} ${start} of ${fd}: ${
          isEmpty ? `it has no ${mode}s` : `valid range: ${first}-${last}`
        }`,
        next: isEmpty
          ? { command: "stat", args: { fd } }
          : { command: "read", args: { fd, mode, start: nearest } },
        fields: { mode, start, first, last },
      };
    }
    case "invalid_parameter": {
      const { field, got, wanted, isTooLarge } = failure;
      return {
        type: "invalid_parameter",
        message: invalidValue(field, got, wanted) +
          (field === "pattern" && isTooLarge !== true
            ? `; use ${writeParameter({ parameter: "fixed", value: true })} for plain text`
            : ""),
        next: helpOf(failed),
        fields: { field, got, wanted },
      };
    }
    case "file_exists":
      return {
        type: "file_exists",
        path: failure.path,
        message: `Cannot create ${failure.path}: it already exists${
          failure.refusedBy === undefined ? "" : ` (${failure.refusedBy})`
        }`,
        fields: {},
      };
    case "file_not_found":
      return {
        type: "file_not_found",
        path: failure.path,
        message: failure.action === undefined
          ? `Cannot write ${failure.path}: it does not exist (create=false)`
          : isShellLine(failure)
          ? `Cannot run ${failure.path}: no program has that name; a line for the shell needs --shell`
          : `Cannot ${failure.action} ${failure.path}: it does not exist`,
        next: isShellLine(failure) ? { words: ["run", "--shell", failure.path] } : undefined,
        fields: {},
      };
    case "outside_root":
      return {
        type: "outside_root",
        path: failure.path,
        message: `Cannot ${
          failure.action ?? "write"
        } ${failure.path}: its real path is outside the root ${failure.root}`,
        fields: { root: failure.root },
      };
    case "not_regular": {
      const { path, what } = failure;
      return {
        type: "read_error",
        path,
        message: `Cannot read ${path}: it is ${what}; expected a regular file`,
        fields: { what },
      };
    }
    case "permission_error":
    case "write_error":
    case "read_error":
    case "storage_full": {
      const { kind, path, action, code, place } = failure;
      const isPlaceOfStore = kind !== "storage_full" && place === "store";
      return {
        type: kind,
        path,
        message: `Cannot ${action} ${path}: ${SYSTEM_REASONS[code] ?? "system error"} (${code})${
          isPlaceOfStore ? "; set FDTOOL_STORE to a directory of yours" : ""
        }`,
        next: kind === "storage_full"
          ? { command: "gc", args: {} }
          : kind === "permission_error" && place !== undefined
          ? { command: "doctor", args: {} }
          : undefined,
        fields: { action, code },
      };
    }
    case "clock_doubted": {
      const { doubtedCount, clockAheadMs } = failure;
      const days = daysAhead(clockAheadMs);
      return {
        type: "clock_doubted",
        message: `Automatic cleaning kept ${
          doubtedFds(doubtedCount)
        }, because the clock jumped ${days} days ahead`,
        next: { command: "gc", args: { dry_run: true } },
        fields: { doubted_count: doubtedCount, clock_ahead_days: days },
      };
    }
    case "archive_truncated":
      return {
        type: "truncated_payload",
        message:
          `Cannot import: the archive is truncated after ${failure.byteCount} bytes. Nothing was stored.`,
        next: helpOf(failed),
        fields: { received_bytes: failure.byteCount },
      };
    case "archive_malformed": {
      const { byteOffset, what } = failure;
      return {
        type: "structure_invalid",
        message: `Cannot import: invalid archive at byte ${byteOffset}: ${what}. Nothing was stored. ` +
          "Expected an unmodified archive from `fdtool export`.",
        next: helpOf(failed),
        fields: { byte: byteOffset },
      };
    }
    case "archive_mismatch": {
      const { member, unit, got, wanted } = failure;
      return {
        type: "hash_mismatch",
        message:
          `Cannot import: ${unit} of ${member} in the archive is ${got}, expected ${wanted}. Nothing was stored.`,
        next: helpOf(failed),
        fields: { member, unit, got, wanted },
      };
    }
    case "store_corrupt": {
      const { fd, path, what } = failure;
      return {
        type: "store_corrupt",
        fd,
        path,
        message: `${fd ?? "The store"} is damaged: ${what} (${path})`,
        next: { command: "verify", args: {} },
        fields: {},
      };
    }
    case "store_unreachable":
    case "store_denied": {
      const { kind, store, action, reason } = failure;
      return {
        type: kind,
        message: `Cannot ${action} in ${store}: ${reason}`,
        next: failed === "store" ? helpOf(failed) : CHECK_STORE,
        fields: { store, action, reason },
      };
    }
    case "not_connected": {
      const { store, command } = failure;
      return {
        type: "not_connected",
        message: command === undefined
          ? `Cannot use ${store}: this host is not connected to that store`
          : `Cannot use the store ${store}: Claude Code runs ${command} without asking, so it reads only the usual store ` +
            "and connected ones",
        next: { words: ["store", "connect", store] },
        fields: { store },
      };
    }
    case "store_unfit": {
      const { store, promise, found } = failure;
      return {
        type: "store_unfit",
        message: `Cannot share fds in ${store}: the object store must ${
          BROKEN_PROMISES[promise]
        }, but ${found}`,
        next: CHECK_STORE,
        fields: { store, promise, found },
      };
    }
    case "write_refused":
      return writeFailureText(
        failure.failure,
        (inner) => failureText(inner, failed, writeParameter),
        writeParameter,
      );
    case "unknown_command":
      return unknownCommandText(failure);
    case "unknown_option":
      return unknownOptionText(failure);
    case "missing_argument": {
      const { command, argument } = failure;
      return usageText(
        `Missing argument ${argument} for ${command}`,
        helpOf(command),
        { field: argument.toLowerCase(), got: "nothing", wanted: argument },
      );
    }
    case "file_for_fd": {
      const { path } = failure;
      return usageText(
        `${path} is a file, not an fd: store it first`,
        { words: ["capture", "--always", path] },
        { field: "fd", got: path, wanted: "fd:12, 12 or ref:NAME" },
      );
    }
    case "extra_argument": {
      const { command, reads, got, most, usage, words, flagAt } = failure;
      const wanted = most === 0 ? "no argument" : most === 1 ? "one argument" : `at most ${most} arguments`;
      const flag = flagAt === undefined ? undefined : `${words[flagAt]}=${words[flagAt + 1]}`;
      return usageText(
        `Unexpected argument ${quoted(got)}. ` +
          (flag === undefined
            ? `Usage: fdtool ${`${command} ${usage}`.trim()}`
            : `Write a flag's value after =: ${flag}`),
        command === "read" && /^\d+[-,:]\d*$/.test(got)
          ? { words: [command, ...words.map((word) => word === got ? `--lines=${got}` : word)] }
          : flag === undefined || !reads
          ? helpOf(command)
          : { words: [command, ...words.toSpliced(flagAt!, 2, flag)] },
        { field: "argument", got, wanted },
      );
    }
    case "bad_value": {
      const { command, option, got, wanted } = failure;
      return usageText(
        invalidValue(option, got, wanted),
        helpOf(command),
        { field: option, got, wanted },
      );
    }
    case "missing_value": {
      const { command, option, wanted } = failure;
      return usageText(
        `Missing value for ${option}: expected ${wanted}`,
        helpOf(command),
        { field: option, got: "nothing", wanted },
      );
    }
    case "conflict": {
      const { command, first, second, wanted } = failure;
      return usageText(
        `Cannot combine ${first} and ${second}: ${wanted}`,
        helpOf(command),
        { field: second, got: `${first} ${second}`, wanted },
      );
    }
    case "unknown_tool": {
      const { got, known, readOnly } = failure;
      const nearest = nearestWord(got, readOnly);
      const hint = nearest === undefined ? `known: ${known.join(", ")}` : `did you mean ${nearest}?`;
      const provider = failed === "serve-jp" ? "jp" : "mcp";
      return usageText(
        `Unknown tool ${quoted(got)}: ${hint}`,
        { command: "tools", args: { for: provider, only: nearest } },
        { field: "name", got, wanted: "a known name", nearest },
      );
    }
    case "bad_arguments": {
      const { tool, faults } = failure;
      const reported = faults.map(argumentFault);
      const [first] = reported;
      const count = reported.length < 2 ? "" : ` (${reported.length} errors)`;
      return usageText(
        `Invalid arguments for ${tool}${count}: ${reported.map(({ sentence }) => sentence).join("; ")}`,
        { command: "tools", args: { for: failed === "serve-jp" ? "jp" : "mcp", only: tool } },
        { tool, ...first?.fields, faults: reported.map(({ fields }) => fields) },
      );
    }
    case "bad_json": {
      const { what, reason } = failure;
      return usageText(
        `Cannot read ${what}: ${reason}`,
        helpOf(failed),
        { field: "arguments", got: reason, wanted: "one JSON object" },
      );
    }
    case "truncated_payload": {
      const { what, charCount } = failure;
      return {
        type: "truncated_payload",
        message:
          `Cannot use ${what}: the JSON is truncated after ${charCount} characters. Nothing was written. ` +
          "Write a large file in steps (a small skeleton, then edits), or pass the content by its handle (fd:N).",
        fields: { received_chars: charCount },
      };
    }
    case "internal_error":
      return {
        type: "internal_error",
        message: `Internal error: ${failure.what}. This is a bug in fdtool; please report it.`,
        next: { command: "verify", args: {} },
        fields: {},
      };
  }
}

/** The option of `run` for the directory in its record. */
function directoryOption(cwd: string | undefined): string[] {
  return cwd !== undefined && cwd !== UNNAMED_DIRECTORY ? ["--cwd", cwd] : [];
}

/** The sources of what `run` stored, and its options for it. */
const RUN_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  run: [],
  "run stdout": ["--split"],
  "run stderr": ["--split"],
};

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  EDQUOT: "disk quota exceeded",
  EFBIG: "file too large",
  EIO: "input/output error",
  ENOENT: "no such file or directory",
  ENOTDIR: "a path component is not a directory",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  EBADF: "it is closed",
  EPIPE: "its reader closed the pipe",
  ESTALE: "its writer just finished and truncated it to its size limit; read it again",
};

const BROKEN_PROMISES: Readonly<Record<StorePromise, string>> = {
  create_once: "create a key only once (If-None-Match)",
  replace_seen: "replace an object only if its etag is the given one (If-Match)",
  read_own_write: "return what was written last",
  ranges: "return exactly the range asked for",
  ordered_list: "list all keys, in order",
  answers: "answer in the form of the S3 API",
};

const LIST: NextCall = { command: "ls", args: {} };
const CHECK_STORE: NextCall = { command: "store", args: { action: "check" } };

function helpOf(command: string | undefined): NextCall {
  return { command: "help", args: { command } };
}

function usageText(message: string, next: NextCall, fields: Record<string, unknown>): FailureText {
  return { type: "invalid_parameter", message, next, fields };
}

/** Whether a program that was not found is a whole line for the shell, as one word. */
function isShellLine({ isProgram, path }: Extract<FdFailure, { kind: "file_not_found" }>): boolean {
  return isProgram === true && /[\s|;&<>$`]/.test(path);
}

/** Offers a similar command if it changes nothing, else the help. */
function unknownCommandText(failure: Unknown<"unknown_command">): FailureText {
  const { got, words, at } = failure;
  const message = `Unknown command ${quoted(got)}`;
  // For help on a command, the help of the similar one is offered, whatever that command does.
  const isHelp = words[0] === "help" && at === 1;
  const meant = isHelp ? helpMeant(words, failure) : guessCommand(words, failure);
  const fields = { field: "command", got, wanted: "a known name", nearest: meant?.command };
  const hint = meant?.command === undefined ? "" : `: did you mean ${meant.command}?`;
  return usageText(message + hint, { words: meant?.next ?? ["help"] }, fields);
}

function helpMeant(
  [, got = ""]: readonly string[],
  known: KnownCommands,
): Guess | undefined {
  const nearest = nearestWord(got, Object.keys(known.aliasOf));
  const command = nearest === undefined ? guessCommand([got], known)?.command : known.aliasOf[nearest];
  return command === undefined ? undefined : { command, next: ["help", command] };
}

/** Offers the call with a similar option if the command only reads, else the help. */
function unknownOptionText(failure: Unknown<"unknown_option">): FailureText {
  const { got, words, at, command, reads, known, aliasOf } = failure;
  const nearest = nearestOption(got, known, aliasOf);
  const message = `Unknown option ${quoted(got)}${command === undefined ? "" : ` of ${command}`}`;
  const fields = { field: got, got, wanted: "a known name", nearest };
  if (nearest === undefined) return usageText(message, helpOf(command), fields);
  const next = reads && nearest !== "--help"
    ? { words: words.with(at, nearest + words[at]!.slice(got.length)) }
    : helpOf(command);
  return usageText(`${message}: did you mean ${nearest}?`, next, fields);
}

type Unknown<Kind extends UsageFailure["kind"]> = Extract<UsageFailure, { kind: Kind }>;

function argumentFault({ field, got, wanted, known }: ArgumentFault): { sentence: string; fields: object } {
  if (known === undefined) {
    return { sentence: `${field}: got ${got}, expected ${wanted}`, fields: { field, got, wanted } };
  }
  const name = field.slice(field.lastIndexOf(".") + 1);
  const nearest = nearestParameter(name, known);
  const hint = nearest === undefined ? `known: ${known.join(", ")}` : `did you mean ${nearest}?`;
  return { sentence: `${field}: unknown parameter; ${hint}`, fields: { field, got, wanted, nearest } };
}

/** The read that restores a removed fd that was a slice of `parent`. */
function extractionOf(parent: { id: number; mode: SliceMode; start: number; count: number }): ReadRequest {
  const { id, mode, start, count } = parent;
  return { fd: formatFd(id), mode, start, count, extract_to_new_fd: true };
}

/** `Invalid --count "x": expected a whole number`. */
function invalidValue(name: string, got: string, wanted: string): string {
  return `Invalid ${name} ${quoted(got)}: expected ${wanted}`;
}

/** Quotes a value so that whitespace and control chars in it are visible; a long one is truncated, visibly. */
function quoted(text: string): string {
  return JSON.stringify(firstChars(text, 80));
}
