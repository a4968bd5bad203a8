/** Diff: the changes between two fds, such as two runs of a command, as unified hunks. */

import { counted } from "../answers/parts/grouped_digits.ts";
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
  readWhole,
  type Store,
  textEntry,
} from "../../fd/mod.ts";
import { cleanBytes, countChars, undefinedIf, utf8Bytes } from "../../fd/system.ts";
import type { AnswerOf } from "../calls/terms/answers.ts";
import type { Host } from "../calls/terms/command.ts";
import { compareFds, type Differences } from "./compare_fds.ts";
import { type Ignored, VOLATILE, withoutIgnored } from "../findings/comparing/ignored_text.ts";
import type { NumberedLine } from "../findings/changes/unordered_lines.ts";
import { diffSink, type FinishedDiff } from "./diff_sink.ts";
import { missingRemarks } from "../answers/parts/missing_remark.ts";
import { callWords, inSentences } from "../answers/parts/next_command.ts";
import type { Message, NextCall } from "../calls/terms/next_call.ts";
import { DEFAULT_CHARS, DEFAULT_CONTEXT, type DiffRequest } from "../calls/requests/diff_request.ts";

/** The bytes of a diff that are searched for times. */
const HINT_BYTES = 4096;
const LINE_FEED = 0x0a;

/** Two fds, and how they are to be compared. */
interface Asked {
  store: Store;
  before: FdEntry;
  after: FdEntry;
  request: DiffRequest;
  checkpoint: Host["checkpoint"];
}

/**
 * Answers a diff. Calls `checkpoint` now and then. Throws `not_found`, `removed`, `invalid_parameter` and
 * `store_corrupt`. If a long diff cannot be stored, the answer has its beginning.
 */
export async function diffFds(
  store: Store,
  request: DiffRequest,
  checkpoint?: Host["checkpoint"],
): Promise<AnswerOf<"fd_diff">> {
  const entryOf = async (fd: string) => {
    const entry = findFd(store, fd);
    await prepareContent(store, entry);
    return request.exact === true ? entry : await textEntry(store, entry);
  };
  const [before, after] = [await entryOf(request.old_fd), await entryOf(request.new_fd)];
  const hides = request.volatile === "hide";
  const ignored: Ignored = {
    times: hides || request.ignore_times === true,
    addresses: hides || request.ignore_addresses === true,
    ids: hides,
    space: request.ignore_space === true,
    case: request.ignore_case === true,
  };
  const asked = { store, before, after, request, checkpoint };
  const exact = await compared(asked, ignored);
  const answer = answerOf(exact);
  const isAsked = request.exact === true || request.ignore_times === true ||
    request.ignore_addresses === true;
  const volatile = request.volatile ?? (isAsked ? "show" : "auto");
  if (volatile === "show") return answer;
  const { leastHidden, mayBeVolatile } = await import("./volatile_diff.ts");
  if (volatile === "auto" && exact.diff.unstored === undefined && mayBeVolatile(asked, exact.diff)) {
    const most = Math.floor(exact.diff.whole.byteLength / leastHidden);
    const left = await compared(asked, { ...ignored, ...VOLATILE }, most).catch(undefinedIf(TooLong));
    if (left !== undefined) return withoutVolatile(answer, answerOf(left), left.found);
  }
  return await withoutOrder(exact, answer);
}

/** Diffs of as many lines may be large because of the order alone; contents of more bytes are not compared without it. */
const MIN_UNORDERED = 200;
const MAX_UNORDERED_BYTES = 8 * 2 ** 20;
/** Lines that are shown of what differs without the order, and chars of each. */
const MAX_LINES = 40;
const MAX_LINE_CHARS = 200;

