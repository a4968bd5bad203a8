/**
 * Usage failures: faults of a call that are found before anything is touched. They are reported as `invalid_parameter`
 * (contract, Answers) with exit code 2 (except `truncated_payload`); `src/answers/render/failure_text.ts` makes the sentences and
 * finds the nearest known word.
 */

import type { editOfPatch } from "./patch_edits.ts";

/** An unknown word with its call, so that the corrected call can be offered. */
interface UnknownWord {
  /** As written, without a value: `--strat` of `--strat=3`. */
  got: string;
  /** The whole call without the program's name, and the place of the word in it. */
  words: readonly string[];
  at: number;
}

/** A fault of one argument of a tool call: its place (`edits[0].old_string`), the value, and what was expected. */
export interface ArgumentFault {
  field: string;
  got: string;
  wanted: string;
  /** For an unknown parameter: the known ones. */
  known?: readonly string[] | undefined;
  retry?: Retry | undefined;
}

/** The call that means what was written. */
type Retry = ReturnType<typeof editOfPatch>;

/** Options and commands are named as the caller should write them: `--page-size`, `read`. */
export type UsageFailure =
  /** `aliasOf` has the command's own name for every name that one goes by, its own among them; `reading` those that only read. */
  | { kind: "unknown_command"; aliasOf: Readonly<Record<string, string>>; reading: readonly string[] }
    & UnknownWord
  /** `known` are all spellings; `aliasOf` has the option's own name for each other one. */
  | {
    kind: "unknown_option";
    command: string | undefined;
    /** Whether the command only reads. */
    reads: boolean;
    known: readonly string[];
    aliasOf: Readonly<Record<string, string>>;
  }
    & UnknownWord
  /** `why`: nothing could be taken for what is left out. */
  | { kind: "missing_argument"; command: string; argument: string; why?: string; usage?: string }
  /** A file's path where an fd is expected; of a command that takes files, but may be `unasked` for here. */
  | { kind: "file_for_fd"; path: string; unasked?: string | undefined }
  /** Neither an fd nor a file. `next`: the call with the file that may be meant. */
  | {
    kind: "no_fd_or_file";
    got: string;
    highestId: number;
    nearest: string | undefined;
    next: { command: string; args: object } | undefined;
  }
  /** `words` are all words around the command's name; at `flagAt` is a flag that `true` or `false` follows. */
  | {
    kind: "extra_argument";
    command: string;
    /** Whether the command only reads. */
    reads: boolean;
    got: string;
    most: number;
    /** The rest of the usage line after the command's name. */
    usage: string;
    words: readonly string[];
    flagAt?: number | undefined;
  }
  /** The option has no value. */
  | { kind: "missing_value"; command: string | undefined; option: string; wanted: string }
  | { kind: "bad_value"; command: string | undefined; option: string; got: string; wanted: string }
  /** Two options that exclude each other, as the caller wrote them. */
  | { kind: "conflict"; command: string; first: string; second: string; wanted: string }
  /** `readOnly` are those of the known tools that a guess may name: they change nothing. */
  | { kind: "unknown_tool"; got: string; known: readonly string[]; readOnly: readonly string[] }
  /** Every fault of a tool call's arguments at once. */
  | { kind: "bad_arguments"; tool: string; faults: readonly ArgumentFault[] }
  /** Text that is not one JSON value. `what` names it: "the arguments of read_fd". */
  | { kind: "bad_json"; what: string; reason: string; retry?: Retry | undefined }
  /** Truncated JSON: a transport cut it. `charCount` counts what arrived, in code points. */
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

/** Throws `bad_value`: `got` is not what `option` takes. */
export function failValue(command: string | undefined, option: string, got: string, wanted: string): never {
  failUsage({ kind: "bad_value", command, option, got, wanted });
}

/** Throws `conflict`: `wanted` is in place of the two. */
export function failConflict(command: string, first: string, second: string, wanted: string): never {
  failUsage({ kind: "conflict", command, first, second, wanted });
}
