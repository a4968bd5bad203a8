/**
 * One call of the program: parse, run, render, exit code. The only place that joins commands to renderers.
 *
 * @module
 */

import {
  type Environment,
  fail,
  FdError,
  type FdFailure,
  listOpenTransactions,
  systemCode,
  utf8Bytes,
} from "../fd/mod.ts";
import type { Answer, FramedAnswer, PassThrough } from "./terms/answers.ts";
import type { Command, CommandCall, CommandEntry, CommandSpec, Host, Outcome } from "./terms/command.ts";
import { findCommonEntry, HOOK } from "./common_commands.ts";
import { type Format, FORMATS } from "./arguments/global_options.ts";
import { commandWriter, optionText, parameterText } from "./answering/next_command.ts";
import type { CallWriter, ParameterWriter } from "./terms/next_call.ts";
import { findCommand, formatAmong, type FoundCommand, parseCall } from "./arguments/parse_arguments.ts";
import { openHostStore } from "./answering/open_host_store.ts";
import type { ColorChoice } from "./arguments/global_options.ts";
import { mayDiffer, type OutputSurface, surfaceOf } from "./output_surface.ts";
import { dressOf } from "./render/dress.ts";
import { xmlOf } from "./render/xml.ts";
import { STDERR, STDOUT, streamFailure, writeChunks } from "./streams/standard_streams.ts";
import { failUsage, UsageError, type UsageFailure } from "./requests/usage_failure.ts";
import { UNNAMED_DIRECTORY } from "./answering/unnamed_directory.ts";
import { VERSION } from "./arguments/version.ts";

/** What is known of a call at the moment it fails: enough to dress the failure. */
interface CallDress {
  /** Undefined until the call is parsed. */
  format: Format | undefined;
  /** Whether `--format raw` was written: whoever asks for exact bytes gets them on a terminal, too. */
  isRawAsked: boolean;
  color: ColorChoice | undefined;
  env: Host["env"];
  storeOption: string | undefined;
  command: string | undefined;
  /** Where a failure is told. */
  failuresTo: typeof STDOUT | typeof STDERR;
}

/**
 * Runs the call that `words` (without the program's name) make, writes what it has to say, and answers the exit code: at
 * once where nothing had to be loaded or waited for.
 */
export function runCli(words: readonly string[], env: Environment): number | Promise<number> {
  const dress: CallDress = {
    format: undefined,
    isRawAsked: false,
    color: undefined,
    env,
    storeOption: undefined,
    command: undefined,
    failuresTo: STDERR,
  };
  try {
    const exitCode = mayHaveLostBytes(words) ? runUnlessLossy(words, env, dress) : runCall(words, env, dress);
    return typeof exitCode === "number"
      ? exitCode
      : exitCode.catch((thrown) => tellThrown(thrown, words, env, dress));
  } catch (thrown) {
    return tellThrown(thrown, words, env, dress);
  }
}

/** Tells what a call threw, in the format that it asked for as far as that can be told. */
function tellThrown(
  thrown: unknown,
  words: readonly string[],
  env: Environment,
  dress: CallDress,
): Promise<number> {
  const known = FORMATS.find((format) => format === env["FDTOOL_FORMAT"]);
  dress.format ??= formatAmong(words) ?? known ?? DEFAULT_FORMAT;
  return reportFailure(thrown, dress.format, dress);
}

/** Whether bytes of `words` that were no UTF-8 may have become U+FFFD. */
function mayHaveLostBytes(words: readonly string[]): boolean {
  for (const word of words) if (word.indexOf("\uFFFD") >= 0) return true;
  return false;
}

/** The same as {@link runCall}, once it is known that the words are what was written. */
async function runUnlessLossy(words: readonly string[], env: Environment, dress: CallDress): Promise<number> {
  const { refuseLostBytes } = await import("./arguments/argument_bytes.ts");
  refuseLostBytes(words);
  return runCall(words, env, dress);
}

function runCall(words: readonly string[], env: Environment, dress: CallDress): number | Promise<number> {
  const found = findCommand(words);
  const common = found.name === undefined ? undefined : findCommonEntry(found.name);
  if (common === undefined) return runOther(found, env, dress);
  return runCommand({ entry: common, command: common.load(), words: found.words, env, dress });
}

