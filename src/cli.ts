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
import {
  displayAmong,
  findCommand,
  type FoundCommand,
  parseCall,
  requireArguments,
} from "./calls/arguments/parse_arguments.ts";
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

/**
 * Runs the call that `words` (without the program's name) make, writes its output, and returns the exit code: at once if
 * nothing had to be loaded or awaited.
 */
export function runCli(words: readonly string[], env: Environment): number | Promise<number> {
  const context: CallContext = { words, env, writeCall: commandWriter(undefined), failuresTo: STDERR };
  try {
    const exitCode = runCall(context);
    return typeof exitCode === "number"
      ? exitCode
      : exitCode.catch((thrown) => reportThrown(thrown, context));
  } catch (thrown) {
    return reportThrown(thrown, context);
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

/** Runs a call whose words may have lost bytes that were not UTF-8, unless they did. */
async function runUnlessLossy(context: CallContext): Promise<number> {
  const { refuseLostBytes } = await import("./calls/arguments/argument_bytes.ts");
  refuseLostBytes(context.words);
  return runCall(context, true);
}

function runCall(context: CallContext, isChecked = false): number | Promise<number> {
  const { words } = context;
  const [first = ""] = words;
  // A shell's words are its own. It is called by name, or as the program of `[bash options] -c COMMAND`.
  if (first === SHELL_NAME || /^[-+]/.test(first) && isShellCall(words)) {
    return runOperation(findOperation(SHELL_NAME)!, words.slice(first === SHELL_NAME ? 1 : 0), context);
  }
  for (const word of words) if (!isChecked && word.includes(LOST)) return runUnlessLossy(context);
  const found = findCommand(words);
  const { name, words: rest } = found;
  if (name === undefined) return runUnknown(found, context);
  const operation = findOperation(name, rest[0]);
  if (operation === undefined) return runUnknown(found, context);
  const isOfTwoWords = operation.aliases.includes(`${name} ${rest[0]}`);
  return runOperation(operation, isOfTwoWords ? rest.slice(1) : rest, context);
}

const SHELL_NAME = "shell";

function isShellCall([first = "", ...words]: readonly string[]): boolean {
  const isCommand = (word: string) => /^-[a-zA-Z]*c$/.test(word);
  return isCommand(first) || /^[-+]\w|^--(login|noprofile|norc|posix)$/.test(first) && words.some(isCommand);
}

/** Replaces bytes that are not UTF-8 in words. */
const LOST = "\uFFFD";

/** Loads and runs an operation: at once if it comes with the program. */
function runOperation(
  operation: Operation,
  words: readonly string[],
  context: CallContext,
): number | Promise<number> {
  const command = operation.load();
  return command instanceof Promise
    ? command.then((loaded) => runCommand({ operation, command: loaded, words, context }))
    : runCommand({ operation, command, words, context });
}

/** A call without a known command. */
async function runUnknown(found: FoundCommand, context: CallContext): Promise<number> {
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
  return await runOperation(findOperation(name!)!, rest, context);
}

/** A call whose command is loaded. */
interface LoadedCall {
  operation: Operation;
  command: Command;
  /** The words around the command's name. */
  words: readonly string[];
  context: CallContext;
  /** The format of a call that states none. */
  format?: Format | undefined;
}

function runCommand(loaded: LoadedCall): number | Promise<number> {
  const { operation, command, words, context } = loaded;
  const { env } = context;
  context.command = operation.name;
  const { call, globals } = parseCall(operation, command.spec, words);
  context.writeCall = commandWriter(globals.store, operation.name === "call" ? parameterText : optionText);
  context.color = globals.color;
  context.mayPage = globals["no-pager"] !== true;
  if (globals.help === true) return writeHelp(loaded);
  if (globals.version === true) return writeVersion();
  const written = env["FDTOOL_FORMAT"];
  const stated = globals.format ?? loaded.format ??
    (written ? FORMATS.find((known) => known === written) : undefined);
  const isUsual = command.spec.takesAll === true || !written && !mayBePersons();
  const format = stated ?? (isUsual ? DEFAULT_FORMAT : undefined);
  if (format === undefined) return runInUsualFormat(loaded);
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
  const parsed: ParsedCall = { operation, command, call, host, context: context as ParsedContext };
  const writtenStore = globals.store ?? env["FDTOOL_STORE"];
  if (writtenStore !== undefined && URL_SCHEME.test(writtenStore) && command.spec.needsNoStore !== true) {
    return runWithShared(writtenStore, parsed);
  }
  return globals.store !== undefined && runsUnasked(operation.name, env)
    ? runIfConnected(parsed)
    : runParsed(parsed);
}

/** The start of a URL, as shared stores have. Which there are is known where one is opened. */
const URL_SCHEME = /^[a-z][a-z0-9]+:\/\//i;

/** A call that is ready to run. */
interface ParsedCall {
  operation: Operation;
  command: Command;
  call: CommandCall;
  host: Host;
  context: ParsedContext;
}

async function runWithShared(url: string, parsed: ParsedCall): Promise<number> {
  const { shareHost } = await import("./sharing/run_shared.ts");
  return await runParsed({
    ...parsed,
    ...await shareHost(url, parsed.operation, parsed.command, parsed.host),
  });
}

/** A call that names its store, of a command that runs without a question. */
async function runIfConnected(parsed: ParsedCall): Promise<number> {
  const { requireConnected } = await import("./sharing/connected_stores.ts");
  requireConnected(parsed.operation.name, parsed.host);
  return await runParsed(parsed);
}

/** A call whose argument may be the name of an fd by how new it is, or that leaves it out, as people do. */
async function runOnNewest(parsed: ParsedCall): Promise<number> {
  const { call, host } = parsed;
  const { namesNewest, withNewestFds } = await import("./reading/newest_fds.ts");
  if (!namesNewest(call, host.isForPeople === true)) return await runParsed(parsed, true);
  return await runParsed({ ...parsed, call: withNewestFds(openHostStore(host), call, host.cwd) }, true);
}

/** Whether a call may name an fd by how new it is; a call for a program that does not is not looked at further. */
function mayNameNewest({ call, host }: ParsedCall): boolean {
  return host.isForPeople === true ||
    call.positionals.some((word) => word === "-" || word?.startsWith("last"));
}

/** Runs a call, after a notice of interrupted writes if the command gives it. */
function runParsed(parsed: ParsedCall, isNamed = false, isNoticed = false): number | Promise<number> {
  const { operation, command, call, host, context } = parsed;
  context.host = host;
  if (!isNamed && mayNameNewest(parsed)) return runOnNewest(parsed);
  requireArguments(command.spec, call);
  const isNoticeDue = !isNoticed && (command.spec.noticesInterrupted ?? operation.effect === "writes");
  // If no write was interrupted, that costs reading one directory.
  if (isNoticeDue && listOpenTransactions(openHostStore(host)).length > 0) {
    return reportInterrupted(host, context).then(() => runParsed(parsed, true, true));
  }
  if (command.spec.failuresAreAnswers === true) context.failuresTo = STDOUT;
  const outcome = command.run(call, host);
  return outcome instanceof Promise
    ? outcome.then((ended) => writeAtOnce(ended, context) ?? writeOutcome(ended, context))
    : writeAtOnce(outcome, context) ?? writeOutcome(outcome, context);
}

/** Writes an outcome that is one answer in the default format; returns undefined for any other, and writes nothing. */
function writeAtOnce(outcome: Outcome, context: ParsedContext): number | Promise<number> | undefined {
  const { answer, furtherAnswers, stream, asides, failures, afterwards, mustArrive, exitCode } = outcome;
  const more = furtherAnswers ?? stream ?? asides ?? failures ?? afterwards ?? mustArrive;
  if (answer === undefined || more !== undefined) return undefined;
  const isPassedThrough = answer.type === "pass_through";
  if (isPassedThrough ? answer.stderr !== undefined : context.format !== "xml") return undefined;
  const isOwn = !isPassedThrough || answer.isOwnText === true;
  // A file or a pipe gets colours only on request.
  if (isOwn && (context.color === "always" || mayBeTerminal(STDOUT))) return undefined;
  context.failuresTo = STDERR;
  try {
    writeOut(
      isPassedThrough
        ? answer.stdout.chunks()
        : noted(answer, xmlOf(answer, dressOf(context.writeCall)), context.host),
    );
    return exitCode;
  } catch (thrown) {
    return reportUnwritten(thrown, [answer], exitCode, context);
  }
}

/** Reports on stderr that writes were interrupted. */
async function reportInterrupted(host: Host, context: ParsedContext): Promise<void> {
  const { interruptedNotice } = await import("./writing/history/recover_answer.ts");
  const notice = interruptedNotice({ store: openHostStore(host), cwd: host.cwd }, Date.now());
  if (notice !== undefined) writeAside(await renderedAnswer(notice, context, STDERR));
}

/** Writes the output of a command. Its exit code is kept, unless it is 0 and the answer could not be written. */
async function writeOutcome(outcome: Outcome, context: ParsedContext): Promise<number> {
  context.failuresTo = STDERR;
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
 * Runs a call that requests no format: in the one that its reader has use for. With an invalid one in the variable it runs
 * only if its command fails open.
 */
async function runInUsualFormat(loaded: LoadedCall): Promise<number> {
  const { command, context } = loaded;
  const { env } = context;
  const got = env["FDTOOL_FORMAT"] ?? "";
  if (got === "") {
    const format = await usualFormat(env);
    context.isPersonsPipe = format === "text" && isPipe(STDOUT);
    context.takesWhole = context.isPersonsPipe ||
      format === "text" && context.mayPage &&
        (await import("./answers/screen/show_answer.ts")).isScrolled(env);
    return await runCommand({ ...loaded, format });
  }
  const wanted = `one of ${FORMATS.join(", ")}`;
  const failure = { kind: "bad_value", command: undefined, option: "FDTOOL_FORMAT", got, wanted } as const;
  if (command.spec.failsOpen !== true) return failUsage(failure);
  await reportFailure(new UsageError(failure), { ...context, format: DEFAULT_FORMAT });
  return await runCommand({ ...loaded, format: DEFAULT_FORMAT });
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