/** If the diff is large and few lines are in one of the fds only, whatever their order, the answer with these lines instead. */
async function withoutOrder(exact: Compared, answer: AnswerOf<"fd_diff">): Promise<AnswerOf<"fd_diff">> {
  const { store, before, after, request, found: { addedCount, removedCount } } = exact;
  if (request.exact === true || answer.diff_fd === undefined) return answer;
  if (addedCount + removedCount < MIN_UNORDERED) return answer;
  if (Math.max(before.byteCount, after.byteCount) > MAX_UNORDERED_BYTES) return answer;
  const { unorderedLines } = await import("../findings/changes/unordered_lines.ts");
  const bytesOf = (entry: FdEntry) =>
    cleanBytes(readWhole(readSlice(store, entry, { fromByte: 0, toByte: entry.byteCount })));
  const only = unorderedLines(bytesOf(before), bytesOf(after), MAX_LINES);
  if (only === undefined) return answer;
  const rows = (what: string, lines: readonly NumberedLine[]) =>
    lines.map(({ line, text }) => `${what} ${line}:${text.slice(0, MAX_LINE_CHARS)}\n`);
  const bytes = utf8Bytes([...rows("gone", only.gone), ...rows("new ", only.fresh)].join(""));
  const count = counted(only.gone.length + only.fresh.length, "line");
  return {
    ...answer,
    shown_lines: undefined,
    message: inSentences([
      `Order, times and ids aside, ${count} differ: "gone" has numbers of ${answer.old_fd}, "new" of ${answer.new_fd}.`,
      countsSentence(exact, []),
      // The sentence about the view stays the last one.
      `${VIEW_SENTENCE}these; the whole diff is ${answer.diff_fd}.`,
    ]),
    diff: { byteLength: bytes.length, chunks: () => [bytes], bytes },
  };
}

/** The result of a comparison with some text ignored. */
interface Compared extends Asked {
  ignored: Ignored;
  found: Differences;
  diff: FinishedDiff;
}

class TooLong extends Error {}

/** Compares with some text ignored; throws {@link TooLong} if that diff has more than `mostBytes`. */
async function compared(asked: Asked, ignored: Ignored, mostBytes = Infinity): Promise<Compared> {
  const { store, before, after, request, checkpoint } = asked;
  const sink = diffSink(store);
  const { context: contextLines = DEFAULT_CONTEXT, exact } = request;
  const comparison = {
    contextLines,
    ignored,
    isExact: exact === true,
    countsDisguised: mostBytes < Infinity,
  };
  const totalBytes = before.byteCount + after.byteCount;
  let bytesLeft = mostBytes;
  const write = (piece: Uint8Array): void => {
    bytesLeft -= piece.length;
    if (bytesLeft < 0) throw new TooLong();
    sink.write(piece);
  };
  try {
    const found = await compareFds(store, before, after, comparison, write, async (readBytes) => {
      await checkpoint?.(Math.min(readBytes, totalBytes), totalBytes);
    });
    const options = { source: "diff", command: diffWords(asked), maxBytes: 0 };
    const diff = await sink.end(request.max_chars ?? DEFAULT_CHARS, options);
    return { ...asked, ignored, found, diff };
  } finally {
    sink.close();
  }
}