/** A call of anything but the two common commands. */
async function runOther(found: FoundCommand, env: Environment, dress: CallDress): Promise<number> {
  if (found.name === undefined && found.globals.version === true) {
    return writeText(STDOUT, `fdtool ${VERSION}\n`, 0);
  }
  if (found.name === HOOK.name) {
    return await runCommand({ entry: HOOK, command: await HOOK.load(), words: found.words, env, dress });
  }
  const { COMMANDS, findCommandEntry } = await import("./command_table.ts");
  if (found.name === undefined) {
    const { programHelp } = await import("./arguments/help_text.ts");
    const wanted = found.globals.help === true;
    return writeText(wanted ? STDOUT : STDERR, programHelp(COMMANDS), wanted ? 0 : 2);
  }
  const entry = findCommandEntry(found.name);
  if (entry === undefined) {
    const { failUnknownCommand } = await import("./arguments/guess_command.ts");
    return failUnknownCommand(COMMANDS, [found.name, ...found.words], 0);
  }
  return await runCommand({ entry, command: await entry.load(), words: found.words, env, dress });
}

/** A call whose command is there. */
interface LoadedCall {
  entry: CommandEntry;
  command: Command;
  /** What was written around the command's name. */
  words: readonly string[];
  env: Environment;
  dress: CallDress;
}

function runCommand(
  { entry, command, words, env, dress }: LoadedCall,
): number | Promise<number> {
  dress.command = entry.name;
  const { call, globals } = parseCall(command.spec, words);
  dress.storeOption = globals.store;
  dress.color = globals.color;
  if (globals.help === true) return writeHelp(command.spec);
  if (globals.version === true) return writeText(STDOUT, `fdtool ${VERSION}\n`, 0);
  const format = formatOf(globals.format, env);
  if (format === undefined) return runInDefaultFormat({ entry, command, words, env, dress });
  dress.format = format;
  dress.isRawAsked = globals.format === "raw";
  if (globals.root === "") {
    failUsage({ kind: "bad_value", command: entry.name, option: "--root", got: "", wanted: "a directory" });
  }
  const host: Host = {
    env,
    get cwd() {
      return workingDirectory();
    },
    storeOption: globals.store,
    // As of any variable, an empty one says nothing.
    root: globals.root ?? (env["FDTOOL_ROOT"] || undefined),
    version: VERSION,
  };
  return entry.noticesInterrupted === true
    ? tellInterrupted(host, format, dress).then(() => runParsed(command, call, host, format, dress))
    : runParsed(command, call, host, format, dress);
}

function runParsed(
  command: Command,
  call: CommandCall,
  host: Host,
  format: Format,
  dress: CallDress,
): number | Promise<number> {
  if (command.spec.failuresAreAnswers === true) dress.failuresTo = STDOUT;
  const outcome = command.run(call, host);
  return outcome instanceof Promise
    ? outcome.then((ended) => tellOutcome(ended, format, dress))
    : tellAtOnce(outcome, format, dress) ?? tellOutcome(outcome, format, dress);
}

/** Tells an outcome that is one answer in the default dress; undefined for any other, of which nothing was told. */
function tellAtOnce(
  outcome: Outcome,
  format: Format,
  dress: CallDress,
): number | Promise<number> | undefined {
  const { answer, furtherAnswers, stream, asides, failures, afterwards, exitCode } = outcome;
  if (answer === undefined || (furtherAnswers ?? stream ?? asides ?? failures ?? afterwards) !== undefined) {
    return undefined;
  }
  const isPassedThrough = answer.type === "pass_through";
  if (isPassedThrough ? answer.stderr !== undefined : format !== "xml") return undefined;
  if ((!isPassedThrough || answer.isOwnText === true) && mayDiffer(dress.color, STDOUT)) return undefined;
  dress.failuresTo = STDERR;
  try {
    writeOut(
      isPassedThrough ? answer.stdout.chunks() : xmlOf(answer, dressOf(writerFor(dress))),
    );
    return exitCode;
  } catch (thrown) {
    return tellUntold(thrown, [answer], exitCode, format, dress);
  }
}

/** Says on stderr that a write was interrupted. Where none was, that costs one look at one directory. */
async function tellInterrupted(host: Host, format: Format, dress: CallDress): Promise<void> {
  const store = openHostStore(host);
  if (listOpenTransactions(store).length === 0) return;
  const { interruptedNotice } = await import("./writing/history/recover_answer.ts");
  const notice = interruptedNotice({ store, cwd: host.cwd }, Date.now());
  if (notice !== undefined) writeAside(await dressedAnswer(notice, format, dress, STDERR));
}

