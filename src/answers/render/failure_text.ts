/**
 * Writes the sentence of each kind of failure and the next command (contract, Answers). A sentence says what failed,
 * why, and what was expected.
 */

import { firstChars } from "../parts/first_few.ts";
import { formatFd, isOffline, parseFdArgument } from "../../../fd/mod.ts";
import {
  failureOfSystem,
  FdError,
  type FdFailure,
  type SliceMode,
  type StorePromise,
  systemCode,
} from "../../../fd/system.ts";
import { type Guess, guessCommand, type KnownCommands } from "../../calls/arguments/guess_command.ts";
import { nearestOption, nearestParameter, nearestWord } from "../../calls/arguments/nearest_word.ts";
import { type NextCall, type ParameterWriter, shortCall } from "../../calls/terms/next_call.ts";
import { counted } from "../parts/grouped_digits.ts";
import { agoText, daysAhead, doubtedFds } from "../parts/moment_text.ts";
import { optionText, shellLine } from "../parts/next_command.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";
import { WriteError, type WriteFailure } from "../../calls/terms/write_failure.ts";
import { type FailureText, type FailureTexts, textBy } from "../../calls/terms/failure_words.ts";
import { writeFailureText } from "./write_failure_text.ts";
import { type ArgumentFault, UsageError, type UsageFailure } from "../../calls/requests/usage_failure.ts";
import { namedDirectory } from "../../calls/terms/command.ts";

/** Every failure of a call. */
export type Failure =
  | FdFailure
  | UsageFailure
  | InternalFailure
  /** `write_failure_text.ts` makes its sentences. */
  | { kind: "write_refused"; failure: WriteFailure };

interface InternalFailure {
  kind: "internal_error";
  what: string;
}

/** The failure that a thrown error carries, a system error's own, or else a bug in fdtool. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FdError || thrown instanceof UsageError) return thrown.failure;
  if (thrown instanceof WriteError) return { kind: "write_refused", failure: thrown.failure };
  if (systemCode(thrown) !== undefined && thrown instanceof Error && "path" in thrown) {
    return failureOfSystem(thrown, "read", "use", String(thrown.path));
  }
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return { kind: "internal_error", what };
}

/** `failed` is the command that failed, if known: the one to get help on. */
interface Words {
  failed: string | undefined;
  writeParameter: ParameterWriter;
}

/** The text of `failure`; `failed` is the command that failed, if known. What came is repeated in part if it is long. */
export function failureText(
  failure: Failure,
  failed: string | undefined,
  writeParameter?: ParameterWriter,
): FailureText {
  const shown = JSON.stringify(failure).length > MAX_ECHOED ? shortened(failure) : failure;
  const text = textOf(shown, failed, writeParameter);
  // A call with a part of a value is another call.
  return shown === failure ? text : { ...text, next: undefined };
}

/** UTF-16 units of a value that came, and how many are repeated of a longer one: some are, up to four times. */
const MAX_ECHOED = 1000;
const ECHOED_PART = 200;
const ECHOED = " fd path got handle field at tool ";
const MAX_FAULTS = 20;

/** `value` with the values in it that came, and are long, in part; the same object if there are none. */
function shortened<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  let isSame = true;
  const parts = Object.entries(value).map(([name, part]) => {
    const isEchoed = typeof part === "string" && ECHOED.includes(` ${name} `);
    const short = isEchoed
      ? part.length <= MAX_ECHOED ? part : firstChars(part, ECHOED_PART)
      : name === "retry"
      ? part
      : shortened(part);
    isSame &&= short === part;
    return [name, short];
  });
  return isSame
    ? value
    : Array.isArray(value)
    ? parts.map(([, part]) => part) as Value
    : Object.fromEntries(parts);
}

