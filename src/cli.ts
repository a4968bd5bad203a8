/**
 * One call of the program: parse, run, render, exit code. The only place that joins commands to renderers.
 */

import { type Environment, listOpenTransactions } from "../fd/mod.ts";
import { fail, FdError, ifPossible, utf8Bytes } from "../fd/system.ts";
import type { Answer, FramedAnswer, PassThrough } from "./calls/terms/answers.ts";
import {
  type Command,
  type CommandCall,
  type Host,
  type Operation,
  type Outcome,
  runsUnasked,
  UNNAMED_DIRECTORY,
} from "./calls/terms/command.ts";
import { findOperation, listOperations } from "./commands/rows.ts";
import { type ColorChoice, type Format, FORMATS } from "./calls/arguments/global_options.ts";
import { commandWriter, optionText, parameterText } from "./answers/parts/next_command.ts";
import type { CallWriter } from "./calls/terms/next_call.ts";
import { displayAmong, findCommand, parseCall, requireArguments } from "./calls/arguments/parse_arguments.ts";
import { noted } from "./answers/parts/note_answer.ts";
import { openHostStore } from "./answers/parts/open_host_store.ts";
import { surfaceOf } from "./answers/screen/output_surface.ts";
import { dressOf } from "./answers/render/dress.ts";
import { hasBody } from "./answers/render/body_text.ts";
import { xmlOf } from "./answers/render/xml.ts";
import { STDERR, STDIN, STDOUT, streamFailure, writeChunks } from "./calls/streams/standard_streams.ts";
import { isPipe, mayBeTerminal } from "./calls/streams/terminal.ts";
import { failUsage, failValue, UsageError } from "./calls/requests/usage_failure.ts";
import { VERSION } from "./calls/arguments/version.ts";

/** The facts about a call that are needed to render its answer or failure. */
interface CallContext {
  words: readonly string[];
  env: Environment;
  /** Undefined until the call is parsed, as others. */
  format?: Format | undefined;
  /** Whether `--format raw` was given: then a terminal gets exact bytes, too. */
  isRawRequested?: boolean;
  color?: ColorChoice | undefined;
  /** Whether a long answer may go through the pager. */
  mayPage?: boolean;
  /** Whether a person scrolls in a long answer, or pipes it to another program. */
  takesWhole?: boolean | undefined;
  /** Whether a person pipes the answer to another program, which gets content without words around it. */
  isPersonsPipe?: boolean;
  /** Writes calls as commands, and parameters as the caller wrote them: as options, or in `call` as members of JSON. */
  writeCall: CallWriter;
  command?: string;
  host?: Host;
  /** The descriptor that failures are written to. */
  failuresTo: typeof STDOUT | typeof STDERR;
}

/** The context of a call whose format is known. */
type ParsedContext = CallContext & { format: Format };

/** Runs the call that `words` (without the program's name) make, writes its output, and returns the exit code. */
export async function runCli(words: readonly string[], env: Environment): Promise<number> {
  const context: CallContext = { words, env, writeCall: commandWriter(undefined), failuresTo: STDERR };
  try {
    if (hasLostBytes(words)) (await import("./calls/arguments/argument_bytes.ts")).refuseLostBytes(words);
    const meant = meantOperation(words);
    return await (meant === undefined ? runUnknown(context) : runOperation(meant, context));
  } catch (thrown) {
    return await reportThrown(thrown, context);
  }
}

/** Reports what a call threw, in the format and colour that it requests, as far as they can be read. */
async function reportThrown(thrown: unknown, context: CallContext): Promise<number> {
  const { words, env } = context;
  let { format } = context;
  // Else the words were parsed: after a wrapped command's name they are its own.
  if (format === undefined) {
    const requested = displayAmong(words);
    const known = FORMATS.find((each) => each === env["FDTOOL_FORMAT"]);
    format = requested.format ?? known ?? await usualFormat(env);
    context.color ??= requested.color;
  }
  return await reportFailure(thrown, { ...context, format });
}