/** Writes what a command has to say. Its exit code stands, unless it is 0 and the answer did not get out. */
async function tellOutcome(outcome: Outcome, format: Format, dress: CallDress): Promise<number> {
  dress.failuresTo = STDERR;
  const { answer, furtherAnswers = [], stream, asides = [], failures = [], afterwards } = outcome;
  let { exitCode } = outcome;
  const answers = answer === undefined ? furtherAnswers : [answer, ...furtherAnswers];
  let toldCount = 0;
  let isLost = false;
  try {
    for (const told of answers) {
      const isTaken = await writeAnswer(told, format, dress);
      if (!isTaken && outcome.mustArrive === true) fail(CLOSED_STDOUT);
      toldCount++;
      if (format === "raw") await tellRawNotice(told, dress);
    }
    if (stream !== undefined) exitCode = await tellStream(stream, format, dress);
  } catch (thrown) {
    exitCode = await tellUntold(thrown, answers.slice(toldCount), exitCode, format, dress);
    isLost = outcome.mustArrive === true;
  }
  for (const aside of isLost ? [] : asides) {
    if (aside.type !== "pass_through") writeAside(await dressedAnswer(aside, format, dress, STDERR));
  }
  for (const failure of failures) {
    await reportFailure(failure instanceof Error ? failure : new FdError(failure), format, dress);
  }
  for (const failure of await afterwards?.() ?? []) await reportFailure(new FdError(failure), format, dress);
  return exitCode;
}

/** What befell an answer that its reader did not wait for. */
const CLOSED_STDOUT: FdFailure = {
  kind: "write_error",
  action: "write",
  path: "standard output",
  code: "EPIPE",
};

/**
 * Says why answers did not get out, and says again on stderr what they report of things done. Returns the exit code, which
 * is not that of a failure if something was done.
 */
async function tellUntold(
  thrown: unknown,
  answers: readonly Answer[],
  exitCode: number,
  format: Format,
  dress: CallDress,
): Promise<number> {
  const failed = await reportFailure(thrown, format, dress);
  const { UNREPORTED_CODE, isDone, isNews } = await import("./answering/reported_changes.ts");
  for (const answer of answers.filter(isNews)) {
    if (answer.type === "pass_through") writeAside(await handedOn(answer, dress, STDERR));
    // Raw is for what takes the bytes: it leaves out what happened.
    else writeAside(await dressedAnswer(answer, format === "raw" ? "xml" : format, dress, STDERR));
  }
  if (exitCode !== 0) return exitCode;
  return answers.some(isDone) ? UNREPORTED_CODE : failed;
}

/** Says on stderr what raw leaves out of an answer. */
async function tellRawNotice(answer: Answer, dress: CallDress): Promise<void> {
  if (answer.type === "pass_through") return;
  const { rawNotice } = await import("./render/raw_notice.ts");
  const notice = rawNotice(answer, writerFor(dress));
  if (notice !== "") writeAside([utf8Bytes(notice)]);
}

/** Writes answers as they come. A reader that has gone ends them, and that is no failure. */
async function tellStream(
  stream: NonNullable<Outcome["stream"]>,
  format: Format,
  dress: CallDress,
): Promise<number> {
  for (;;) {
    const { done, value } = await stream.next();
    if (done === true) return value;
    if (!await writeAnswer(value, format, dress)) return 0;
  }
}

const DEFAULT_FORMAT = "xml";

/** The format that is asked for; undefined where the variable holds none. */
function formatOf(option: Format | undefined, env: Host["env"]): Format | undefined {
  if (option !== undefined) return option;
  const written = env["FDTOOL_FORMAT"];
  if (written === undefined || written === "") return DEFAULT_FORMAT;
  return FORMATS.find((known) => known === written);
}

/** Runs a call whose variable holds no format, where that is to keep it from nothing; else refuses it. */
async function runInDefaultFormat(loaded: LoadedCall): Promise<number> {
  const { entry, words, env, dress } = loaded;
  const failure: UsageFailure = {
    kind: "bad_value",
    command: undefined,
    option: "FDTOOL_FORMAT",
    got: env["FDTOOL_FORMAT"] ?? "",
    wanted: `one of ${FORMATS.join(", ")}`,
  };
  if (entry.failsOpen !== true) return failUsage(failure);
  await reportFailure(new UsageError(failure), DEFAULT_FORMAT, dress);
  return await runCommand({ ...loaded, words: ["--format", DEFAULT_FORMAT, ...words] });
}

/**
 * The working directory. Where it has no name, or one that is no UTF-8, the system's own way to it; where it has been
 * removed, every use of that will be refused.
 */
function workingDirectory(): string {
  try {
    const path = process.cwd();
    if (!mayHaveLostBytes([path])) return path;
  } catch {
    // Runtimes differ in what they throw for it.
  }
  return UNNAMED_DIRECTORY;
}

