/**
 * The one place where the sentence of each kind of failure is made, and the command to run next (contract, Answers and Writing files).
 * A sentence says the action, what is, and what was wanted; the hint stands apart.
 *
 * @module
 */

import { type FdFailure, formatFd, parseFdArgument, type SliceMode } from "../../fd/mod.ts";
import { type Guess, guessCommand, READING_COMMANDS } from "../arguments/guess_command.ts";
import { nearestOption, nearestParameter } from "../arguments/nearest_option.ts";
import { nearestWord } from "../arguments/nearest_word.ts";
import type { NextCall } from "../terms/next_call.ts";
import { shellLine } from "../answering/next_command.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import type { WriteFailure } from "../terms/write_failure.ts";
import type { FailureText } from "./failure_words.ts";
import { writeFailureText } from "./write_failure_text.ts";
import type { ArgumentFault, UsageFailure } from "../requests/usage_failure.ts";
import { UNNAMED_DIRECTORY } from "../answering/unnamed_directory.ts";

/** Everything that a call can fail with. */
export type Failure = FdFailure | UsageFailure | RefusedWrite | InternalFailure;

/** A write that was refused; its sentences are made in `write_failure_text.ts`. */
export interface RefusedWrite {
  kind: "write_refused";
  failure: WriteFailure;
}

/** A fault of the program itself. */
export interface InternalFailure {
  kind: "internal_error";
  what: string;
}

