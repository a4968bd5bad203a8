/**
 * What can be wrong with a write to a user's file, as a closed union of kinds with fields (contract, Answers, Writing files, Inquiries and Write plans). What
 * the store and the disk report comes as `FdError`. No sentence is made here: `src/render/write_failure_text.ts` does.
 *
 * @module
 */

import type { FdFailure, LogFamily } from "../../fd/mod.ts";
import type { NextCall } from "./next_call.ts";

/** A line of a file, for messages: numbered from 1, its text without its line end, cut where it is long. */
export interface ShownLine {
  lineNumber: number;
  text: string;
}

/**
 * A line near to what was looked for, and what differs: "white space", "line ends", "case", "ill-formed bytes", "place",
 * "text".
 */
export interface NearLine extends ShownLine {
  differs: readonly string[];
}

/** One fault of a value against its schema: where it is (`answer.content`), and what is wrong with it. */
export interface SchemaFault {
  at: string;
  problem: string;
}

/** One thing that a plan cannot do: where in the plan, and what is in the way. */
export interface PlanProblem {
  /** `operations[0].location_marker`, or with several files `plans[1].operations[0].location_marker`. */
  at: string;
  problem: string | WriteFault | FdFailure;
}

/** A check that failed. Several can fail at once; they are reported together. */
export type WriteFault =
  /** See contract, Writing files. */
  | { kind: "line_count_mismatch"; actual: number; expected: number | undefined }
  | { kind: "invalid_acknowledgement" }
  | { kind: "placeholder_found"; lines: readonly ShownLine[] }
  /** The content is not what the caller said it would be. */
  | { kind: "hash_mismatch"; actual: string; expected: string }
  | { kind: "size_mismatch"; actualBytes: number; expectedBytes: number }
  | {
    kind: "structure_invalid";
    language: string;
    problems: readonly { lineNumber: number | undefined; problem: string }[];
  }
  /** The file is not what the caller, or the step that is undone, left it as. `actual` undefined: it is gone. */
  | {
    kind: "stale_file";
    path: string;
    /** What it was to be; undefined where it was not to be there. */
    expectedSha256: string | undefined;
    actualSha256: string | undefined;
    /** What happened, where more is known. */
    what: string;
    /** How the file as it is now differs from what a step would make of it. */
    diff?: string | undefined;
  }
  | {
    kind: "match_not_found";
    path: string;
    /** Which of several edits, from 0; absent where there is one. */
    edit?: number | undefined;
    /** Which argument was looked for: `old_string`, `location_marker` … */
    sought: string;
    /** The argument after whose match it was looked for. */
    after?: string | undefined;
    nearest: readonly NearLine[];
    /** Whether only line ends stand in the way, which `--eol` settles. */
    otherLineEnds: boolean;
  }
  | {
    kind: "match_not_unique";
    path: string;
    edit?: number | undefined;
    sought: string;
    /** The first lines on which a match starts. */
    lines: readonly ShownLine[];
    matchCount: number;
  }
  | { kind: "file_exists"; path: string }
  | { kind: "file_not_found"; path: string }
  /** A directory, device, socket or pipe stands where a file is to be written. */
  | { kind: "write_error"; path: string; what: string }
  /** A file of the store itself: the content of `fd`, or what fdtool keeps about it. */
  | { kind: "store_file"; path: string; fd: string | undefined };

/** What cannot be done with a question or a step that is closed. */
export type ClosedAction = "answer" | "cancel" | "undo" | "show the plan of";

/** What a step or a question needs an fd for. */
export type NeededFor = "backup" | "plan" | "request";

/** Every failure of the writing side. */
export type WriteFailure =
  | WriteFault
  /** One or several checks of one file failed; the first gives the answer its type. */
  | { kind: "several"; path: string; faults: readonly WriteFault[]; more?: number }
  | { kind: "invalid_answer"; inquiry: string; faults: readonly SchemaFault[] }
  /** `more` problems are in `wholeFd` alone, which has all. */
  | { kind: "plan_invalid"; problems: readonly PlanProblem[]; more?: number; wholeFd?: string }
  /** No such transaction (`tx`) or question (`inq`); `highest` is the last there is, 0 for none. */
  | { kind: "not_found"; family: LogFamily; handle: string; highest: number }
  /** A bare undo is not to reach elsewhere: all files of the newest step, or some, are not at or below `here`. */
  | {
    kind: "step_elsewhere";
    handle: string;
    /** Real paths of its files elsewhere. */
    paths: readonly string[];
    isPartlyHere: boolean;
    here: string;
    /** A root confines the call, so the step cannot be undone by its handle either. */
    isConfined: boolean;
  }
  /** An fd that a step or a question needs is not to be removed, at least not without `--force`. */
  | { kind: "still_needed"; fd: string; handle: string; what: NeededFor; isOpen: boolean }
  /** What fdtool kept for `handle` (a question, a step, a file) is not all there: a cap cut it, or its writer died. */
  | {
    kind: "kept_in_part";
    handle: string;
    fd: string;
    byteCount: number;
    /** What a cap cut out, where one did. */
    droppedBytes: number | undefined;
  }
  /** It can be done no more: an answered question, an undone or unfinished step. */
  | {
    kind: "closed";
    action: ClosedAction;
    handle: string;
    how: string;
    next?: NextCall | undefined;
  };

/** Thrown for a write that is refused. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  constructor(readonly failure: WriteFailure) {
    super(failure.kind);
  }
}

/** Throws `failure` as a {@link WriteError}. */
export function refuse(failure: WriteFailure): never {
  throw new WriteError(failure);
}

/** Throws all `faults` at once, and how many more there are; returns where there is none. */
export function refuseFaults(path: string, faults: readonly WriteFault[], more = 0): void {
  const [first] = faults;
  if (first === undefined) return;
  refuse(faults.length === 1 && "path" in first ? first : { kind: "several", path, faults, more });
}
