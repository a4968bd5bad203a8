/**
 * Failures of writes to a user's files, as a closed union of kinds with fields (contract, Answers, Writing files, Inquiries and
 * Write plans). `write_faults.ts` has those of single checks, `src/render/write_failure_text.ts` words the others. The store
 * and the disk fail with `FdError`.
 *
 * @module
 */

import type { FdFailure, LogFamily } from "../../fd/mod.ts";
import type { NextCall } from "./next_call.ts";
import type { WriteFault } from "./write_faults.ts";

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