/** Replaces bytes that are not UTF-8 in words. */
const LOST = "\uFFFD";

/** Whether words may have lost bytes that were not UTF-8. A shell's words are its own. */
function hasLostBytes(words: readonly string[]): boolean {
  return !isOfShell(words) && words.join("").includes(LOST);
}

const SHELL_NAME = "shell";

const BASH_OPTIONS: readonly string[] = ["--login", "--noprofile", "--norc", "--posix"];

/** Whether the call is one of a shell: by name, or as the program of `[bash options] -c COMMAND`. */
function isOfShell(words: readonly string[]): boolean {
  const [first = ""] = words;
  if (first === SHELL_NAME) return true;
  const isOfBash = first.startsWith("--") ? BASH_OPTIONS.includes(first) : /^[-+]\w/.test(first);
  return isOfBash && words.some((word) => /^-[a-zA-Z]*c[efhiluvx]*$/.test(word));
}

/** An operation, and the words around its name. */
interface MeantOperation {
  operation: Operation;
  words: readonly string[];
}

/** The operation that a call names; undefined if it names none that is known. */
function meantOperation(all: readonly string[]): MeantOperation | undefined {
  if (isOfShell(all)) {
    return { operation: findOperation(SHELL_NAME)!, words: all.slice(all[0] === SHELL_NAME ? 1 : 0) };
  }
  const { name, words } = findCommand(all);
  const operation = name === undefined ? undefined : findOperation(name, words[0]);
  if (operation === undefined) return undefined;
  const isOfTwoWords = operation.aliases.includes(`${name} ${words[0]}`);
  return { operation, words: isOfTwoWords ? words.slice(1) : words };
}

/** A call without a known command. */
async function runUnknown(context: CallContext): Promise<number> {
  const found = findCommand(context.words);
  if (found.name === undefined && found.globals.version === true) return writeVersion();
  const operations = listOperations();
  if (found.name === undefined) {
    const { firstHelp, programHelp } = await import("./calls/arguments/help_text.ts");
    const { textWidth } = await import("./calls/streams/screen_size.ts");
    if (found.globals.help === true) {
      return writeText(programHelp(operations, textWidth(context.env, STDOUT), false));
    }
    writeChunks(STDERR, [utf8Bytes(firstHelp(operations, textWidth(context.env, STDERR)))]);
    return 2;
  }
  const { callMeant, failUnknownCommand } = await import("./calls/arguments/guess_command.ts");
  const words = [found.name, ...found.words];
  const [name, ...rest] = callMeant(words) ?? failUnknownCommand(operations, words, 0);
  return await runOperation({ operation: findOperation(name!)!, words: rest }, context);
}

/**
 * Loads and runs an operation. Few lines, as the other asynchronous functions that a small call runs: none of their code is
 * in the bytecode cache.
 */
async function runOperation(meant: MeantOperation, context: CallContext): Promise<number> {
  const loaded: LoadedCall = { ...meant, command: await meant.operation.load(), context };
  const { call, globals } = parseWords(loaded);
  if (globals.help === true) return await writeHelp(loaded);
  if (globals.version === true) return writeVersion();
  const format = statedFormat(loaded, globals) ?? await usualFormatOf(loaded);
  const parsed = callIn(format, loaded, call, globals);
  const ready = needsPreparing(parsed, globals) ? await prepareCall(parsed, globals) : parsed;
  if (isNoticeDue(ready)) await reportInterrupted(ready);
  return await write(await run(ready), ready.context);
}

/** A call whose command is loaded. */
interface LoadedCall extends MeantOperation {
  command: Command;
  context: CallContext;
}

type Globals = ReturnType<typeof parseCall>["globals"];

function parseWords({ operation, command, words, context }: LoadedCall): ReturnType<typeof parseCall> {
  context.command = operation.name;
  const parsed = parseCall(operation, command.spec, words);
  const { globals } = parsed;
  context.writeCall = commandWriter(globals.store, operation.name === "call" ? parameterText : optionText);
  context.color = globals.color;
  context.mayPage = globals["no-pager"] !== true;
  return parsed;
}

