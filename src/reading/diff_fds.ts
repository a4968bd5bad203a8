/** Diff: the changes between two fds, such as two runs of a command, as unified hunks. */

import { counted } from "../answering/grouped_digits.ts";
import { Buffer } from "node:buffer";
import {
  boundSlice,
  type ByteSource,
  type FdEntry,
  findFd,
  formatFd,
  locateSlice,
  prepareContent,
  readSlice,
  type Store,
} from "../../fd/mod.ts";
import { countChars, type FdFailure } from "../../fd/system.ts";
import type { FdDiff } from "../terms/answers.ts";
import type { Host } from "../terms/command.ts";
import { compareFds, type Differences } from "../comparing/compare_fds.ts";
import { type Ignored, VOLATILE, withoutIgnored } from "../comparing/ignored_text.ts";
import { diffSink, type FinishedDiff } from "../comparing/diff_sink.ts";
import { missingFields, missingSentences } from "../answering/missing_remark.ts";
import { callWords, inSentences } from "../answering/next_command.ts";
import type { Message } from "../terms/next_call.ts";
import { DEFAULT_CHARS, DEFAULT_CONTEXT, type DiffRequest } from "../requests/diff_request.ts";
import type { ReadRequest } from "../requests/read_request.ts";

/** The bytes of a diff that are searched for times. */
const HINT_BYTES = 4096;
const LINE_FEED = 0x0a;

/**
 * Answers a diff. Calls `checkpoint` now and then. Throws `not_found`, `removed`, `invalid_parameter` and
 * `store_corrupt`. If a long diff cannot be stored, the answer has its beginning.
 */