/** `left`, the answer without volatile text, with a note about what is not shown of `exact`. */
function withoutVolatile(
  exact: AnswerOf<"fd_diff">,
  left: AnswerOf<"fd_diff">,
  { disguisedCount }: Differences,
): AnswerOf<"fd_diff"> {
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
function diffWords({ before, after, request }: Asked): string[] {
  const { max_chars: _, ...args } = request;
  const fds = { old_fd: formatFd(before.id), new_fd: formatFd(after.id) };
  return ["fdtool", ...callWords({ command: "diff", args: { ...args, ...fds } })];
}

function answerOf(compared: Compared): AnswerOf<"fd_diff"> {
  const { store, before, after, request, ignored, found, diff } = compared;
  const isSame = found.hunkCount === 0;
  const names = (Object.keys(ignored) as (keyof Ignored)[]).filter((name) => ignored[name]);
  const maxChars = request.max_chars ?? DEFAULT_CHARS;
  const view = diff.entry === undefined
    ? unstoredView(compared, maxChars)
    : viewOf(store, diff.entry, maxChars);
  const sentences: Message[] = [
    isSame ? sameMessage(compared, names) : countsSentence(compared, names),
    ...(found.isCoarse ? ["The diff is correct, but a shorter one may exist."] : []),
    ...(isSame ? [] : timesHint(compared)),
    ...new Set([before, after].flatMap((entry) => missingRemarks(entry))),
    ...(view === undefined ? [] : [view.sentence]),
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
    shown_lines: view?.shownLines,
    diff_lines: diff.entry?.lineCount,
    message: inSentences(sentences),
    next: view?.next,
    cut: diff.unstored?.isCut === true ? true : undefined,
    diff: isSame ? undefined : view?.shown ?? diff.whole,
    whole: isSame ? undefined : diff.whole,
  };
}

/** Shows less of a diff that is an fd. That fd keeps the whole diff. */
export function shorterDiff(
  store: Store,
  answer: AnswerOf<"fd_diff"> & { diff_fd: string },
  maxChars: number,
): AnswerOf<"fd_diff"> {
  const { shown, shownLines, sentence, next } = viewOf(store, findFd(store, answer.diff_fd), maxChars);
  // The sentence about the view is the last one.
  const before = typeof answer.message === "string"
    ? [answer.message.slice(0, answer.message.lastIndexOf(VIEW_SENTENCE))]
    : answer.message.slice(0, -1);
  return { ...answer, shown_lines: shownLines, message: [...before, sentence], next, diff: shown };
}

const VIEW_SENTENCE = "Showing ";

/** The part of a diff that is shown, and how to go on. */
interface DiffView {
  shown: ByteSource;
  shownLines: number;
  sentence: string;
  next: NextCall | undefined;
}

/** The beginning of a diff that is an fd, and the slice that follows. */
function viewOf(store: Store, entry: FdEntry, maxChars: number): DiffView {
  const fd = formatFd(entry.id);
  const whole = locateSlice(store, entry, { mode: "line", start: 1, count: entry.lineCount });
  const bound = boundSlice(store, entry, whole, maxChars);
  const slice = bound?.slice ?? whole;
  const part = bound?.rest.mode === "char"
    ? `the first ${bound.charCount} of ${entry.charCount} chars`
    : `${slice.lastLine} of ${entry.lineCount} lines`;
  return {
    shown: readSlice(store, entry, slice),
    shownLines: slice.lastLine,
    sentence: `${VIEW_SENTENCE}${part} of the diff; the whole diff is ${fd}.`,
    next: bound && { command: "read", args: { fd, ...bound.rest, max_chars: maxChars } },
  };
}

/**
 * If a diff could not be stored: the whole lines that fit into `maxChars` or, of a first line that does not, the part that
 * does.
 */
function unstoredView(
  { request, diff: { whole, unstored } }: Compared,
  maxChars: number,
): DiffView | undefined {
  if (unstored === undefined) return undefined;
  const { failure, isCut } = unstored;
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
  const shownLines = Math.max(1, lineCount);
  const reason = "code" in failure ? failure.code : failure.kind;
  return {
    shown: { byteLength: shown.length, chunks: () => [shown] },
    shownLines,
    sentence:
      `Showing the first ${shownLines} lines of the diff: the whole diff could not be stored (${reason})${
        isCut ? "; only its beginning is in memory" : ""
      }.`,
    // If it can be shown whole, it need not be stored.
    next: isCut ? undefined : { command: "diff", args: { ...request, max_chars: whole.byteLength } },
  };
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
  const [first = Buffer.alloc(0)] = diff.whole.chunks();
  const head = Buffer.from(first.subarray(0, HINT_BYTES)).toString("latin1");
  const hasTimes = withoutIgnored(head, { ...ignored, times: true }) !== withoutIgnored(head, ignored);
  return hasTimes
    ? [["If only times and durations differ, use ", { parameter: "ignore_times", value: true }, "."]]
    : [];
}
