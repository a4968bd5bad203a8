/**
 * What can be wrong with a call before anything is touched. It is told as `invalid_parameter` (contract, Answers)
 * and ends with exit code 2 (but for `truncated_payload`); `src/render/failure_text.ts` makes the sentences and finds the nearest known word.
 *
 * @module
 */

/** A word that nothing knows, in the call that it stands in, so that the corrected call can be offered. */
export interface UnknownWord {
  /** As written, without a value: `--strat` of `--strat=3`. */
  got: string;
  /** The whole call without the program's name, and where in it the word stands. */
  words: readonly string[];
  at: number;
}

/** What is wrong with one argument of a tool call: where it stands (`edits[0].old_string`), what came, what was wanted. */
export interface ArgumentFault {
  field: string;
  got: string;
  wanted: string;
  /** For a parameter that nothing knows: the known ones. */
  known?: readonly string[] | undefined;
}

/** Options and commands are named as the caller should write them: `--page-size`, `read`. */
export type UsageFailure =
  /** `aliasOf` has the command's own name for every name that one goes by, its own among them. */
  | { kind: "unknown_command"; aliasOf: Readonly<Record<string, string>> } & UnknownWord
  /** `known` are all spellings; `aliasOf` has the option's own name for each other one. */
  | {
    kind: "unknown_option";
    command: string | undefined;
    known: readonly string[];
    aliasOf: Readonly<Record<string, string>>;
  }
    & UnknownWord
  | { kind: "missing_argument"; command: string; argument: string }
  /** The first argument, `got`, is no fd, but the second one is. `words` are the call with both in their places. */
  | { kind: "swapped_arguments"; got: string; fd: string; words: readonly string[] }
  /** `words` are all that stood around the command's name; at `flagAt` a flag stands that `true` or `false` follows. */
  | {
    kind: "extra_argument";
    command: string;
    got: string;
    most: number;
    /** What follows the command's name in its usage line. */
    usage: string;
    words: readonly string[];
    flagAt?: number | undefined;
  }
  /** The option stands without its value. */
  | { kind: "missing_value"; command: string | undefined; option: string; wanted: string }
  | { kind: "bad_value"; command: string | undefined; option: string; got: string; wanted: string }
  /** Two options that cannot stand together, as the caller wrote them. */
  | { kind: "conflict"; command: string; first: string; second: string; wanted: string }
  /** `readOnly` are those of the known tools that a guess may name: they change nothing. */
  | { kind: "unknown_tool"; got: string; known: readonly string[]; readOnly: readonly string[] }
  /** Every fault of a tool call's arguments at once. */
  | { kind: "bad_arguments"; tool: string; faults: readonly ArgumentFault[] }
  /** Text that is not one JSON value. `what` names it: "the arguments of read_fd". */
  | { kind: "bad_json"; what: string; reason: string }
  /** JSON that ends too early: a transport cut it. `charCount` counts what arrived, in code points. */
  | { kind: "truncated_payload"; what: string; charCount: number };

/** Thrown for a call that is wrong whatever the store holds. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  constructor(readonly failure: UsageFailure) {
    super(failure.kind);
  }
}

/** Throws `failure` as a {@link UsageError}. */
export function failUsage(failure: UsageFailure): never {
  throw new UsageError(failure);
}
