/**
 * A command: a description, from which parsing, help, suggestions and completion are made, and a function from a parsed
 * call to an outcome. Only `src/cli.ts` joins the two to renderers.
 */

import type { Environment, Store } from "../../../fd/mod.ts";
import type { FdFailure } from "../../../fd/system.ts";
import type { IntegerLimits, RequestFields } from "../requests/request_fields.ts";
import type { Answer } from "./answers.ts";

/** An option, named with dashes (`page-size`); underscores are accepted too. */
export interface OptionSpec {
  /**
   * `flag` takes no value (but accepts `=true`, `=false` and `--no-NAME`); `bytes` takes a number with K, M, G or T.
   */
  kind: "flag" | "text" | "integer" | "bytes";
  short?: string | undefined;
  /** The value's name in help: `N`, `PATH`. */
  value?: string | undefined;
  choices?: readonly string[] | undefined;
  /** Of an integer. */
  limits?: IntegerLimits | undefined;
  /** Whether it may be repeated; its values form a list. */
  many?: boolean | undefined;
  /** Other names, such as those of tools: `read_all` for `all`. */
  aliases?: readonly string[] | undefined;
  /** A second spelling of another option, or a habit from another program: it works, and help leaves it out. */
  hidden?: true | undefined;
  help: string;
}

/** A command's arguments and exit codes, and how its calls are run. */
export interface CommandSpec {
  /** The usage line after the name: `FD [options]`. */
  usage: string;
  /**
   * Counts of positional arguments; `most` may be Infinity. `names`, in order, are used if one is missing, and each may
   * also be given as an option (`--file-path=x`).
   */
  positionals: { least: number; most: number; names?: readonly string[] | undefined };
  /**
   * The values of arguments, for completion: by their names, lists of choices or the words that help has for values (`FD`,
   * `TX|PATH`). Without it the name itself is such a word.
   */
  values?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /**
   * Whether `rest` gets everything after `--`. If `positionals.most` is 0, the first word that is not an option starts
   * the rest too.
   */
  takesRest?: boolean | undefined;
  /** Whether `rest` gets all words as they are: they are those of another program. */
  takesAll?: true | undefined;
  options: Readonly<Record<string, OptionSpec>>;
  /** Makes them or, for a name, that option alone if it has exactly this name: for a command that is to start fast. */
  optionsFor?(name?: string): Readonly<Record<string, OptionSpec>>;
  /** A flag whose letter other tools use with a count, and the option that this count means here: `-n 5`. */
  countOf?: { flag: string; option: string } | undefined;
  /** Whether failures go to stdout too, because the caller sent JSON and reads its answer there (contract, Answers). */
  failuresAreAnswers?: boolean | undefined;
  /** A call that can be pasted into a shell; several lines if need be. */
  example: string;
  /** Further paragraphs of help; lines of one that is indented are kept as they are. */
  notes?: readonly string[] | undefined;
  /** Their meanings, one, several or none; 2 is a usage error unless it is among them. */
  exitCodes: Readonly<Record<number, string | readonly string[]>>;
  /** Whether its answer reports a change, so that it is repeated on stderr if stdout cannot take it. */
  reportsChange?: true | undefined;
  /**
   * Whether it reports writes that a kill interrupted on stderr, because it touches or lists them (contract, Writing files).
   * Commands that write do, unless it is false.
   */
  noticesInterrupted?: boolean | undefined;
  /** It passes output through, so an invalid variable is reported and does not stop it (contract, law 6). */
  failsOpen?: true | undefined;
  /** It works without the store: a shared one is not opened for it. */
  needsNoStore?: true | undefined;
}

/** A parsed value: boolean for flags, number for integers and bytes, list with `many`. Absent options are absent. */
export type OptionValue = string | number | boolean | readonly string[];

/** A parsed call. Nothing has touched the disk yet. */
export interface CommandCall {
  /** The command's name. */
  command: string;
  positionals: readonly string[];
  options: Readonly<Record<string, OptionValue>>;
  rest: readonly string[];
}

/**
 * The changes that an operation makes. `reads`: none, so that a guess may call it. `stores`: in the store. `writes`: in the
 * user's files, too. `serves`: those that other operations need for sharing.
 */
export type Effect = "reads" | "stores" | "writes" | "serves";

/** An operation before it is loaded: what help and suggestions show, and what it changes. */
export interface Operation {
  name: string;
  /** As help shows them: names of tools (`read_fd` for `read`) and of other programs. */
  aliases: readonly string[];
  effect: Effect;
  summary: string;
  group: string;
  /** For fdtool's own use: not in help or completion. */
  hidden?: true | undefined;
  /** For programs more than for people: not on the first pages of help. */
  isPlumbing?: true | undefined;
  load(): Promise<Command>;
}