export async function diffFds(
  store: Store,
  request: DiffRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdDiff> {
  const before = findFd(store, request.old_fd);
  const after = findFd(store, request.new_fd);
  for (const entry of [before, after]) await prepareContent(store, entry);
  const hides = request.volatile === "hide";
  const ignored: Ignored = {
    times: hides || request.ignore_times === true,
    addresses: hides || request.ignore_addresses === true,
    ids: hides,
    space: request.ignore_space === true,
    case: request.ignore_case === true,
  };
  const fds = { before, after };
  const exact = await comparedFds(store, fds, request, ignored, checkpoint);
  const answer = answerOf(store, { ...fds, request, ignored, ...exact });
  const isAsked = request.exact === true || request.ignore_times === true ||
    request.ignore_addresses === true;
  if ((request.volatile ?? (isAsked ? "show" : "auto")) !== "auto") return answer;
  const { leastHidden, mayBeVolatile } = await import("./volatile_diff.ts");
  if (exact.diff.unstored !== undefined || !mayBeVolatile(fds, exact.diff)) return answer;
  const steady = { ...ignored, ...VOLATILE };
  const most = Math.floor(exact.diff.whole.byteLength / leastHidden);
  const left = await comparedFds(store, fds, request, steady, checkpoint, most);
  return left === undefined
    ? answer
    : withoutVolatile(answer, answerOf(store, { ...fds, request, ignored: steady, ...left }), left.found);
}

interface ComparedFds {
  before: FdEntry;
  after: FdEntry;
}

interface FoundDiff {
  found: Differences;
  diff: FinishedDiff;
}

class TooLong extends Error {}

/** Compares with some text ignored; undefined if that diff has more than `mostBytes`. */
function comparedFds(
  store: Store,
  fds: ComparedFds,
  request: DiffRequest,
  ignored: Ignored,
  checkpoint: Host["checkpoint"],
): Promise<FoundDiff>;
function comparedFds(
  store: Store,
  fds: ComparedFds,
  request: DiffRequest,
  ignored: Ignored,
  checkpoint: Host["checkpoint"],
  mostBytes: number,
): Promise<FoundDiff | undefined>;
async function comparedFds(
  store: Store,
  { before, after }: ComparedFds,
  request: DiffRequest,
  ignored: Ignored,
  checkpoint: Host["checkpoint"],
  mostBytes?: number,
): Promise<FoundDiff | undefined> {
  const sink = diffSink(store);
  const comparison = {
    contextLines: request.context ?? DEFAULT_CONTEXT,
    ignored,
    isExact: request.exact === true,
    countsDisguised: mostBytes !== undefined,
  };
  const totalBytes = before.byteCount + after.byteCount;
  let bytesLeft = mostBytes ?? Infinity;
  const write = (piece: Uint8Array): void => {
    bytesLeft -= piece.length;
    if (bytesLeft < 0) throw new TooLong();
    sink.write(piece);
  };
  try {
    const found = await compareFds(store, before, after, comparison, write, async (readBytes) => {
      await checkpoint?.(Math.min(readBytes, totalBytes), totalBytes);
    });
    const options = { source: "diff", command: diffWords(before, after, request), maxBytes: 0 };
    return { found, diff: await sink.end(request.max_chars ?? DEFAULT_CHARS, options) };
  } catch (thrown) {
    if (thrown instanceof TooLong) return undefined;
    throw thrown;
  } finally {
    sink.close();
  }
}

/** `left`, the answer without volatile text, with a note about what is not shown of `exact`. */
function withoutVolatile(exact: FdDiff, left: FdDiff, { disguisedCount }: Differences): FdDiff {
  const many = disguisedCount === 1 ? "1 line differs" : `${disguisedCount} lines differ`;
  const where: Message = exact.diff_fd === undefined
    ? ["For the exact diff use ", { parameter: "volatile", value: "show" }, "."]
    : `The exact diff is ${exact.diff_fd}.`;
  return {
    ...left,
    identical: false,
    volatile_lines: disguisedCount,
    exact_fd: exact.diff_fd,
    // The sentence about the view stays the last one.
    message: inSentences([`${many} only in times, addresses or ids.`, where, left.message]),
    whole: exact.whole,
  };
}

/** The call that repeats the diff, for the record of its fd. */
function diffWords(before: FdEntry, after: FdEntry, request: DiffRequest): string[] {
  const { max_chars: _, ...args } = request;
  const fds = { old_fd: formatFd(before.id), new_fd: formatFd(after.id) };
  return ["fdtool", ...callWords({ command: "diff", args: { ...args, ...fds } })];
}

interface Compared {
  before: FdEntry;
  after: FdEntry;
  request: DiffRequest;
  ignored: Ignored;
  found: Differences;
  diff: FinishedDiff;
}

function answerOf(store: Store, compared: Compared): FdDiff {
  const { before, after, ignored, found, diff } = compared;
  const isSame = found.hunkCount === 0;
  const names = (Object.keys(ignored) as (keyof Ignored)[]).filter((name) => ignored[name]);
  const maxChars = compared.request.max_chars ?? DEFAULT_CHARS;
  const view = diff.entry === undefined ? undefined : viewOf(store, diff.entry, maxChars);
  const beginning = diff.unstored && beginningOf(diff.whole, maxChars);
  const sentences: Message[] = [
    isSame ? sameMessage(compared, names) : countsSentence(compared, names),
    ...(found.isCoarse ? ["The diff is correct, but a shorter one may exist."] : []),
    ...(isSame ? [] : timesHint(compared)),
    ...new Set(
      [before, after].flatMap((entry) =>
        missingSentences(formatFd(entry.id), missingFields(entry), entry.byteCount)
      ),
    ),
    ...(view === undefined || diff.entry === undefined ? [] : [viewSentence(view, diff.entry)]),
    ...(diff.unstored === undefined ? [] : [
      `Showing the first ${beginning?.lineCount} lines of the diff: the whole diff could not be stored ` +
      `(${reasonOf(diff.unstored.failure)})${
        diff.unstored.isCut ? "; only its beginning is in memory" : ""
      }.`,
    ]),
  ];
  return {
    type: "fd_diff",
    old_fd: formatFd(before.id),
    new_fd: formatFd(after.id),
    identical: isSame,
    hunks: found.hunkCount,
    lines_added: found.addedCount,
    lines_removed: found.removedCount,
    old_total_lines: before.lineCount,
    new_total_lines: after.lineCount,
    ignored: names.length === 0 ? undefined : names,
    coarse: found.isCoarse ? true : undefined,
    cleaned: found.leftOutChars || undefined,
    diff_fd: diff.entry === undefined ? undefined : formatFd(diff.entry.id),
    shown_lines: view?.shownLines ?? beginning?.lineCount,
    diff_lines: diff.entry?.lineCount,
    message: inSentences(sentences),
    next: view?.readOn ? { command: "read", args: view.readOn } : diff.unstored?.isCut === false
      // If it can be shown whole, it need not be stored.
      ? { command: "diff", args: { ...compared.request, max_chars: diff.whole.byteLength } }
      : undefined,
    cut: diff.unstored?.isCut === true ? true : undefined,
    diff: isSame ? undefined : view?.shown ?? beginning?.shown ?? diff.whole,
    whole: isSame ? undefined : diff.whole,
  };
}

/** Shows less of a diff that is an fd. That fd keeps the whole diff. */
export function shorterDiff(store: Store, answer: FdDiff & { diff_fd: string }, maxChars: number): FdDiff {
  const entry = findFd(store, answer.diff_fd);
  const view = viewOf(store, entry, maxChars);
  // The sentence about the view is the last one.
  const before = answer.message.slice(0, answer.message.lastIndexOf(VIEW_SENTENCE));
  return {
    ...answer,
    shown_lines: view.shownLines,
    message: before + viewSentence(view, entry),
    next: view.readOn && { command: "read", args: view.readOn },
    diff: view.shown,
  };
}

const VIEW_SENTENCE = "Showing ";

function viewSentence({ part }: DiffView, { id }: FdEntry): string {
  return `${VIEW_SENTENCE}${part} of the diff; the whole diff is ${formatFd(id)}.`;
}

interface DiffView {
  shown: ByteSource;
  shownLines: number;
  part: string;
  readOn: ReadRequest | undefined;
}

/** The beginning of a diff that is an fd, and the slice that follows. */
function viewOf(store: Store, entry: FdEntry, maxChars: number): DiffView {
  const whole = locateSlice(store, entry, { mode: "line", start: 1, count: entry.lineCount });
  const bound = boundSlice(store, entry, whole, maxChars);
  const slice = bound?.slice ?? whole;
  const { rest } = bound ?? {};
  return {
    shown: readSlice(store, entry, slice),
    shownLines: slice.lastLine,
    part: bound?.rest.mode === "char"
      ? `the first ${bound.charCount} of ${entry.charCount} chars`
      : `${slice.lastLine} of ${entry.lineCount} lines`,
    readOn: rest && { fd: formatFd(entry.id), ...rest, max_chars: maxChars },
  };
}

/** The whole lines of a diff in memory that fit into `maxChars`, or the part of its first line that does. */
function beginningOf(whole: ByteSource, maxChars: number): { shown: ByteSource; lineCount: number } {
  const bytes = Buffer.concat([...whole.chunks()]);
  let endByte = 0;
  let lineCount = 0;
  for (let charCount = 0;; lineCount++) {
    const nextByte = bytes.indexOf(LINE_FEED, endByte) + 1;
    charCount += countChars(bytes.subarray(endByte, nextByte));
    if (nextByte === 0 || charCount > maxChars) break;
    endByte = nextByte;
  }
  const shown = bytes.subarray(0, endByte === 0 ? maxChars : endByte);
  return { shown: { byteLength: shown.length, chunks: () => [shown] }, lineCount: Math.max(1, lineCount) };
}

function reasonOf(failure: FdFailure): string {
  return "code" in failure ? String(failure.code) : failure.kind;
}

function sameMessage({ before, after, found }: Compared, ignored: readonly string[]): Message {
  const both = `${formatFd(before.id)} and ${formatFd(after.id)}`;
  if (ignored.length > 0) return `${both} are the same${ignoring(ignored)}.`;
  if (found.hasSameBytes) return `${both} are the same.`;
  return [
    `${both} show the same text. To compare escape sequences and overwritten text, too, use `,
    { parameter: "exact", value: true },
    ".",
  ];
}

function countsSentence({ before, after, found }: Compared, ignored: readonly string[]): string {
  return `From ${formatFd(before.id)} to ${formatFd(after.id)}: ${
    counted(found.addedCount, "line")
  } added, ` +
    `${found.removedCount} removed, in ${counted(found.hunkCount, "hunk")}${ignoring(ignored)}.`;
}

/** " (ignoring times, addresses and ids)". */
function ignoring(names: readonly string[]): string {
  if (names.length === 0) return "";
  const others = names.length === 1 ? "" : `${names.slice(0, -1).join(", ")} and `;
  return ` (ignoring ${others}${names.at(-1)})`;
}

/** Logs that differ nearly everywhere often differ only in their times. */
function timesHint({ before, after, ignored, found, diff }: Compared): Message[] {
  const isMost = found.removedCount * 2 > before.lineCount && found.addedCount * 2 > after.lineCount;
  if (ignored.times || !isMost) return [];
  for (const chunk of diff.whole.chunks()) {
    const head = Buffer.from(chunk.subarray(0, HINT_BYTES)).toString("latin1");
    const hasTimes = withoutIgnored(head, { ...ignored, times: true }) !== withoutIgnored(head, ignored);
    if (!hasTimes) return [];
    return [["If only times and durations differ, use ", { parameter: "ignore_times", value: true }, "."]];
  }
  return [];
}