/** The text of `failure`. `failed` is the command that failed, if it is known: the one to get help on. */
export function failureText(failure: Failure, failed: string | undefined): FailureText {
  switch (failure.kind) {
    case "not_found": {
      const { fd, highestId } = failure;
      const there = parseFdArgument(fd) === undefined
        ? "an fd is written fd:12, 12 or ref:NAME"
        : fd.startsWith("ref:")
        ? "no such name is bound in this store"
        : highestId === 0
        ? "this store is empty"
        : `the newest fd in this store is fd:${highestId}`;
      return {
        type: "not_found",
        fd,
        message: `${fd} not found: ${there}`,
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
        message: `${fd} was removed at ${removedAt} (${why}): it ${
          isImported ? "was imported and " : ""
        }held ${byteCount} bytes of: ${what}`,
        // What an archive says was run is shown, and never offered: whoever wrote the archive chose it.
        next: command?.[0] === "fdtool" && !isImported
          ? { words: command.slice(1) }
          : command !== undefined && source.startsWith("run") && !isImported
          ? { words: ["run", ...runWishes(source, cwd), "--", ...command] }
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
      const { field, got, wanted } = failure;
      return {
        type: "invalid_parameter",
        message: `Cannot take ${quoted(got)} for ${field}: wanted ${wanted}`,
        next: helpOf(failed),
        fields: { field, got, wanted },
      };
    }
    case "file_exists":
      return {
        type: "file_exists",
        path: failure.path,
        message: `Cannot create ${failure.path}: it exists, and the call says that it must not`,
        fields: {},
      };
    case "file_not_found":
      return {
        type: "file_not_found",
        path: failure.path,
        message: failure.action === undefined
          ? `Cannot find ${failure.path}: it does not exist, and the call says not to create it`
          : `Cannot ${failure.action} ${failure.path}: it does not exist`,
        fields: {},
      };
    case "outside_root":
      return {
        type: "outside_root",
        path: failure.path,
        message: `Cannot ${
          failure.action ?? "write"
        } ${failure.path}: its real path lies outside the root ${failure.root}`,
        fields: { root: failure.root },
      };
    case "not_regular": {
      const { path, what } = failure;
      return {
        type: "read_error",
        path,
        message: `Cannot read ${path}: it is ${what}; only a regular file can be read`,
        fields: { what },
      };
    }
    case "permission_error":
    case "write_error":
    case "read_error":
    case "storage_full": {
      const { kind, path, action, code } = failure;
      return {
        type: kind,
        path,
        message: `Cannot ${action} ${path}: ${SYSTEM_REASONS[code] ?? "the system refused"} (${code})`,
        next: kind === "storage_full" ? { command: "gc", args: {} } : undefined,
        fields: { action, code },
      };
    }
    case "archive_truncated":
      return {
        type: "truncated_payload",
        message:
          `Cannot import: the archive ends too early, after ${failure.byteCount} bytes. Nothing was stored.`,
        next: helpOf(failed),
        fields: { received_bytes: failure.byteCount },
      };
    case "archive_malformed": {
      const { byteOffset, what } = failure;
      return {
        type: "structure_invalid",
        message: `Cannot import: at byte ${byteOffset} of the archive, ${what}. Nothing was stored. ` +
          "It takes what fdtool export wrote, unchanged.",
        next: helpOf(failed),
        fields: { byte: byteOffset },
      };
    }
    case "archive_mismatch": {
      const { member, unit, got, wanted } = failure;
      return {
        type: "hash_mismatch",
        message:
          `Cannot import: ${unit} of ${member} in the archive is ${got}, wanted ${wanted}. Nothing was stored.`,
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
        message: `Cannot trust ${fd ?? "the store"}: ${what} (${path})`,
        next: { command: "verify", args: {} },
        fields: {},
      };
    }
    case "write_refused":
      return writeFailureText(failure.failure, (inner) => failureText(inner, failed));
    case "unknown_command":
      return unknownCommandText(failure);
    case "unknown_option":
      return unknownOptionText(failure);
    case "missing_argument": {
      const { command, argument } = failure;
      return usageText(
        `Cannot run ${command}: ${argument} is missing`,
        helpOf(command),
        { field: argument.toLowerCase(), got: "nothing", wanted: argument },
      );
    }
    case "extra_argument": {
      const { command, got, most, words, flagAt } = failure;
      const wanted = most === 0
        ? "no argument"
        : most === 1
        ? "one argument"
        : `no more than ${most} arguments`;
      const flag = flagAt === undefined ? undefined : `${words[flagAt]}=${words[flagAt + 1]}`;
      return usageText(
        `Cannot run ${command}: one argument too many, ${quoted(got)}: it takes ${wanted}` +
          (flag === undefined ? "" : `; a flag takes its value behind =: ${flag}`),
        flag === undefined || !READING_COMMANDS.has(command)
          ? helpOf(command)
          : { words: [command, ...words.toSpliced(flagAt!, 2, flag)] },
        { field: "argument", got, wanted },
      );
    }
    case "bad_value": {
      const { command, option, got, wanted } = failure;
      const came = got === "" ? "an empty value" : quoted(got);
      return usageText(
        `Cannot take ${came} for ${option}: wanted ${wanted}`,
        helpOf(command),
        { field: option, got, wanted },
      );
    }
    case "missing_value": {
      const { command, option, wanted } = failure;
      return usageText(
        `Cannot take ${option} without a value: wanted ${wanted}`,
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
      const told = faults.map(argumentFault);
      const [first] = told;
      const count = told.length < 2 ? "" : ` (${told.length} faults)`;
      return usageText(
        `Cannot call ${tool}${count}: ${told.map(({ sentence }) => sentence).join("; ")}`,
        { command: "tools", args: { for: failed === "serve-jp" ? "jp" : "mcp", only: tool } },
        { tool, ...first?.fields, faults: told.map(({ fields }) => fields) },
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
          `Cannot use ${what}: the JSON ends too early, after ${charCount} characters. Nothing was written. ` +
          "Build a large file in steps (a small skeleton, then edits), or bring the content by its handle (fd:N).",
        fields: { received_chars: charCount },
      };
    }
    case "internal_error":
      return {
        type: "internal_error",
        message: `Internal error: ${failure.what}. This is a fault of fdtool, not of the call.`,
        next: { command: "verify", args: {} },
        fields: {},
      };
  }
}

/** The options of a `run` as its record tells them: where it ran, and that it kept two streams apart. */
function runWishes(source: string, cwd: string | undefined): string[] {
  const isNamed = cwd !== undefined && cwd !== UNNAMED_DIRECTORY;
  return [...(isNamed ? ["--cwd", cwd] : []), ...(source === "run" ? [] : ["--split"])];
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left",
  EDQUOT: "the disk quota is used up",
  EFBIG: "the file would be too large",
  EIO: "input or output error of the device",
  ENOENT: "no such file or directory",
  ENOTDIR: "a path component is not a directory",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  EBADF: "it is closed",
  EPIPE: "its reader closed it",
  ESTALE: "its writer has just ended it and cut it at its cap; read it again",
};

const LIST: NextCall = { command: "ls", args: {} };

function helpOf(command: string | undefined): NextCall {
  return { command: "help", args: { command } };
}

function usageText(message: string, next: NextCall, fields: Record<string, unknown>): FailureText {
  return { type: "invalid_parameter", message, next, fields };
}

/** With a near command that changes nothing, that one; without, the help. */
function unknownCommandText({ got, words, at, aliasOf }: Unknown<"unknown_command">): FailureText {
  const message = `Unknown command ${quoted(got)}`;
  // Of a command whose help was asked for, only the help is offered: that is harmless whatever the command does.
  const isHelp = words[0] === "help" && at === 1;
  const meant = isHelp ? helpMeant(words, aliasOf) : guessCommand(words, aliasOf);
  const fields = { field: "command", got, wanted: "a known name", nearest: meant?.command };
  const hint = meant?.command === undefined ? "" : `: did you mean ${meant.command}?`;
  return usageText(message + hint, { words: meant?.next ?? ["help"] }, fields);
}

function helpMeant(
  [, got = ""]: readonly string[],
  aliasOf: Readonly<Record<string, string>>,
): Guess | undefined {
  const nearest = nearestWord(got, Object.keys(aliasOf));
  const command = nearest === undefined ? guessCommand([got], aliasOf)?.command : aliasOf[nearest];
  return command === undefined ? undefined : { command, next: ["help", command] };
}

/** With a near option, that one, in the whole call where the command only reads; without, the help. */
function unknownOptionText(failure: Unknown<"unknown_option">): FailureText {
  const { got, words, at, command, known, aliasOf } = failure;
  const nearest = nearestOption(got, known, aliasOf);
  const message = `Unknown option ${quoted(got)}${command === undefined ? "" : ` of ${command}`}`;
  const lines = command === "read" ? firstLines(words, at) : undefined;
  if (lines !== undefined) {
    const fields = { field: got, got, wanted: "a known name", nearest: "--lines" };
    return usageText(`${message}: did you mean --lines?`, { words: lines }, fields);
  }
  const fields = { field: got, got, wanted: "a known name", nearest };
  if (nearest === undefined) return usageText(message, helpOf(command), fields);
  const next = command !== undefined && READING_COMMANDS.has(command) && nearest !== "--help"
    ? { words: words.with(at, nearest + words[at]!.slice(got.length)) }
    : helpOf(command);
  return usageText(`${message}: did you mean ${nearest}?`, next, fields);
}

/** `--head 5` as the option that reads the first lines. */
function firstLines(words: readonly string[], at: number): string[] | undefined {
  const [written, value] = words[at]!.split("=");
  const count = value ?? words[at + 1] ?? "";
  if (!["--head", "--first"].includes(written!) || !/^[1-9]\d*$/.test(count)) return undefined;
  return words.toSpliced(at, value === undefined ? 2 : 1, "--lines", `1-${count}`);
}

type Unknown<Kind extends UsageFailure["kind"]> = Extract<UsageFailure, { kind: Kind }>;

function argumentFault({ field, got, wanted, known }: ArgumentFault): { sentence: string; fields: object } {
  if (known === undefined) {
    return { sentence: `${field}: got ${got}, wanted ${wanted}`, fields: { field, got, wanted } };
  }
  const name = field.slice(field.lastIndexOf(".") + 1);
  const nearest = nearestParameter(name, known);
  const hint = nearest === undefined ? `known: ${known.join(", ")}` : `did you mean ${nearest}?`;
  return { sentence: `${field}: no such parameter; ${hint}`, fields: { field, got, wanted, nearest } };
}

/** The read that makes the fd again that was a slice of `parent`. */
function extractionOf(parent: { id: number; mode: SliceMode; start: number; count: number }): ReadRequest {
  const { id, mode, start, count } = parent;
  return { fd: formatFd(id), mode, start, count, extract_to_new_fd: true };
}

/** What came, so that white space and control chars in it are seen; long values are cut, and say so. */
function quoted(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}… (${text.length} chars)` : text;
  return JSON.stringify(shown);
}
