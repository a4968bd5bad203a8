/**
 * What a command is: a description from which parsing, help, suggestions and completion are made, and a function from
 * a parsed call to an outcome. `src/cli.ts` is the only place that joins the two to renderers.
 *
 * @module
 */

import type { FdFailure } from "../../fd/mod.ts";
import type { Answer } from "./answers.ts";

/** One option of a command. Options are named with dashes (`page-size`); underscored spellings are accepted for all. */
export interface OptionSpec {
  /** `flag` takes no value (but accepts `=true` and `=false`, and `--no-NAME`); the others take one: `bytes` a number with K, M, G or T. */
  kind: "flag" | "text" | "integer" | "bytes";
  /** A single letter, for `-A 3`. */
  short?: string | undefined;
  /** How help calls the value: `N`, `PATH`. */
  value?: string | undefined;
  choices?: readonly string[] | undefined;
  /** Whether it may be given more than once; values are then collected. */
  many?: boolean | undefined;
  /** Other names, as tools call it: `read_all` for `all`. */
  aliases?: readonly string[] | undefined;
  help: string;
}

/** What a command is called, takes and answers: the single source of its help, parsing, suggestions and completion. */
export interface CommandSpec {
  name: string;
  /** Tool-style names: `read_fd` for `read`. */
  aliases: readonly string[];
  summary: string;
  /** What follows the name in the usage line: `FD [options]`. */
  usage: string;
  /**
   * Least and most positional arguments; `most` Infinity for any number. `names`, in order, are named like options
   * (`file-path`): each may also be given as one (`--file-path=x`), and is told by name where it is missing.
   */
  positionals: { least: number; most: number; names?: readonly string[] | undefined };
  /**
   * Whether everything after `--` is handed over untouched in `rest`. Where `positionals.most` is 0, the first word
   * that is no option opens the rest too.
   */
  takesRest?: boolean | undefined;
  options: Readonly<Record<string, OptionSpec>>;
  /** Whether a failure is an answer too, for stdout: a caller that asked with JSON reads its answer there (contract, Answers). */
  failuresAreAnswers?: boolean | undefined;
  /** One real example: the line to type. */
  example: string;
  exitCodes: readonly (readonly [number, string])[];
}

/** An option's value as parsed: flags are booleans, integers and bytes numbers, `many` options lists. Absent options are absent. */
export type OptionValue = string | number | boolean | readonly string[];

/** Options by name, as a command describes them. */
type Described = Readonly<Record<string, OptionSpec>>;

/** The value that an option of this description has. */
type ValueOf<Spec> = Spec extends { kind: "flag" } ? boolean
  : Spec extends { kind: "integer" | "bytes" } ? number
  : Spec extends { many: true } ? readonly string[]
  : Spec extends { choices: readonly (infer Choice)[] } ? Choice
  : string;

/** The values of a table's options; an option that the table does not have is no property. */
export type OptionsOf<Table extends Described> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]>;
};

/** A call's options with the types that `table`, by which it was parsed, gives them. The one cast between the two. */
export function optionsOf<const Table extends Described>(
  _table: Table,
  { options }: CommandCall,
): OptionsOf<Table> {
  return options as OptionsOf<Table>;
}

/** A call after parsing: nothing has touched the disk yet. */
export interface CommandCall {
  positionals: readonly string[];
  options: Readonly<Record<string, OptionValue>>;
  /** What stood after `--`. */
  rest: readonly string[];
}

/** A command's place in the table of all commands: what help and suggestions show of it, and how it is loaded. */
export interface CommandEntry {
  name: string;
  aliases: readonly string[];
  summary: string;
  group: string;
  /** For fdtool's own use: help and completion do not show it. */
  hidden?: true | undefined;
  /** It touches or lists what writes left: it says so on stderr when a kill interrupted one (contract, Writing files). */
  noticesInterrupted?: true | undefined;
  /** It carries somebody's output: what is wrong with a variable is told and keeps it from nothing (contract, law 6). */
  failsOpen?: true | undefined;
  load(): Command | Promise<Command>;
}

/** What a command may use of the process it runs in. Global options are already resolved into it. */
export interface Host {
  env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** `--store`, where given. */
  storeOption: string | undefined;
  /** `--root` or FDTOOL_ROOT, where given. */
  root: string | undefined;
  /** Version text, for records and servers. */
  version: string;
  /**
   * Called now and then by long work, with how far it is: a server tells its client, reads its other messages, and stops
   * the work by throwing when the call was cancelled. Absent where a signal does that.
   */
  checkpoint?: ((doneBytes: number, totalBytes: number) => Promise<void>) | undefined;
  /** Ends processes that the call started, when it was cancelled. */
  signal?: AbortSignal | undefined;
  /** Answers by question id that come with the call (contract, Inquiries). */
  answers?: Readonly<Record<string, unknown>> | undefined;
  /** Ask in `Boolean`, `Select` and `Text` only: for callers that know no other type of answer. */
  plainQuestions?: boolean | undefined;
}

/** What came of a call: an answer for the renderer, or none when the command wrote its bytes itself. */
export interface Outcome {
  exitCode: number;
  answer?: Answer | undefined;
  /** Answers that follow it on stdout: `run --split` has one for each stream. */
  furtherAnswers?: readonly Answer[] | undefined;
  /** The answer is of no use unless all of it is taken: a reader that goes away is a failure, and asides are not told. */
  mustArrive?: true | undefined;
  /** Answers for stderr, since stdout carried the bytes that they tell of (`--tee`). */
  asides?: readonly Answer[] | undefined;
  /**
   * Answers that come with time, after the others: each is written as it comes, until nobody takes them any more. It
   * returns the exit code, which then counts.
   */
  stream?: AsyncGenerator<Answer, number, void> | undefined;
  /**
   * What went wrong without undoing what is answered, or as it was thrown. Told on stderr, last; the exit code is as it
   * stands here.
   */
  failures?: readonly (FdFailure | Error)[] | undefined;
  /** Work that nobody is to wait for before the answer: it is done when all has been told, but for what goes wrong in it. */
  afterwards?: (() => Promise<readonly FdFailure[]>) | undefined;
}

/** A command: its description and its function. Failures are thrown as `FdError` (or the writing side's own union). */
export interface Command {
  spec: CommandSpec;
  run(call: CommandCall, host: Host): Outcome | Promise<Outcome>;
}