/** The format that a call states, by option or variable, or that is usual for it; undefined if that is to be found out. */
function statedFormat({ command, context }: LoadedCall, globals: Globals): Format | undefined {
  const written = context.env["FDTOOL_FORMAT"];
  const isUsual = command.spec.takesAll === true || !written && !mayBePersons();
  return globals.format ?? (written ? FORMATS.find((known) => known === written) : undefined) ??
    (isUsual ? DEFAULT_FORMAT : undefined);
}

/** The call, with the host that it runs on. */
function callIn(format: Format, loaded: LoadedCall, call: CommandCall, globals: Globals): ParsedCall {
  const { operation, command, context } = loaded;
  const { env } = context;
  context.format = format;
  context.isRawRequested = globals.format === "raw";
  if (globals.root === "") failValue(operation.name, "--root", "", "a directory");
  const host: Host = {
    env,
    /** If it has no name, or one that is not UTF-8, the system's own path to it; if it was removed, each use of that fails. */
    get cwd() {
      try {
        const path = process.cwd();
        if (!path.includes(LOST)) return path;
      } catch {
        // Runtimes differ in what they throw for it.
      }
      return UNNAMED_DIRECTORY;
    },
    storeOption: globals.store,
    isFresh: globals.fresh,
    // As with any variable, an empty one counts as unset.
    root: globals.root ?? (env["FDTOOL_ROOT"] || undefined),
    isForPeople: format === "text",
    takesWhole: context.takesWhole,
    isRaw: format === "raw",
    version: VERSION,
    operations: listOperations,
  };
  return { operation, command, call, host, context: context as ParsedContext };
}

/** A call that is ready to run. */
interface ParsedCall {
  operation: Operation;
  command: Command;
  call: CommandCall;
  host: Host;
  context: ParsedContext;
}

/** The URL of the call's store, as shared stores have one. Which schemes there are is known where one is opened. */
function storeUrl({ command, context }: ParsedCall, { store }: Globals): string | undefined {
  const written = store ?? context.env["FDTOOL_STORE"];
  const isUrl = written?.includes("://") === true && /^[a-z][a-z0-9]+:\/\//i.test(written);
  return isUrl && command.spec.needsNoStore !== true ? written : undefined;
}

/** Whether a call names a shared store, one that must be connected, or an fd by how new it is. */
function needsPreparing(parsed: ParsedCall, globals: Globals): boolean {
  const { operation, call, host } = parsed;
  return storeUrl(parsed, globals) !== undefined ||
    globals.store !== undefined && runsUnasked(operation.name, host.env) ||
    host.isForPeople === true || mayNameNewest(call.positionals);
}

/** A loop: the first use of the runtime's `some` costs a hundredth of a small call. */
function mayNameNewest(words: readonly (string | undefined)[]): boolean {
  for (const word of words) if (word === "-" || word?.startsWith("last")) return true;
  return false;
}

/** The call on its store, with ids for fds that it names by how new they are or, as people do, leaves out. */
async function prepareCall(parsed: ParsedCall, globals: Globals): Promise<ParsedCall> {
  const { operation, call } = parsed;
  const url = storeUrl(parsed, globals);
  let { command, host } = parsed;
  if (url !== undefined) {
    const { shareHost } = await import("./sharing/run_shared.ts");
    ({ command, host } = await shareHost(url, operation, command, host));
  } else if (globals.store !== undefined && runsUnasked(operation.name, host.env)) {
    const { requireConnected } = await import("./sharing/connected_stores.ts");
    requireConnected(operation.name, host);
  }
  const { namesNewest, withNewestFds } = await import("./reading/newest_fds.ts");
  const isNewest = namesNewest(call, host.isForPeople === true);
  const named = isNewest ? withNewestFds(openHostStore(host), call, host.cwd) : call;
  return { ...parsed, command, host, call: named };
}

