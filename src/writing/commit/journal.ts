/**
 * The lines of the journal and what they mean together (JOURNAL.md). The journal never has content: only paths,
 * sizes, sums and handles.
 */

import * as v from "valibot";
import {
  appendCheckedLine,
  highestLogId,
  isMarked,
  LAST_MOMENT_MS,
  lastLogId,
  logCondition,
  type LogFamily,
  logPath,
  markTransaction,
  readLogLines,
  startLog,
  type Store,
  unmarkTransaction,
} from "../../../fd/mod.ts";
import { FdError, ifPossible } from "../../../fd/system.ts";
import type { NextCall } from "../../calls/terms/next_call.ts";
import { pathsFromHere } from "./resolve_path.ts";
import { refuse } from "../../calls/terms/write_failure.ts";

/** A number in a log. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Milliseconds since 1970, as far as dates go. */
export const moment = v.pipe(count, v.maxValue(LAST_MOMENT_MS));
const content = v.object({ bytes: count, sha256: v.string() });
/** Identifies a file under any name: its inode, and when it was last written. */
const identity = v.object({ inode: v.string(), modified_ns: v.string() });
const prepared = v.object({ ...content.entries, file: v.optional(identity) });

const journaledFile = v.object({
  path: v.string(),
  /** The path as the caller wrote it. */
  shown: v.string(),
  temporary: v.string(),
  /** The temporary file of a copy beside the file (`.bak`). */
  copy_temporary: v.optional(v.string()),
  before: v.nullable(v.object({ bytes: count, sha256: v.string(), mode: count, uid: count, gid: count })),
  /** The fd with the old content, or the length of the prefix of the new content that is the old one. */
  backup: v.nullable(v.union([count, v.object({ prefix_bytes: count })])),
  removes: v.boolean(),
  made_directories: v.array(v.string()),
});

const beginLine = v.object({
  event: v.literal("begin"),
  /** Its own number, to detect a log that was moved. */
  number: v.optional(count),
  at: moment,
  tool: v.string(),
  intent: v.optional(v.string()),
  plan: v.optional(count),
  undoes: v.optional(count),
  cwd: v.string(),
  writer: v.object({
    pid: count,
    started: v.optional(v.string()),
    boot: v.optional(v.string()),
    space: v.optional(v.string()),
  }),
  files: v.array(journaledFile),
});

const line = v.variant("event", [
  beginLine,
  v.object({ event: v.literal("copy"), file: count, path: v.string(), ...identity.entries }),
  v.object({ event: v.literal("prepared"), after: v.array(v.nullable(prepared)) }),
  v.object({ event: v.literal("rolling_back"), why: v.string() }),
  v.object({
    event: v.literal("done"),
    at: moment,
    recovered: v.optional(v.boolean()),
    left: v.optional(v.array(v.string())),
  }),
  v.object({ event: v.literal("rolled_back"), at: moment, why: v.string(), left: v.array(v.string()) }),
]);

/** A file of a transaction, as it was before. */
export type JournaledFile = v.InferOutput<typeof journaledFile>;
/** Distinguishes a file that a transaction made from one that another process made in its place. */
export type FileIdentity = v.InferOutput<typeof identity>;
/** The new state of a file, and which file has it. */
export type PreparedFile = v.InferOutput<typeof prepared>;
type BeginLine = v.InferOutput<typeof beginLine>;
type JournalLine = v.InferOutput<typeof line>;

/** A transaction, as its log describes it. */
export interface Transaction {
  id: number;
  begin: BeginLine;
  copies: readonly ({ file: number; path: string } & FileIdentity)[];
  /** Size and sum of each new file (null: removed); undefined until all of them are on the disk. */
  after: readonly (PreparedFile | null)[] | undefined;
  rollingBack: string | undefined;
  /** Its last line, if it ended. */
  outcome: Extract<JournalLine, { event: "done" | "rolled_back" }> | undefined;
}

/** The paths of a step's files, as valid in the directory `cwd`. */
export function stepPaths(files: readonly JournaledFile[], cwd: string): string[] {
  return pathsFromHere(files.map((file) => file.path), cwd);
}

export function formatTransaction(id: number): string {
  return `tx:${id}`;
}

/** Returns the call that shows all files of transaction `id`. */
export function showWhole(id: number): NextCall {
  return { command: "log", args: { tx: formatTransaction(id), all: true } };
}

/**
 * Takes the next number, marks it as open, and logs what is about to happen. The mark comes first: `recover` would
 * not find an unmarked transaction, and skips a mark without a log.
 */
export function beginTransaction(store: Store, begin: Omit<BeginLine, "event" | "number">): number {
  let marked: number | undefined;
  try {
    return startLog(store, "tx", { event: "begin", ...begin }, (id) => markTransaction(store, marked = id));
  } catch (thrown) {
    // It never began, as on a full disk. If its first line was written, it stays marked.
    ifPossible(() => {
      if (marked !== undefined && readTransaction(store, marked) === undefined) {
        unmarkTransaction(store, marked);
      }
    }, FdError);
    throw thrown;
  }
}

