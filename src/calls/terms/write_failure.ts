/**
 * Failures of writes to users' files: a closed union of kinds with fields (contract, Writing files). Those of single
 * checks are in `write_faults.ts`; `src/answers/render/write_failure_text.ts` words the others. The store and the disk fail
 * with `FdError`.
 */

import type { FdFailure } from "../../../fd/system.ts";
import type { LogFamily } from "../../../fd/mod.ts";
import type { NextCall } from "./next_call.ts";
import type { WriteFault } from "./write_faults.ts";

/** A fault of a value: its path (`answer.content`), and what is wrong. */
export interface SchemaFault {
  at: string;
  problem: string;
}

export interface PlanProblem {
  /** `operations[0].location_marker` or, with several files, `plans[1].operations[0].location_marker`. */
  at: string;
  problem: string | WriteFault | FdFailure;
}

/** Calls on a closed question or step. */
export type ClosedAction = "answer" | "cancel" | "undo" | "show the plan of";

/** The uses of an fd by a step or question. */
export type NeededFor = "backup" | "plan" | "request";

export type WriteFailure =
  | WriteFault
  /** Failed checks of one file; the first gives the answer its type. */
  | { kind: "several"; path: string; faults: readonly WriteFault[]; more?: number }
  | { kind: "invalid_answer"; inquiry: string; faults: readonly SchemaFault[] }
  /** `more` further problems are only in `wholeFd`, which has all. */
  | { kind: "plan_invalid"; problems: readonly PlanProblem[]; more?: number; wholeFd?: string }
  /** No such transaction (`tx`) or question (`inq`), or no step that changed `path`; `highest` is the last one, 0 for none. */
  | { kind: "not_found"; family: LogFamily; handle: string; highest: number; path?: string | undefined }
  /** `undo` without a handle stays at or below `here`, but some files of the newest step are elsewhere. */
  | {
    kind: "step_elsewhere";
    handle: string;
    /** Real paths of the files elsewhere. */
    paths: readonly string[];
    isPartlyHere: boolean;
    here: string;
    /** The call is confined to a root, so a handle would not help. */
    isConfined: boolean;
  }
  /** A step or question needs the fd, so it cannot be removed without `--force`. */
  | { kind: "still_needed"; fd: string; handle: string; what: NeededFor; isOpen: boolean }
  /**
   * The content kept for `handle` (a question, step or file) is incomplete: a size limit cut it, or its writer died.
   */
  | {
    kind: "incomplete_content";
    handle: string;
    fd: string;
    byteCount: number;
    /** Bytes dropped by a size limit, if one did. */
    droppedBytes: number | undefined;
  }
  /** A settings file without write permission: its owner, or the program that made it, wants it unchanged. */
  | { kind: "read_only"; path: string; mode: number }
  /** An answered question, or an undone or unfinished step. */
  | {
    kind: "closed";
    action: ClosedAction;
    handle: string;
    how: string;
    next?: NextCall | undefined;
  };

export class WriteError extends Error {
  override readonly name = "WriteError";
  constructor(readonly failure: WriteFailure) {
    super(failure.kind);
  }
}

export function refuse(failure: WriteFailure): never {
  throw new WriteError(failure);
}

/** Refuses a write because the file at `path`, or what leads to it, is not as expected. */
export function refuseStale(path: string, what: string, expectedSha256?: string): never {
  return refuse({ kind: "stale_file", path, expectedSha256, actualSha256: undefined, what });
}

/** Throws all `faults` together, with a count of further ones; returns if there are none. */
export function refuseFaults(path: string, faults: readonly WriteFault[], more = 0): void {
  const [first] = faults;
  if (first === undefined) return;
  refuse(faults.length === 1 && "path" in first ? first : { kind: "several", path, faults, more });
}
