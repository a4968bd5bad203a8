/**
 * A step of a walk: a call, its expected result, and its allowed effects if it is killed.
 */

import type { World } from "../../tests/world.ts";
import type { Choices } from "./random_choices.ts";
import type { Answer, Call, Json } from "./walk_doors.ts";
import type { KnownFd, PlannedChange, WalkModel } from "./walk_model.ts";

/** The state that a step is planned with. */
export interface Walk {
  readonly world: World;
  readonly known: WalkModel;
  readonly choices: Choices;
  /** Exported archives and their contents. */
  readonly archives: Archive[];
  /** Calls a tool over MCP, not as a step. */
  ask(tool: string, given: Json): Promise<Answer>;
  /** Reads all bytes of an fd. */
  fetch(id: number): Promise<Uint8Array>;
}

/** An archive of fds. */
export interface Archive {
  bytes: Uint8Array;
  fds: readonly { fd: KnownFd; names: readonly string[] }[];
}

/** Effects that a killed call may have had. */
export interface May {
  /** Contents of new fds: the whole of one of them or, if the fd is incomplete, a prefix. */
  fds?: readonly Pick<KnownFd, "bytes" | "pageSize" | "source" | "isImported">[];
  /** Whether the plan is stored as an fd. */
  storesPlan?: boolean;
  /** Whether a long diff is stored as an fd. */
  storesDiff?: boolean;
  /** Files that change, all or none. */
  changes?: readonly PlannedChange[];
  /** Copies made beside them. */
  copies?: ReadonlyMap<string, Uint8Array>;
  undoes?: number | undefined;
  /** Names that may be bound: to an fd, or to one of the new ones. */
  names?: readonly (readonly [name: string, id: number | "new"])[];
  removes?: readonly number[];
  /** The path that may be asked about. */
  asks?: string;
  /** The question that may be closed. */
  closes?: number;
}

/** A step. */
export interface PlannedStep {
  call: Call;
  /** The things it reads and changes (`*`: everything). Steps that share nothing can run at once. */
  uses?: readonly string[];
  touches?: readonly string[];
  /** The expected failure. */
  error?: string | readonly string[];
  /** The exit code; default 0 for success, 1 for a failure. */
  code?: number;
  /** Checks the answer and updates the model. */
  check?: (answer: Answer, json: Json) => void | Promise<void>;
  /** Its allowed effects if it is killed; default none. */
  may?: May;
}

/** Plans a step; undefined if the model has nothing for it to work on. */
export type StepKind = (walk: Walk) => PlannedStep | undefined;
