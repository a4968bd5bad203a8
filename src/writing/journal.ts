/**
 * The journal's lines and what they say together (JOURNAL.md). No content is ever in it: only paths, sizes, sums and
 * handles.
 *
 * @module
 */

import * as v from "valibot";
import {
  appendToLog,
  FdError,
  highestLogId,
  LAST_MOMENT_MS,
  markTransaction,
  readLogLines,
  startLog,
  type Store,
  unmarkTransaction,
} from "../../fd/mod.ts";
import { refuse } from "./write_failure.ts";

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
/** Milliseconds since 1970, as far as dates go. */
const moment = v.pipe(count, v.maxValue(LAST_MOMENT_MS));
const content = v.object({ bytes: count, sha256: v.string() });
/** By what a file is known again wherever it was linked or renamed to: its inode, and when it was last written. */
const identity = v.object({ inode: v.string(), modified_ns: v.string() });
const prepared = v.object({ ...content.entries, file: v.optional(identity) });

const journaledFile = v.object({
  /** The real path. */
  path: v.string(),
  /** The path as the caller wrote it. */
  shown: v.string(),
  temporary: v.string(),
  /** Where a copy beside the file is wanted: what it is written to before it gets its name. */
  copy_temporary: v.optional(v.string()),
  before: v.nullable(v.object({ bytes: count, sha256: v.string(), mode: count, uid: count, gid: count })),
  /** The fd that keeps the old content, or how long a prefix of the new content it is. */
  backup: v.nullable(v.union([count, v.object({ prefix_bytes: count })])),
  removes: v.boolean(),
  made_directories: v.array(v.string()),
});

const beginLine = v.object({
  event: v.literal("begin"),
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
  v.object({ event: v.literal("done"), at: moment, recovered: v.optional(v.boolean()) }),
  v.object({ event: v.literal("rolled_back"), at: moment, why: v.string(), left: v.array(v.string()) }),
]);

/** A file of a transaction, as it was before. */
export type JournaledFile = v.InferOutput<typeof journaledFile>;
/** By what a file that a transaction made is told from one that somebody else made in its place. */
export type FileIdentity = v.InferOutput<typeof identity>;
/** What a file is to become, and which file that is. */
export type PreparedFile = v.InferOutput<typeof prepared>;
/** The line that begins a transaction. */
export type BeginLine = v.InferOutput<typeof beginLine>;
/** Any line of a transaction's log. */
export type JournalLine = v.InferOutput<typeof line>;

/** A transaction, as its log tells it. */
export interface Transaction {
  id: number;
  begin: BeginLine;
  copies: readonly ({ file: number; path: string } & FileIdentity)[];
  /** Bytes and sum of each file afterwards (null: removed); undefined until all of them were on the disk. */
  after: readonly (PreparedFile | null)[] | undefined;
  rollingBack: string | undefined;
  outcome:
    | { kind: "done"; atMs: number; recovered: boolean }
    | { kind: "rolled_back"; atMs: number; why: string; left: readonly string[] }
    | undefined;
}

/** The handle of a transaction. */
export function formatTransaction(id: number): string {
  return `tx:${id}`;
}

/**
 * Takes the next number, marks it as begun, and writes down what is about to happen. The mark comes first: what has begun
 * and is not marked no `recover` would find. One that marks nothing is passed over.
 */
export function beginTransaction(store: Store, begin: Omit<BeginLine, "event">): number {
  let marked: number | undefined;
  try {
    return startLog(store, "tx", { event: "begin", ...begin }, (id) => markTransaction(store, marked = id));
  } catch (thrown) {
    if (marked !== undefined) unmarkUnbegun(store, marked);
    throw thrown;
  }
}

/** Takes the mark of a step that never began, as on a full disk, away; one whose first line got through stays marked. */
function unmarkUnbegun(store: Store, id: number): void {
  try {
    if (readTransaction(store, id) === undefined) unmarkTransaction(store, id);
  } catch (thrown) {
    // What made it fail to begin is what is told.
    if (!(thrown instanceof FdError)) throw thrown;
  }
}

/** Adds a line to the log of transaction `id`. */
export function journal(store: Store, id: number, entry: JournalLine, durable: boolean): void {
  appendToLog(store, "tx", id, entry, durable);
}

/** Transaction `id`; undefined where there is none, or its first line never reached the disk. */
export function readTransaction(store: Store, id: number): Transaction | undefined {
  const lines = readLogLines(store, "tx", id)?.flatMap((value) => {
    const parsed = v.safeParse(line, value);
    return parsed.success ? [parsed.output] : [];
  });
  const begin = lines?.find((each) => each.event === "begin");
  if (lines === undefined || begin === undefined) return undefined;
  const transaction: Transaction = {
    id,
    begin,
    copies: lines.filter((each) => each.event === "copy"),
    after: undefined,
    rollingBack: undefined,
    outcome: undefined,
  };
  for (const each of lines) {
    if (each.event === "prepared") transaction.after = each.after;
    if (each.event === "rolling_back") transaction.rollingBack = each.why;
    if (each.event === "done") {
      transaction.outcome = { kind: "done", atMs: each.at, recovered: each.recovered ?? false };
    }
    if (each.event === "rolled_back") {
      transaction.outcome = { kind: "rolled_back", atMs: each.at, why: each.why, left: each.left };
    }
  }
  return transaction;
}

/** Transactions from the newest to the oldest; numbers without a begin are passed over. */
export function* newestTransactions(store: Store): Iterable<Transaction> {
  for (let id = highestLogId(store, "tx"); id >= 1; id--) {
    const transaction = readTransaction(store, id);
    if (transaction !== undefined) yield transaction;
  }
}

/**
 * The transaction that `handle` (`tx:7` or `7`) names.
 *
 * @throws {WriteError} `not_found`.
 */
export function findTransaction(store: Store, handle: string): Transaction {
  const id = Number(/^(?:tx:)?([1-9][0-9]{0,14})$/.exec(handle)?.[1] ?? NaN);
  const transaction = Number.isSafeInteger(id) ? readTransaction(store, id) : undefined;
  return transaction ??
    refuse({ kind: "not_found", family: "tx", handle, highest: highestLogId(store, "tx") });
}