function textOf(
  failure: Failure,
  failed: string | undefined,
  writeParameter: ParameterWriter = optionText,
): FailureText {
  const words = { failed, writeParameter };
  if (failure.kind === "write_refused") {
    const describeOther = (inner: FdFailure) => textOf(inner, failed, writeParameter);
    return writeFailureText(failure.failure, { describeOther, writeParameter });
  }
  return isUsage(failure)
    ? textBy(USAGE_TEXTS, failure, words, "invalid_parameter")
    : textBy(FAILURE_TEXTS, failure, words);
}

function isUsage(failure: FdFailure | InternalFailure | UsageFailure): failure is UsageFailure {
  return Object.hasOwn(USAGE_TEXTS, failure.kind);
}

/** The option of `run` for the directory in its record. */
function directoryOption(cwd: string | undefined): string[] {
  return cwd !== undefined && namedDirectory(cwd) !== undefined ? ["--cwd", cwd] : [];
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
  EBUSY: "it is in use, or a mount point, which cannot be replaced; change the file that is mounted there",
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

function toolsFor(failed: string | undefined, only: string | undefined): NextCall {
  return { command: "tools", args: { for: failed === "serve-jp" ? "jp" : "mcp", only } };
}

type Of<Kind extends Failure["kind"]> = Extract<Failure, { kind: Kind }>;

const FAILURE_TEXTS: FailureTexts<FdFailure | InternalFailure, Words> = {
  not_found({ fd, highestId }) {
    const isName = fd.startsWith("ref:");
    const named = parseFdArgument(fd);
    const reason = /^(?:-|last(?:~\d+)?)$/.test(fd)
      ? highestId === 0 ? "this store is empty" : "too few fds fit, or the command takes none by age"
      : named === undefined
      ? "expected fd:12, 12 or ref:NAME, or a name"
      : isName
      ? "unknown name"
      : named.by === "id" && isOffline(named.id)
      ? "its host has not shared it yet (fdtool sync there), or it is not of this store"
      : highestId === 0
      ? "this store is empty"
      : `the newest fd in this store is fd:${highestId}`;
    const next: NextCall = isName ? { command: "refs", args: {} } : LIST;
    return { fd, message: `${fd} not found: ${reason}`, next, fields: { highest_id: highestId } };
  },
  removed({ fd, removedAtMs, why, source, command, cwd, isImported, parent, byteCount, sha256 }) {
    const removedAt = new Date(removedAtMs).toISOString();
    const what = command === undefined ? source : shellLine(command);
    return {
      fd,
      message: `${fd} was removed ${agoText(removedAtMs, Date.now())}${
        why.startsWith("removed ") ? why.slice("removed".length) : `: ${why}`
      } (${counted(byteCount, "byte")}, ${isImported ? "imported, " : ""}from ${what})`,
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
  },
  invalid_page({ fd, page, pageCount }) {
    const message = `Cannot read page ${page} of ${fd}: valid range: 1-${pageCount}`;
    const next: NextCall = { command: "read", args: { fd, start: page < 1 ? 1 : pageCount } };
    return { fd, message, next, fields: { page, pages: pageCount } };
  },
  invalid_range({ fd, mode, start, first, last }) {
    const isEmpty = last < first;
    const valid = isEmpty ? `it has no ${mode}s` : `valid range: ${first}-${last}`;
    const next: NextCall = isEmpty
      ? { command: "stat", args: { fd } }
      : { command: "read", args: { fd, mode, start: start < first ? first : last } };
    const message = `Cannot read ${mode} ${start} of ${fd}: ${valid}`;
    return { fd, message, next, fields: { mode, start, first, last } };
  },
  invalid_parameter({ field, got, wanted, isTooLarge, fault }, { failed, writeParameter }) {
    const hint = field === "pattern" && isTooLarge !== true
      ? `; use ${writeParameter({ parameter: "fixed", value: true })} for plain text`
      : "";
    const invalid = fault === undefined
      ? invalidValue(field, got, wanted)
      : `Invalid ${field} ${quoted(got)}: ${fault}. Expected ${wanted}`;
    const message = invalid + hint;
    return { message, next: helpOf(failed), fields: { field, got, wanted } };
  },
  file_exists({ path, refusedBy }) {
    const why = refusedBy === undefined ? "" : ` (${refusedBy})`;
    return { path, message: `Cannot create ${path}: it already exists${why}` };
  },
  file_not_found({ path, action, isProgram }) {
    // A program that was not found may be a whole line for the shell, as one word.
    const isLine = isProgram === true && /[\s|;&<>$`]/.test(path);
    const isFd = action === "read" && /^(fd|ref):/.test(path);
    const told = (why: string, next?: string[]) => ({
      path,
      message: `Cannot ${action ?? "write"} ${path}: ${why}`,
      next: next && { words: next },
    });
    if (isLine) {
      return told("no program has that name; a line for the shell needs --shell", ["run", "--shell", path]);
    }
    if (isProgram === true && !/[\\/]/.test(path)) return told("no program in PATH has that name");
    if (isFd) return told("it is an fd; expected a file", ["path", path]);
    return told(`it does not exist${action === undefined ? " (create=false)" : ""}`);
  },
  outside_root({ path, root, cwd, meant, action = "write" }) {
    const start = cwd === undefined ? "" : `; relative paths start ${cwd === root ? "there" : `in ${cwd}`}`;
    const guess = meant === undefined ? "" : `; did you mean ${meant}?`;
    const message = `Cannot ${action} ${path}: its real path is outside the root ${root}${start}${guess}`;
    const next: NextCall | undefined = meant === undefined
      ? undefined
      : { command: "read", args: { fd: meant } };
    return { path, message, next, fields: { root, meant } };
  },
  not_regular({ path, what }) {
    const message = `Cannot read ${path}: it is ${what}; expected a regular file`;
    return { type: "read_error", path, message, fields: { what } };
  },
  permission_error: systemText,
  write_error: systemText,
  read_error: systemText,
  storage_full: systemText,
  clock_doubted({ doubtedCount, clockAheadMs }) {
    const days = daysAhead(clockAheadMs);
    const kept = doubtedFds(doubtedCount);
    const message = `Automatic cleaning kept ${kept}, because the clock jumped ${days} days ahead`;
    const next: NextCall = { command: "gc", args: { dry_run: true } };
    return { message, next, fields: { doubted_count: doubtedCount, clock_ahead_days: days } };
  },
  archive_truncated({ byteCount }, { failed }) {
    const message = `Cannot import: the archive is truncated after ${byteCount} bytes. Nothing was stored.`;
    const fields = { received_bytes: byteCount };
    return { type: "truncated_payload", message, next: helpOf(failed), fields };
  },
  archive_malformed({ byteOffset, what }, { failed }) {
    const message = `Cannot import: invalid archive at byte ${byteOffset}: ${what}. Nothing was stored. ` +
      "Expected an unmodified archive from `fdtool export`.";
    return { type: "structure_invalid", message, next: helpOf(failed), fields: { byte: byteOffset } };
  },
  archive_mismatch({ member, unit, got, wanted }, { failed }) {
    const message =
      `Cannot import: ${unit} of ${member} in the archive is ${got}, expected ${wanted}. Nothing was stored.`;
    return { type: "hash_mismatch", message, next: helpOf(failed), fields: { member, unit, got, wanted } };
  },
  store_corrupt({ fd, path, what }) {
    const message = `${fd ?? "The store"} is damaged: ${what} (${path})`;
    return { fd, path, message, next: { command: "verify", args: {} } };
  },
  store_unreachable: objectStoreText,
  store_denied: objectStoreText,
  over_quota({ store, reason }) {
    const next: NextCall = { command: "sync", args: { wait: true } };
    return { message: `Cannot share in ${store}: ${reason}`, next, fields: { store, reason } };
  },
  not_connected({ store, command }) {
    return {
      message: command === undefined
        ? `Cannot use ${store}: this host is not connected to that store`
        : `Cannot use the store ${store}: Claude Code runs ${command} without asking, so it reads only the usual store ` +
          "and connected ones",
      next: { words: ["store", "connect", store] },
      fields: { store },
    };
  },
  store_unfit({ store, promise, found }) {
    const wanted = BROKEN_PROMISES[promise];
    const message = `Cannot share fds in ${store}: the object store must ${wanted}, but ${found}`;
    return { message, next: CHECK_STORE, fields: { store, promise, found } };
  },
  internal_error({ what }) {
    const message = `Internal error: ${what}. This is a bug in fdtool; please report it.`;
    return { message, next: { command: "verify", args: {} } };
  },
};

function systemText(
  { kind, path, action, code, place }: Of<"permission_error" | "write_error" | "read_error" | "storage_full">,
) {
  const hint = kind !== "storage_full" && place === "store"
    ? "; set FDTOOL_STORE to a directory that you can write"
    : "";
  const next: NextCall | undefined = place === "file"
    ? undefined
    // Whether cleaning would free anything, `doctor` finds out.
    : kind === "storage_full" || kind === "permission_error" && place !== undefined
    ? { command: "doctor", args: {} }
    : undefined;
  const message = `Cannot ${action} ${path}: ${SYSTEM_REASONS[code] ?? "system error"} (${code})${hint}`;
  return { path, message, next, fields: { action, code } };
}

function objectStoreText(
  { store, action, reason }: Of<"store_unreachable" | "store_denied">,
  { failed }: Words,
) {
  const next = failed === "store" ? helpOf(failed) : CHECK_STORE;
  return { message: `Cannot ${action} in ${store}: ${reason}`, next, fields: { store, action, reason } };
}

const USAGE_TEXTS: FailureTexts<UsageFailure, Words> = {
  /** Offers a similar command if it changes nothing, else the help. */
  unknown_command(failure) {
    const { got, words, at } = failure;
    // For help on a command, the help of the similar one is offered, whatever that command does.
    const isHelp = words[0] === "help" && at === 1;
    const meant = isHelp ? helpMeant(words, failure) : guessCommand(words, failure);
    const nearest = meant?.command;
    const message = `Unknown command ${quoted(got)}${
      nearest === undefined ? "" : `: did you mean ${nearest}?`
    }`;
    const fields = { field: "command", got, wanted: "a known name", nearest };
    return { message, next: { words: meant?.next ?? ["help"] }, fields };
  },
  /** Offers the call with a similar option if the command only reads, else the help. */
  unknown_option({ got, words, at, command, reads, known, aliasOf }) {
    const nearest = nearestOption(got, known, aliasOf);
    const message = `Unknown option ${quoted(got)}${command === undefined ? "" : ` of ${command}`}`;
    const mayCorrect = reads && nearest !== undefined && nearest !== "--help";
    return {
      message: nearest === undefined ? message : `${message}: did you mean ${nearest}?`,
      next: mayCorrect ? { words: words.with(at, nearest + words[at]!.slice(got.length)) } : helpOf(command),
      fields: { field: got, got, wanted: "a known name", nearest },
    };
  },
  missing_argument({ command, argument, why, usage }) {
    const fields = { field: argument.toLowerCase(), got: "nothing", wanted: argument };
    const hint = why !== undefined
      ? `: ${why}`
      : usage === undefined
      ? ""
      : `. Usage: fdtool ${command} ${usage}`;
    return { message: `${command} needs ${argument}${hint}`, next: helpOf(command), fields };
  },
  no_fd_or_file({ got, highestId, nearest, next }) {
    const guess = nearest === undefined ? "" : `; did you mean ${nearest}?`;
    return {
      type: "not_found",
      fd: got,
      message: `No fd, name or file is called ${quoted(got)}${guess}`,
      next: next === undefined ? LIST : next as NextCall,
      fields: { highest_id: highestId, nearest },
    };
  },
  file_for_fd({ path, unasked }) {
    const why = unasked === undefined
      ? "not an fd"
      : `and ${unasked} may run unasked here (CLAUDECODE is set), so it reads only fds`;
    return {
      message: `${path} is a file, ${why}: store it first`,
      next: { words: ["capture", "--always", path] },
      fields: { field: "fd", got: path, wanted: "fd:12, 12 or ref:NAME" },
    };
  },
  extra_argument({ command, reads, got, most, usage, words, flagAt }) {
    const wanted = most === 0 ? "no argument" : most === 1 ? "one argument" : `at most ${most} arguments`;
    const flag = flagAt === undefined ? undefined : `${words[flagAt]}=${words[flagAt + 1]}`;
    const hint = flag === undefined
      ? `Usage: fdtool ${`${command} ${usage}`.trim()}`
      : `Write a flag's value after =: ${flag}`;
    return {
      message: `Unexpected argument ${quoted(got)}. ${hint}`,
      next: command === "read" && /^\d+[-,:]\d*$/.test(got)
        ? { words: [command, ...words.map((word) => word === got ? `--lines=${got}` : word)] }
        : flag === undefined || !reads
        ? helpOf(command)
        : { words: [command, ...words.toSpliced(flagAt!, 2, flag)] },
      fields: { field: "argument", got, wanted },
    };
  },
  bad_value({ command, option, got, wanted }) {
    const message = invalidValue(option, got, wanted);
    return { message, next: helpOf(command), fields: { field: option, got, wanted } };
  },
  missing_value({ command, option, wanted }) {
    const message = `${option} needs ${wanted}`;
    return { message, next: helpOf(command), fields: { field: option, got: "nothing", wanted } };
  },
  conflict({ command, first, second, wanted }) {
    const fields = { field: second, got: `${first} ${second}`, wanted };
    return { message: `Cannot combine ${first} and ${second}: ${wanted}`, next: helpOf(command), fields };
  },
  unknown_tool({ got, known, readOnly }, { failed }) {
    const nearest = nearestWord(got, readOnly);
    const hint = nearest === undefined ? `known: ${known.join(", ")}` : `did you mean ${nearest}?`;
    const fields = { field: "name", got, wanted: "a known name", nearest };
    return { message: `Unknown tool ${quoted(got)}: ${hint}`, next: toolsFor(failed, nearest), fields };
  },
  bad_arguments({ tool, faults }, { failed }) {
    const reported = faults.slice(0, MAX_FAULTS).map(argumentFault);
    const more = faults.length > MAX_FAULTS ? `; and ${faults.length - MAX_FAULTS} more` : "";
    const count = faults.length < 2 ? "" : ` (${faults.length} errors)`;
    const said = reported.map(({ sentence }) => sentence).join("; ") + more;
    const fields = { tool, ...reported[0]?.fields, faults: reported.map(({ fields }) => fields) };
    const retry = faults.find((fault) => fault.retry !== undefined)?.retry;
    return {
      message: `Invalid arguments for ${tool}${count}: ${said}`,
      next: retry && shortCall(retry) || toolsFor(failed, tool),
      fields,
    };
  },
  bad_json({ what, reason, retry }, { failed }) {
    const fields = { field: "arguments", got: reason, wanted: "one JSON object" };
    return {
      message: `Cannot read ${what}: ${reason}`,
      next: retry && shortCall(retry) || helpOf(failed),
      fields,
    };
  },
  truncated_payload({ what, charCount }) {
    return {
      type: "truncated_payload",
      message:
        `Cannot use ${what}: the JSON is truncated after ${charCount} characters. Nothing was written. ` +
        "Write a large file in steps (a small skeleton, then edits), or pass the content by its handle (fd:N).",
      fields: { received_chars: charCount },
    };
  },
};

function helpMeant([, got = ""]: readonly string[], known: KnownCommands): Guess | undefined {
  const nearest = nearestWord(got, Object.keys(known.aliasOf));
  const command = nearest === undefined ? guessCommand([got], known)?.command : known.aliasOf[nearest];
  return command === undefined ? undefined : { command, next: ["help", command] };
}

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