/** Whether a notice of interrupted writes comes first. If none was interrupted, finding that out reads one directory. */
function isNoticeDue({ operation, command, call, host }: ParsedCall): boolean {
  requireArguments(command.spec, call);
  return (command.spec.noticesInterrupted ?? operation.effect === "writes") &&
    listOpenTransactions(openHostStore(host)).length > 0;
}

function run({ command, call, host, context }: ParsedCall): Promise<Outcome> {
  context.host = host;
  if (command.spec.failuresAreAnswers === true) context.failuresTo = STDOUT;
  return command.run(call, host);
}

/** Writes the output of a command: at once if it is one answer in the default format. */
async function write(outcome: Outcome, context: ParsedContext): Promise<number> {
  context.failuresTo = STDERR;
  const answer = soleAnswer(outcome, context);
  if (answer === undefined) return await writeOutcome(outcome, context);
  try {
    writeOut(chunksOf(answer, context));
    return outcome.exitCode;
  } catch (thrown) {
    return await reportUnwritten(thrown, [answer], outcome.exitCode, context);
  }
}

/** The answer of an outcome that has no more, and that is written without colours in the default format. */
function soleAnswer(outcome: Outcome, context: ParsedContext): Answer | undefined {
  const { answer, furtherAnswers, stream, asides, failures, afterwards, mustArrive } = outcome;
  const more = furtherAnswers ?? stream ?? asides ?? failures ?? afterwards ?? mustArrive;
  if (answer === undefined || more !== undefined) return undefined;
  const isPassedThrough = answer.type === "pass_through";
  if (isPassedThrough ? answer.stderr !== undefined : context.format !== "xml") return undefined;
  const isOwn = !isPassedThrough || answer.isOwnText === true;
  // A file or a pipe gets colours only on request.
  return isOwn && (context.color === "always" || mayBeTerminal(STDOUT)) ? undefined : answer;
}

function chunksOf(answer: Answer, context: ParsedContext): Iterable<Uint8Array> {
  return answer.type === "pass_through"
    ? answer.stdout.chunks()
    : noted(answer, xmlOf(answer, dressOf(context.writeCall)), context.host);
}

/** Reports on stderr that writes were interrupted. */
async function reportInterrupted({ host, context }: ParsedCall): Promise<void> {
  const { interruptedNotice } = await import("./writing/history/recover_answer.ts");
  const notice = interruptedNotice({ store: openHostStore(host), cwd: host.cwd }, Date.now());
  if (notice !== undefined) writeAside(await renderedAnswer(notice, context, STDERR));
}

/** Writes the output of a command. Its exit code is kept, unless it is 0 and the answer could not be written. */
async function writeOutcome(outcome: Outcome, context: ParsedContext): Promise<number> {
  const { answer, furtherAnswers = [], stream, asides = [], failures = [], afterwards } = outcome;
  let { exitCode } = outcome;
  const answers = answer === undefined ? furtherAnswers : [answer, ...furtherAnswers];
  let writtenCount = 0;
  let isLost = false;
  try {
    for (const each of answers) {
      const isTaken = await writeAnswer(each, context, true, outcome.openAt);
      if (!isTaken && outcome.mustArrive === true) {
        fail({ kind: "write_error", action: "write", path: "standard output", code: "EPIPE" });
      }
      writtenCount++;
      if (context.format === "raw") await writeRawNotice(each, context);
    }
    if (stream !== undefined) exitCode = await writeStream(stream, context);
  } catch (thrown) {
    exitCode = await reportUnwritten(thrown, answers.slice(writtenCount), exitCode, context);
    isLost = outcome.mustArrive === true;
  }
  for (const aside of isLost ? [] : asides) {
    if (aside.type === "pass_through") writeAside(await passedThrough(aside, context, STDERR));
    else {
      writeAside(noted(aside, await renderedAnswer(aside, context, STDERR), context.host));
      // Its bytes went to stdout.
      if (aside.type === "fd_result") noted(aside, [], context.host, aside.chars);
    }
  }
  for (const failure of failures) {
    await reportFailure(failure instanceof Error ? failure : new FdError(failure), context);
  }
  for (const failure of await afterwards?.() ?? []) {
    await reportFailure(new FdError(failure), context);
  }
  return exitCode;
}