/** Writes an answer; says whether anybody still takes what is written. */
async function writeAnswer(answer: Answer, format: Format, dress: CallDress): Promise<boolean> {
  if (answer.type === "pass_through") {
    const isTaken = writeOut(await handedOn(answer, dress, STDOUT));
    if (answer.stderr !== undefined) writeAside(answer.stderr.chunks());
    return isTaken;
  }
  return writeOut(await dressedAnswer(answer, format, dress, STDOUT));
}

/** The bytes of what is handed on: somebody's own as they are, text of fdtool's own as the surface takes it. */
async function handedOn(
  { stdout, isOwnText }: PassThrough,
  dress: CallDress,
  descriptor: number,
): Promise<Iterable<Uint8Array>> {
  if (isOwnText !== true) return stdout.chunks();
  return (await surfaceFor(dress, descriptor)).shown(stdout.chunks(), "json");
}

/** Names parameters as the caller wrote them: as options, or in `call` as members of JSON. */
function parameterWriterFor({ command }: CallDress): ParameterWriter {
  return command === "call" ? parameterText : optionText;
}

function writerFor(dress: CallDress): CallWriter {
  return commandWriter(dress.storeOption, parameterWriterFor(dress));
}

async function dressedAnswer(
  answer: FramedAnswer,
  format: Format,
  dress: CallDress,
  descriptor: number,
): Promise<Iterable<Uint8Array>> {
  const surface = await surfaceFor(dress, descriptor);
  const writer = writerFor(dress);
  switch (format) {
    case "xml":
      return surface.shown(xmlOf(answer, dressOf(writer, surface.paint)), hasBody(answer) ? "body" : "own");
    case "json":
      return surface.shown((await import("./render/json.ts")).jsonOf(answer, writer), "json");
    case "raw": {
      const bytes = (await import("./render/raw.ts")).rawOf(answer, writer);
      if (!hasBody(answer)) return surface.shown(bytes, "own");
      return dress.isRawAsked ? bytes : surface.shown(bytes, "body");
    }
  }
}

/** Whether an answer shows content, in which the words around it are escaped already. */
function hasBody(answer: FramedAnswer): boolean {
  switch (answer.type) {
    case "fd_content":
    case "fd_matches":
    case "fd_diff":
    case "fd_query":
      return true;
    case "fd_result":
      return answer.preview.length > 0;
    case "write_result":
      return answer.diff !== undefined;
    default:
      return false;
  }
}

function surfaceFor({ color, env }: CallDress, descriptor: number): Promise<OutputSurface> {
  return surfaceOf(color, env, descriptor);
}

async function writeHelp(spec: CommandSpec): Promise<number> {
  const { commandHelp } = await import("./arguments/help_text.ts");
  return writeText(STDOUT, commandHelp(spec), 0);
}

function writeText(descriptor: number, text: string, exitCode: number): number {
  if (descriptor === STDOUT) writeOut([utf8Bytes(text)]);
  else writeChunks(descriptor, [utf8Bytes(text)]);
  return exitCode;
}

/** Writes to standard output. A reader that has gone ends it quietly (false); any other trouble is a `write_error`. */
function writeOut(chunks: Iterable<Uint8Array>): boolean {
  try {
    return writeChunks(STDOUT, chunks);
  } catch (thrown) {
    throw new FdError(streamFailure(thrown, STDOUT));
  }
}

/** Writes what is told beside the answer. Where its stream is closed or full there is nowhere left to say it, and the exit code stands. */
function writeAside(chunks: Iterable<Uint8Array>, descriptor: number = STDERR): void {
  try {
    writeChunks(descriptor, chunks);
  } catch (unwritable) {
    if (systemCode(unwritable) === undefined) throw unwritable;
  }
}

/**
 * Says what went wrong, on standard error unless it is an answer, and returns the exit code: 2 for a wrong call, 1 for
 * anything else.
 */
async function reportFailure(thrown: unknown, format: Format, dress: CallDress): Promise<number> {
  const [{ failureOf }, { failureText }, { dressedFailure }] = await Promise.all([
    import("./render/thrown_failure.ts"),
    import("./render/failure_text.ts"),
    import("./render/failure_dress.ts"),
  ]);
  const text = failureText(failureOf(thrown), dress.command, parameterWriterFor(dress));
  const { paint, shown } = await surfaceFor(dress, dress.failuresTo);
  const bytes = utf8Bytes(dressedFailure(text, format, dressOf(writerFor(dress), paint)));
  writeAside(shown([bytes], format === "json" ? "json" : "own"), dress.failuresTo);
  return text.type === "invalid_parameter" ? 2 : 1;
}
