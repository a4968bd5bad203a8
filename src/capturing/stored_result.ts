/** Makes the `fd_result` of stored output: its size, its preview, and the next read. */

import { type FdEntry, formatFd, isChanged, textEntry, utf16Of } from "../../fd/mod.ts";
import { failureIn, type FdFailure } from "../../fd/system.ts";
import type { Sought } from "../findings/digest/about_weights.ts";
import type { Wanted } from "../findings/digest/digest_preview.ts";
import type { FdResult, Preview } from "../calls/terms/answers.ts";
import type { CaptureOptions } from "./capture_options.ts";
import { isShownWhole, previewOf } from "./preview_parts.ts";
import type { StoredOutput } from "./store_output.ts";

export interface ResultContext {
  options: Pick<CaptureOptions, "thresholdChars" | "preview" | "previewChars" | "about"> & {
    /** The digest that is shown, from 2. */
    digest?: number | undefined;
  };
  remarks: readonly string[];
  /** The tool that the message names for reading on (default: `fdtool read`). */
  reader?: string | undefined;
}

/** The answer for a stored fd, and what failed in making it. */
interface StoredResult {
  answer: FdResult;
  failures: FdFailure[];
}

/**
 * Makes the answer for a stored fd; `bytes` is its content, if it is in memory. A preview that cannot be read is left
 * out and reported as a failure, since the fd itself is stored.
 */
export async function storedResult(stored: StoredOutput, context: ResultContext): Promise<StoredResult> {
  const { store, entry, bytes } = stored;
  const isText = entry.decoded !== undefined || bytes !== undefined && utf16Of(bytes) === undefined;
  // Content that cannot be read is reported with the preview.
  const text = isText ? entry : await textEntry(store, entry).catch(() => entry);
  const shown = text === entry ? stored : { store, entry: text };
  try {
    return answerWith(shown, context, [], await previewFor(shown, context.options));
  } catch (thrown) {
    const preview = { parts: [], lines: "0-0", truncated: false, readOn: {} };
    return answerWith(shown, context, [failureIn(thrown)], preview);
  }
}

function answerWith(
  { store, entry }: StoredOutput,
  context: ResultContext,
  failures: FdFailure[],
  preview: Preview,
): StoredResult {
  const fd = formatFd(entry.id);
  const { gap, byteCount } = entry.decoded?.stored ?? entry;
  const unshared = store.backend.unshared(entry.id);
  const dropped = gap === undefined ? [] : [
    `The limit (--max-bytes) kept the first ${gap.atByte} and the last ${byteCount - gap.atByte} bytes; ` +
    `${gap.droppedBytes} between them were dropped.`,
  ];
  const own = ownMessage(entry, context, preview);
  const summary = own === undefined ? summaryOf(entry, context) : "";
  const remarks = [...own === undefined ? [] : [own], ...dropped, ...context.remarks].join(" ");
  const said = preview.said ?? [];
  const answer: FdResult = {
    type: "fd_result",
    fd,
    pages: entry.pageCount,
    truncated: preview.truncated,
    lines: preview.lines,
    total_lines: entry.lineCount,
    source: entry.source,
    chars: entry.charCount,
    bytes: byteCount,
    state: entry.state === "sealed" ? undefined : entry.state,
    shared: unshared === undefined ? undefined : false,
    unshared: unshared === "over_quota" ? unshared : undefined,
    dropped_bytes: entry.gap?.droppedBytes,
    gap_at_byte: entry.gap?.atByte,
    encoding: entry.decoded?.encoding,
    exit_code: entry.exitCode,
    signal: entry.signal,
    duration_ms: entry.durationMs,
    exact: isChanged(entry) ? "no" : undefined,
    same: preview.same,
    cleaned: preview.cleanedChars || undefined,
    message: [
      summary,
      ...summary === "" || remarks === "" ? [remarks] : [" ", remarks],
      ...said.length === 0 ? [] : [" ", ...said],
    ],
    next: nextCall(entry, preview),
    preview: preview.parts,
  };
  return { answer, failures };
}

function nextCall(entry: FdEntry, { readOn, query, exportTo, diff }: Preview): FdResult["next"] {
  const fd = formatFd(entry.id);
  if (exportTo !== undefined) {
    // Changed bytes are not the file that the command wrote.
    return isChanged(entry)
      ? { command: "read", args: { fd } }
      : { command: "to-file", args: { fd, file_path: exportTo } };
  }
  if (diff !== undefined) return diff;
  if (query !== undefined) return { command: "query", args: { fd, filter: query } };
  return readOn === undefined ? undefined : { command: "read", args: { fd, ...readOn } };
}

function previewFor(
  stored: StoredOutput,
  { preview, previewChars, about, digest }: ResultContext["options"],
): Promise<Preview> {
  if (about !== undefined) return previewAbout(stored, previewChars, about, digest);
  if (digest !== undefined) return digestOf(stored, previewChars, undefined, digest);
  if (preview !== "digest") return previewOf(stored, preview, previewChars);
  return stored.entry.before === undefined
    ? digestOrSlice(stored, previewChars)
    : changedPreview(stored, previewChars, undefined);
}

