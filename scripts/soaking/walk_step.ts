/**
 * What a step of a walk is: a call, what it must come to, and what it may leave where it is killed.
 *
 * @module
 */

import type { World } from "../../tests/world.ts";
import type { Choices } from "./random_choices.ts";
import type { Answer, Call, Json } from "./walk_doors.ts";
import type { KnownFd, WalkModel } from "./walk_model.ts";

/** What a step is planned with. */
export interface Walk {
  readonly world: World;
  readonly known: WalkModel;
  readonly choices: Choices;
  /** Archives that were exported, and what is in them. */
  readonly archives: Archive[];
  /** Calls a tool through one of the doors, outside of the steps. */
  ask(tool: string, given: Json): Promise<Answer>;
  /** All bytes of an fd, through one of the doors. */
  fetch(id: number): Promise<Uint8Array>;
}

/** An archive of fds. */
export interface Archive {
  bytes: Uint8Array;
  fds: readonly { fd: KnownFd; names: readonly string[] }[];
}

/** What a call may have done by the time it is killed. */
export interface May {
  /** Contents that new fds may hold, all of them or, where the fd says so, a beginning. */
  fds?: readonly Pick<KnownFd, "bytes" | "pageSize" | "source" | "isImported">[];
  /** Whether the plan becomes an fd. */
  storesPlan?: boolean;
  /** Files that change, all or none. */
  changes?: readonly { path: string; after: Uint8Array | undefined; isPrefix?: boolean }[];
  /** Files that are made beside them. */
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
  /** What it looks at, and what it changes: steps with none in common can be made at once. `*` is everything. */
  uses?: readonly string[];
  touches?: readonly string[];
  /** The failure that it must end with. */
  error?: string | readonly string[];
  /** The exit code; 0 where it succeeds, or 1, unless given. */
  code?: number;
  /** Checks the answer, and takes note of what was done. */
  check?: (answer: Answer, json: Json) => void | Promise<void>;
  /** What it may leave where it is killed; nothing unless given. */
  may?: May;
}

/** Plans a step; undefined where nothing is there that it could be about. */
export type StepKind = (walk: Walk) => PlannedStep | undefined;