/**
 * Reports why answers could not be written, and repeats on stderr the changes that they report. Returns the exit code,
 * which is not that of a failure if something was changed.
 */
async function reportUnwritten(
  thrown: unknown,
  answers: readonly Answer[],
  exitCode: number,
  context: ParsedContext,
): Promise<number> {
  const failed = await reportFailure(thrown, context);
  const { isDone, isNews } = await import("./answers/parts/reported_changes.ts");
  const { UNREPORTED_CODE } = await import("./calls/arguments/help_text.ts");
  // Raw is for programs that take the bytes: it leaves out what happened.
  const format = context.format === "raw" ? "xml" : context.format;
  for (const answer of answers.filter(isNews)) {
    if (answer.type === "pass_through") writeAside(await passedThrough(answer, context, STDERR));
    else writeAside(await renderedAnswer(answer, { ...context, format }, STDERR));
  }
  if (exitCode !== 0) return exitCode;
  return answers.some(isDone) ? UNREPORTED_CODE : failed;
}

/** Writes to stderr what raw leaves out of an answer. */
async function writeRawNotice(answer: Answer, context: CallContext): Promise<void> {
  if (answer.type === "pass_through") return;
  const { rawNotice } = await import("./answers/render/raw.ts");
  const notice = rawNotice(answer, context.writeCall);
  if (notice !== "") writeAside([utf8Bytes(notice)]);
}

/** Writes answers as they come, until the reader has gone, which is not a failure. */
async function writeStream(stream: NonNullable<Outcome["stream"]>, context: ParsedContext): Promise<number> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return value;
    if (!await writeAnswer(value, context, false)) return 0;
  }
}

const DEFAULT_FORMAT = "xml";

/** Whether a person may read the answer: no terminal is near most calls of agents, which is quickly known. */
function mayBePersons(): boolean {
  return mayBeTerminal(STDOUT) || mayBeTerminal(STDERR) || mayBeTerminal(STDIN);
}

async function usualFormat(env: Environment): Promise<Format> {
  if (!mayBePersons()) return DEFAULT_FORMAT;
  return await (await import("./answers/screen/terminal_format.ts")).usualFormat(env);
}

/**
 * The format that the reader of a call that requests none has use for. With an invalid one in the variable the call runs only
 * if its command fails open.
 */
async function usualFormatOf({ command, context }: LoadedCall): Promise<Format> {
  const { env } = context;
  const got = env["FDTOOL_FORMAT"] ?? "";
  if (got === "") {
    const format = await usualFormat(env);
    context.isPersonsPipe = format === "text" && isPipe(STDOUT);
    context.takesWhole = context.isPersonsPipe ||
      format === "text" && context.mayPage &&
        (await import("./answers/screen/show_answer.ts")).isScrolled(env);
    return format;
  }
  const wanted = `one of ${FORMATS.join(", ")}`;
  const failure = { kind: "bad_value", command: undefined, option: "FDTOOL_FORMAT", got, wanted } as const;
  if (command.spec.failsOpen !== true) return failUsage(failure);
  await reportFailure(new UsageError(failure), { ...context, format: DEFAULT_FORMAT });
  return DEFAULT_FORMAT;
}

/** Writes an answer; returns whether the reader still takes output. */
async function writeAnswer(
  answer: Answer,
  context: ParsedContext,
  isWhole = true,
  openAt?: Outcome["openAt"],
): Promise<boolean> {
  if (answer.type === "pass_through") {
    const isTaken = writeOut(await passedThrough(answer, context, STDOUT));
    if (answer.stderr !== undefined) writeAside(answer.stderr.chunks());
    return isTaken;
  }
  if (context.format === "text" && isWhole && (context.mayPage || context.isPersonsPipe)) {
    const { bareAnswer, showAnswer } = await import("./answers/screen/show_answer.ts");
    const surface = await surfaceOf(context, STDOUT);
    const reader = { env: context.env, writeCall: context.writeCall };
    if (!context.isPersonsPipe) return await showAnswer(answer, surface, reader, writeOut, openAt);
    const { body, asides } = bareAnswer(answer, surface, reader);
    const isTaken = writeOut(body);
    writeAside(asides);
    return isTaken;
  }
  return writeOut(noted(answer, await renderedAnswer(answer, context, STDOUT), context.host));
}