/** The digest for what the caller looks for. */
async function previewAbout(
  stored: StoredOutput,
  previewChars: number,
  about: string,
  page: number | undefined,
): Promise<Preview> {
  const { seekInFd } = await import("./seek_in_fd.ts");
  const sought = await seekInFd(stored.store, stored.entry, about);
  const preview = page !== undefined
    ? await digestOf(stored, previewChars, sought.weigh, page)
    : stored.entry.before !== undefined
    ? await changedPreview(stored, previewChars, sought)
    : { ...await digestOrSlice(stored, previewChars, sought.weigh), said: [sought.said] };
  const { readOn } = preview;
  const goesOn = readOn?.digest !== undefined && sought.weigh !== undefined;
  return goesOn ? { ...preview, readOn: { about, ...readOn } } : preview;
}

/** The digest, or a slice where a digest would say no more. */
function digestOrSlice(stored: StoredOutput, previewChars: number, wanted?: Wanted): Promise<Preview> {
  const { entry } = stored;
  if (isShownWhole(entry, "digest", previewChars)) return previewOf(stored, "head", previewChars);
  // What a person wrote is read from its start.
  if (entry.source === USER_INPUT) {
    return previewOf(stored, previewChars === entry.pageSize ? "page" : "head", previewChars);
  }
  return previewChars < MIN_DIGEST_CHARS
    ? previewOf(stored, "both", previewChars)
    : digestOf(stored, previewChars, wanted);
}

/** The digest of a run after another of the same command: what changed, and less of what did not. */
async function changedPreview(
  stored: StoredOutput,
  previewChars: number,
  sought: Sought | undefined,
): Promise<Preview> {
  const { store, entry } = stored;
  const { changePart } = await import("../findings/changes/change_text.ts");
  const { changeSentence, changeSince, diffOf } = await import("./run_before.ts");
  const change = await changeSince(store, entry.decoded?.stored ?? entry, Date.now());
  const digest = (chars: number, wanted: Wanted | undefined = sought?.weigh) =>
    digestOrSlice(stored, Math.min(previewChars, chars), wanted);
  const about = sought === undefined ? [] : [sought.said];
  if (change === undefined) return { ...await digest(previewChars), said: about };
  const { since, isSame, changed } = change;
  const said = [...about.map((each) => `${each} `), ...changeSentence(change, formatFd(entry.id))];
  const isAsked = sought?.weigh !== undefined;
  if (isSame) {
    const same = { ...await digest(isAsked ? previewChars : SAME_CHARS), said, same: since };
    return isAsked ? same : { ...same, readOn: undefined, query: undefined };
  }
  if (changed === undefined) return { ...await digest(previewChars), said };
  const isNew = changed.fresh.length > 0;
  const part = changePart(change);
  const rest = isAsked
    ? await digest(Math.max(MIN_DIGEST_CHARS, previewChars - (part?.body.byteLength ?? 0)))
    : await digest(isNew ? CHANGED_CHARS : SAME_CHARS, changed.fresh);
  return {
    ...rest,
    parts: part === undefined ? rest.parts : [part, ...rest.parts],
    said,
    diff: isNew || isAsked ? undefined : diffOf(since, formatFd(entry.id)),
  };
}

/** Chars of the digest of a run without a new finding, and of one with some. */
const SAME_CHARS = 600;
const CHANGED_CHARS = 1200;

async function digestOf(
  stored: StoredOutput,
  previewChars: number,
  wanted: Wanted | undefined,
  page?: number,
): Promise<Preview> {
  const { digestFd } = await import("./fd_findings.ts");
  const digest = await digestFd(stored, previewChars, wanted, page);
  // Where lines are too long for a digest, the ends say more.
  return page === undefined && digest.lines === "0-0" && digest.outlined === undefined
    ? previewOf(stored, "both", previewChars)
    : digest;
}

/** Less has no room for what is between the ends. */
const MIN_DIGEST_CHARS = 600;

/** The source of what a person wrote: the model has to know that the user addresses it. */
const USER_INPUT = "user_input";

/** The message if it says more than how much was stored. */
function ownMessage(
  entry: FdEntry,
  { options, reader = "fdtool read" }: ResultContext,
  preview: Preview,
): string | undefined {
  if (entry.source === USER_INPUT) return userMessage(entry, options, preview, reader);
  if (preview.exportTo !== undefined) {
    return `Output of ${entry.byteCount} bytes stored. It is binary and not shown.`;
  }
  return preview.outlined && `Outline of ${preview.outlined}. Use ${reader} to read it.`;
}

/** How much was stored. Text leaves it out, since its closing line says so. */
function summaryOf(entry: FdEntry, { options, reader = "fdtool read" }: ResultContext): string {
  if (entry.charCount > options.thresholdChars) {
    return `Output exceeds ${options.thresholdChars} characters. Use ${reader} to read more pages.`;
  }
  return `Output of ${entry.charCount} characters stored. Use ${reader} to read it.`;
}

function userMessage(
  entry: FdEntry,
  { thresholdChars }: ResultContext["options"],
  { parts, readOn }: Preview,
  reader: string,
): string {
  const fd = formatFd(entry.id);
  const size = entry.charCount > thresholdChars
    ? `The user's message exceeds ${thresholdChars} characters and was stored as ${fd}.`
    : `The user's message (${entry.charCount} characters) was stored as ${fd}.`;
  const rest = readOn === undefined
    ? "The preview shows all of it."
    : `Use ${reader} to read ${parts.length === 0 ? "it" : "the rest of it"} before you answer.`;
  return `${size} This is what the user wrote, not the output of a tool. ${rest}`;
}