/** The parts of its process that a command may use, with global options applied. */
export interface Host {
  env: Environment;
  readonly cwd: string;
  storeOption: string | undefined;
  /**
   * The store of the call: the cache of a shared store, or the local one that this host has opened, which each host made
   * from this one opens itself. See `open_host_store.ts`.
   */
  opened?: { by: Host | "sharing"; store: Store } | undefined;
  /** Whether a shared store is asked for what the cache saw a moment ago, too (`--fresh`). */
  isFresh?: boolean | undefined;
  root: string | undefined;
  /** Whether people read the answer: lists then have what their tables show. */
  isForPeople?: boolean | undefined;
  /** Whether a person scrolls in a long answer or pipes it to another program, and so wants all of it. */
  takesWhole?: boolean | undefined;
  /** Whether the answer is read as bare bytes: a diff is then of the stored text, so that `patch` takes it. */
  isRaw?: boolean | undefined;
  version: string;
  /** All operations. */
  operations(): readonly Operation[];
  /**
   * Called by long work with its progress, so that a server can report it, read other messages, and throw to cancel the
   * call. Absent if signals cancel.
   */
  checkpoint?: ((doneBytes: number, totalBytes: number) => Promise<void>) | undefined;
  /** Ends processes that a cancelled call started. */
  signal?: AbortSignal | undefined;
  /** Answers by question id, sent with the call (contract, Inquiries). */
  answers?: Readonly<Record<string, unknown>> | undefined;
  /** Ask only `Boolean`, `Select` and `Text`, because the caller knows no other types. */
  plainQuestions?: boolean | undefined;
}

/** Patterns, any of which may match. */
export interface SoughtPatterns {
  patterns: readonly string[];
  isFixed: boolean;
  ignoresCase: boolean;
}

/** The result of a call: an answer for the renderer, or none if the command wrote its bytes itself. */
export interface Outcome {
  exitCode: number;
  answer?: Answer | undefined;
  /** Answers that follow it on stdout: `run --split` has one for each stream. */
  furtherAnswers?: readonly Answer[] | undefined;
  /** The line of the content at which a pager opens it, or patterns that it finds. */
  openAt?: number | SoughtPatterns | undefined;
  /** The answer is useless unless all of it is read: a closed pipe is a failure, and asides are dropped. */
  mustArrive?: true | undefined;
  /** Answers for stderr, since stdout carries the bytes they describe (`--tee`). */
  asides?: readonly Answer[] | undefined;
  /**
   * Later answers, each written when it comes, until the reader closes the pipe. Returns the exit code, which then
   * counts.
   */
  stream?: AsyncGenerator<Answer, number, void> | undefined;
  /** How arguments were read that only the operation could interpret. Tool calls report it. */
  notes?: readonly string[] | undefined;
  /**
   * Failures that leave the answer valid, or that were thrown. Reported last, on stderr, without changing the exit
   * code.
   */
  failures?: readonly (FdFailure | Error)[] | undefined;
  /** Work to do once everything has been reported, except its own failures. */
  afterwards?: (() => Promise<readonly FdFailure[]>) | undefined;
}

/** Failures are thrown as `FdError`, `WriteError` or `UsageError`. */
export interface Command {
  spec: CommandSpec;
  /** The fields that its arguments and options give. */
  line?: RequestFields | undefined;
  run(call: CommandCall, host: Host): Promise<Outcome>;
  /** Answers a request that was checked by the fields and rules of the operation. Tools call it. */
  answer?(request: object, host: Host): Promise<Outcome>;
}

/**
 * Names a working directory whose path is not text. The link leads each process to its own directory, so it serves for
 * resolving paths, not for records.
 */
export const UNNAMED_DIRECTORY = "/proc/self/cwd";

/** Returns `directory` if it has a name, for a record. */
export function namedDirectory(directory: string): string | undefined {
  return directory === UNNAMED_DIRECTORY ? undefined : directory;
}

/**
 * The commands that `install` lets a harness run without asking a person (contract, Agents). They only read fds, reach no
 * network address and name no file that the user did not choose before.
 */
export const UNASKED_COMMANDS: readonly string[] = ["read", "search", "ls", "stat", "diff"];

/** Whether `command` may run without a question: it does in Claude Code, which sets this variable for its shell commands. */
export function runsUnasked(command: string, env: Environment): boolean {
  return env["CLAUDECODE"] !== undefined && env["CLAUDECODE"] !== "" && UNASKED_COMMANDS.includes(command);
}
