/** Compares an fd with the run of its command before (contract, Capturing). */

import {
  type FdEntry,
  findFd,
  formatFd,
  openContent,
  readSlice,
  readWhole,
  type Store,
  textEntry,
} from "../../fd/mod.ts";
import { cleanBytes, ifPossible, undefinedIf } from "../../fd/system.ts";
import { agoText } from "../answers/parts/moment_text.ts";
import type { NamedCall } from "../calls/terms/next_call.ts";
import { changeCounts } from "../findings/changes/change_text.ts";
import { type ContentChange, contentChange } from "../findings/changes/run_changes.ts";

/** The run before, and what changed since; without `changed` if the contents are equal or too long to compare findings. */
interface RunChange extends Partial<ContentChange> {
  /** `fd:N` of the run before. */
  since: string;
  /** How long before it ran, such as `4 min ago`. */
  ago: string;
  isSame: boolean;
  /** How it ended, if not as this run did. */
  otherEnd: string | undefined;
}

/** In content of more bytes findings are not compared. */
const MAX_COMPARED_BYTES = 8 * 2 ** 20;

/** Compares `entry` with the run before; undefined if there is none, or one of the two is not whole. */
export async function changeSince(
  store: Store,
  entry: FdEntry,
  nowMs: number,
): Promise<RunChange | undefined> {
  const before = runBefore(store, entry);
  // Damaged content is not compared.
  return before && await changeFrom(store, before, entry, nowMs).catch(undefinedIf());
}

async function changeFrom(store: Store, before: FdEntry, entry: FdEntry, nowMs: number): Promise<RunChange> {
  const isSame = haveSameContent(store, before, entry);
  const { exitCode, signal } = before;
  const otherEnd = exitCode === entry.exitCode && signal === entry.signal
    ? undefined
    : signal === undefined
    ? `with exit code ${exitCode}`
    : `by ${signal}`;
  const change = { since: formatFd(before.id), ago: agoText(before.createdMs, nowMs), isSame, otherEnd };
  if (isSame || Math.max(before.byteCount, entry.byteCount) > MAX_COMPARED_BYTES) return change;
  const [then, now] = [await cleanContent(store, before), await cleanContent(store, entry)];
  return {
    ...change,
    ...contentChange(then, now, wasStopped(entry)),
  };
}

/** Whether a signal or a time limit ended the command, or one that it ran. */
function wasStopped({ exitCode = 0, signal }: FdEntry): boolean {
  return signal !== undefined || exitCode === 124 || exitCode > 128 && exitCode < 160;
}

function runBefore(store: Store, { before, state }: FdEntry): FdEntry | undefined {
  if (before === undefined || state !== "sealed") return undefined;
  const entry = ifPossible(() => findFd(store, formatFd(before)));
  return entry?.state === "sealed" ? entry : undefined;
}

function haveSameContent(store: Store, one: FdEntry, other: FdEntry): boolean {
  if (one.byteCount !== other.byteCount || one.sum !== other.sum) return false;
  const [first, second] = [openContent(store, one), openContent(store, other)];
  try {
    for (let block = 0; block < first.index.blockCount; block++) {
      if (!Buffer.from(first.block(block)).equals(second.block(block))) return false;
    }
    return true;
  } finally {
    first.close();
    second.close();
  }
}

async function cleanContent(store: Store, entry: FdEntry): Promise<Uint8Array> {
  const text = await textEntry(store, entry);
  return cleanBytes(readWhole(readSlice(store, text, { fromByte: 0, toByte: text.byteCount })));
}

/** The sentence about a change. */
export function changeSentence(change: RunChange, fd: string): (string | NamedCall)[] {
  const said = changeText(change);
  if (change.isSame) return [`${said}.`];
  return [`${said}${change.changed === undefined ? ": " : "; all changes: "}`, diffOf(change.since, fd), "."];
}

/** The part of the sentence before the call that shows all changes. With `isLasting`, it is true later, too. */
export function changeText(
  { since, ago, isSame, otherEnd, ...change }: RunChange,
  isLasting = false,
): string {
  const run = isLasting ? since : `${since}, ${ago}`;
  if (isSame && otherEnd !== undefined) return `The same output as ${run}, which ended ${otherEnd}`;
  if (isSame) return `The same as ${run}`;
  return change.changed === undefined ? `It differs from ${run}` : `Since ${run}: ${changeCounts(change)}`;
}

/** The call that shows all changes. */
export function diffOf(since: string, fd: string): NamedCall {
  return { command: "diff", args: { old_fd: since, new_fd: fd } };
}