/** The bytes to pass through: those of another program unchanged, others as the surface takes them. */
async function passedThrough(
  { stdout, isOwnText, isContent }: PassThrough,
  context: CallContext,
  descriptor: number,
): Promise<Iterable<Uint8Array>> {
  const kind = isOwnText === true ? "json" : isContent === true ? "body" : undefined;
  if (kind === undefined) return stdout.chunks();
  return (await surfaceOf(context, descriptor)).shown(stdout.chunks(), kind);
}

async function renderedAnswer(
  answer: FramedAnswer,
  context: ParsedContext,
  descriptor: number,
): Promise<Iterable<Uint8Array>> {
  const surface = await surfaceOf(context, descriptor);
  const writer = context.writeCall;
  switch (context.format) {
    case "xml":
      return surface.shown(xmlOf(answer, dressOf(writer, surface.paint)), hasBody(answer) ? "body" : "own");
    case "text": {
      const { shownAnswer } = await import("./answers/screen/show_answer.ts");
      return shownAnswer(answer, surface, { env: context.env, writeCall: writer });
    }
    case "json":
      return surface.shown((await import("./answers/render/json.ts")).jsonOf(answer, writer), "json");
    case "raw": {
      const bytes = (await import("./answers/render/raw.ts")).rawOf(answer, writer);
      if (!hasBody(answer)) return surface.shown(bytes, "own");
      return context.isRawRequested ? bytes : surface.shown(bytes, "body");
    }
  }
}

async function writeHelp({ operation, command, context }: LoadedCall): Promise<number> {
  const { commandHelp } = await import("./calls/arguments/help_text.ts");
  const { textWidth } = await import("./calls/streams/screen_size.ts");
  return writeText(commandHelp(operation, command.spec, textWidth(context.env, STDOUT)));
}

function writeVersion(): number {
  return writeText(`fdtool ${VERSION}\n`);
}

function writeText(text: string): number {
  writeOut([utf8Bytes(text)]);
  return 0;
}

/** Writes to standard output. Returns false if the reader has gone; any other failure is a `write_error`. */
function writeOut(chunks: Iterable<Uint8Array>): boolean {
  try {
    return writeChunks(STDOUT, chunks);
  } catch (thrown) {
    throw new FdError(streamFailure(thrown, STDOUT));
  }
}

/** Writes text besides the answer. If its stream is closed or full, that cannot be reported, and the exit code is kept. */
function writeAside(chunks: Iterable<Uint8Array>, descriptor: number = STDERR): void {
  ifPossible(() => writeChunks(descriptor, chunks));
}

/**
 * Reports a failure, on standard error unless it is an answer, and returns the exit code: 2 for a wrong call, 1 for anything
 * else.
 */
async function reportFailure(thrown: unknown, context: ParsedContext): Promise<number> {
  const [{ failureOf, failureText }, { dressedFailure }] = await Promise.all([
    import("./answers/render/failure_text.ts"),
    import("./answers/render/failure_dress.ts"),
  ]);
  const { isFileForFd } = await import("./calls/arguments/file_for_fd.ts");
  const failure = failureOf(thrown);
  const { command } = context;
  const text = failureText(
    isFileForFd(failure) ? { kind: "file_for_fd", path: failure.fd } : failure,
    command,
    command === "call" ? parameterText : optionText,
  );
  const { paint, shown } = await surfaceOf(context, context.failuresTo);
  const bytes = utf8Bytes(dressedFailure(text, context.format, dressOf(context.writeCall, paint)));
  writeAside(shown([bytes], context.format === "json" ? "json" : "own"), context.failuresTo);
  return text.type === "invalid_parameter" ? 2 : 1;
}