/**
 * Appends a line to the log of transaction `id`, and syncs it. Only the process that ends the transaction does that; it
 * removes what a killed one wrote of a line.
 */
export function journal(store: Store, id: number, entry: JournalLine): void {
  appendCheckedLine(logPath(store, "tx", id), entry, true, true);
}

/** Transaction `id`. Returns undefined if there is none, its first line was not written, or the log is another's. */
export function readTransaction(store: Store, id: number): Transaction | undefined {
  return transactionIn(id, validLines(line, readLogLines(store, "tx", id) ?? []));
}

/** The lines of a log that are valid by its schema. */
export function validLines<Line>(schema: v.GenericSchema<unknown, Line>, values: readonly unknown[]): Line[] {
  return values.flatMap((value) => {
    const parsed = v.safeParse(schema, value);
    return parsed.success ? [parsed.output] : [];
  });
}

/** The number in a handle: 7 for `tx:7` and `7`. Returns undefined if it is not a handle of the family. */
export function numberIn(family: LogFamily, handle: string): number | undefined {
  const given = handle.startsWith(`${family}:`) ? handle.slice(family.length + 1) : handle;
  return /^[1-9][0-9]{0,14}$/.test(given) ? Number(given) : undefined;
}

function transactionIn(id: number, lines: readonly JournalLine[]): Transaction | undefined {
  const begin = lines.find((each) => each.event === "begin");
  if (begin === undefined || begin.number !== undefined && begin.number !== id) return undefined;
  return {
    id,
    begin,
    copies: lines.filter((each) => each.event === "copy"),
    after: lines.findLast((each) => each.event === "prepared")?.after,
    rollingBack: lines.findLast((each) => each.event === "rolling_back")?.why,
    outcome: lines.findLast((each) => each.event === "done" || each.event === "rolled_back"),
  };
}

/** A transaction, and whether a newer one that is in effect undid it. */
export interface LoggedTransaction extends Transaction {
  isUndone: boolean;
}

/**
 * Transactions from the newest to the oldest, without numbers that never began. If a log is so damaged that the
 * changes or the outcome are lost, `onLost` is called.
 */
export function* newestTransactions(
  store: Store,
  onLost: (id: number, what: string) => void = () => {},
): Iterable<LoggedTransaction> {
  const undone = new Set<number>();
  for (let id = lastLogId(store, "tx"); id >= 1; id--) {
    const lost = lostIn(store, id);
    if (lost !== undefined) onLost(id, lost);
    const transaction = lost === UNREADABLE ? undefined : readTransaction(store, id);
    if (transaction === undefined) continue;
    const { begin, outcome } = transaction;
    const isUndone = undone.has(id);
    // An undo that was itself undone leaves its step in effect.
    if (begin.undoes !== undefined && outcome?.event === "done" && !isUndone) undone.add(begin.undoes);
    yield { ...transaction, isUndone };
  }
}

const UNREADABLE = "cannot be read";

/** The damage to the log of transaction `id`. Returns undefined if nothing essential is lost. */
function lostIn(store: Store, id: number): string | undefined {
  const condition = logCondition(store, "tx", id);
  if (condition === "unstarted") return undefined;
  if (condition === "missing") return "is missing";
  const fault = () => {
    const transaction = readTransaction(store, id);
    if (transaction === undefined) return "has no valid first line";
    return isOutcomeLost(store, transaction) ? "is missing its outcome" : "";
  };
  return (ifPossible(fault, FdError) ?? UNREADABLE) || undefined;
}

/** Whether the outcome of a transaction was recorded and lost: it is unmarked only once it is recorded. */
export function isOutcomeLost(store: Store, { id, outcome }: Transaction): boolean {
  // Read again, since it may have ended between the two reads.
  return outcome === undefined && !isMarked(store, id) && readTransaction(store, id)?.outcome === undefined;
}

/** The contradiction in the lines of transaction `id`. Returns undefined if there is none. */
export function faultInTransaction(store: Store, id: number, values: readonly unknown[]): string | undefined {
  const lines = validLines(line, values);
  const handle = formatTransaction(id);
  const transaction = transactionIn(id, lines);
  if (lines.length < values.length) return `${handle} has invalid lines`;
  if (transaction === undefined) {
    const number = lines.find((each) => each.event === "begin")?.number;
    return number === undefined ? `${handle} has no valid first line` : `it is the record of tx:${number}`;
  }
  const { begin, after, outcome } = transaction;
  if (
    outcome?.event === "done" && after === undefined ||
    after !== undefined && after.length !== begin.files.length
  ) {
    return `${handle} is missing the new state of its files`;
  }
  return isOutcomeLost(store, transaction) ? `${handle} is missing its outcome` : undefined;
}

/**
 * Finds the transaction `handle` (`tx:7` or `7`).
 *
 * @throws {WriteError} `not_found`.
 */
export function findTransaction(store: Store, handle: string): Transaction {
  const id = numberIn("tx", handle);
  return (id === undefined ? undefined : readTransaction(store, id)) ??
    refuse({ kind: "not_found", family: "tx", handle, highest: highestLogId(store, "tx") });
}
