/** Read: shows a slice of an fd or stores it as a new fd (contract, Commands). */

import {
  boundIn,
  type BoundSlice,
  cleanViewOf,
  cursorAt,
  type FdEntry,
  findFd,
  formatFd,
  locateIn,
  type OpenContent,
  openContent,
  parseFdArgument,
  prepareBytes,
  readLast,
  type Slice,
  sliceNeedsCleaning,
  type Store,
  textEntryIn,
  whenReady,
} from "../../fd/mod.ts";
import type { FdContent, FdExtraction } from "../calls/terms/answers.ts";
import { failConflict } from "../calls/requests/usage_failure.ts";
import type { ReadRequest } from "../calls/requests/read_request.ts";
import { linesAround, placeIn, type PlainSlice, requestedSlice } from "../calls/requests/requested_slice.ts";

/**
 * Answers a read that shows its slice. Throws `not_found`, `removed`, `invalid_page`, `invalid_range`,
 * `invalid_parameter`, `store_corrupt`.
 */
export function readFd(store: Store, request: ReadRequest): Promise<FdContent> {
  const found = foundBy(store, request);
  return readEntry(store, found.entry, found.request);
}

/** Answers a read that stores its slice. Throws what {@link readFd} and storing throw. */
export async function extractFd(store: Store, asked: ReadRequest): Promise<FdExtraction> {
  const { entry, request } = foundBy(store, asked);
  const { extractSlice } = await import("./extract_slice.ts");
  return await extractSlice(store, entry, requestedSlice(request), request.name);
}

/** The fd of a checked request, and the slice that its argument names if it is a place. */
function foundBy(store: Store, request: ReadRequest): { entry: FdEntry; request: ReadRequest } {
  const place = parseFdArgument(request.fd) === undefined ? placeIn(request.fd) : undefined;
  if (place === undefined) return { entry: findFd(store, request.fd), request };
  const { read_all: all, mode, start, count, tail, since } = request;
  const other = Object.entries({ all: all === true || undefined, mode, start, count, tail, since })
    .find(([, value]) => value !== undefined);
  if (other !== undefined) {
    failConflict("read", request.fd, `--${other[0]}`, "choose one way to select the slice");
  }
  const entry = findFd(store, place.fd);
  return { entry, request: { ...request, ...linesAround(place.line, entry.lineCount), fd: place.fd } };
}

/** Like {@link readFd}, for an fd that was found and a request that was checked. */
export async function readEntry(store: Store, entry: FdEntry, request: ReadRequest): Promise<FdContent> {
  const content = openContent(store, entry);
  try {
    const text = request.exact === true || request.since !== undefined
      ? entry
      : await textEntryIn(store, content);
    if (text !== entry) {
      const { content: stored } = await readEntry(store, entry, { ...request, exact: true });
      return { ...await readEntry(store, text, request), stored };
    }
    const { answer, shown, isClean } = content.prepare === undefined
      ? readOpened(store, content, request)
      : await readWaiting(store, content, request);
    const view = isClean ? undefined : await cleanViewOf(store, content, shown);
    if (view === undefined) return answer;
    return { ...answer, cleaned: view.leftOutChars || undefined, content: view.body, stored: answer.content };
  } finally {
    content.close();
  }
}

/** Reads content that is fetched or unpacked. A long slice is fetched as a whole: it is read from content that is opened again. */
async function readWaiting(store: Store, content: OpenContent, request: ReadRequest) {
  if (content.prepareEntries !== undefined) {
    const { slice, bound } = await whenReady(content, (ready) => shownOf(ready, request));
    await prepareBytes(content, bound?.slice ?? slice);
  }
  return await whenReady(content, (ready) => readOpened(store, ready, request));
}

function readOpened(store: Store, content: OpenContent, request: ReadRequest) {
  const { slice, bound } = shownOf(content, request);
  const shown = bound?.slice ?? slice;
  const isExact = request.exact === true || request.mode === "char";
  const answer = contentOf(store, content, slice, bound, request);
  return { answer, shown, isClean: isExact || !sliceNeedsCleaning(content, shown) };
}

/** The slice of a request, and the part that is shown, if that is not all of it. */
function shownOf(content: OpenContent, request: ReadRequest) {
  const slice = locateIn(content, requestedSlice(request));
  const { max_chars: maxChars } = request;
  return { slice, bound: maxChars === undefined ? undefined : boundIn(content, slice, maxChars) };
}

/** The answer with what is stored. `bound` is the part of `slice` that is shown, if that is not all. */
function contentOf(
  store: Store,
  content: OpenContent,
  slice: Slice,
  bound: BoundSlice | undefined,
  request: ReadRequest,
): FdContent {
  const { entry } = content;
  const { elsewhere } = entry;
  const { number, max_chars, exact } = request;
  const fd = formatFd(entry.id);
  const shown = bound?.slice ?? slice;
  const isLive = entry.state === "live";
  const cursor = isLive || request.since !== undefined ? cursorAt(entry, shown.toByte) : undefined;
  const following = followingSlice(entry, slice, bound?.rest, cursor, request.since !== undefined);
  return {
    type: "fd_content",
    fd,
    page: slice.all ? "all" : slice.mode === "page" ? slice.start : undefined,
    pages: entry.pageCount,
    continued: shown.continued,
    truncated: shown.truncated,
    lines: `${shown.firstLine}-${shown.lastLine}`,
    total_lines: entry.lineCount,
    mode: slice.mode,
    start: slice.start,
    count: slice.count,
    state: entry.state === "sealed" && request.since === undefined ? undefined : entry.state,
    ...(elsewhere && { host: elsewhere.host, as_of: new Date(elsewhere.asOfMs).toISOString() }),
    cursor,
    exit_code: request.since === undefined ? undefined : entry.exitCode,
    signal: request.since === undefined ? undefined : entry.signal,
    dropped_bytes: entry.gap?.droppedBytes,
    gap_at_byte: entry.gap?.atByte,
    encoding: entry.decoded?.encoding,
    shown_chars: bound?.charCount,
    numbered_from: number === true ? shown.firstLine : undefined,
    message: undefined,
    next: following && {
      command: "read",
      args: { fd, ...following, number: number || undefined, max_chars, exact: exact || undefined },
    },
    content: readLast(store, content, shown),
  };
}

/**
 * The slice to read next, without defaults: the `rest` after a limit, else one of the same mode and count; at the end
 * of a live fd, the content to come. Undefined if nothing follows.
 */
function followingSlice(
  entry: FdEntry,
  slice: Slice,
  rest: PlainSlice | undefined,
  cursor: number | undefined,
  byCursor: boolean,
): Pick<ReadRequest, "mode" | "start" | "count" | "since"> | undefined {
  const isLive = entry.state === "live";
  if (byCursor && (isLive || rest !== undefined)) return { since: cursor };
  if (rest === undefined && slice.atEnd) return isLive ? { since: cursor } : undefined;
  const { mode, count } = rest ?? slice;
  const start = rest === undefined ? slice.start + slice.count : rest.start;
  return { mode: mode === "page" ? undefined : mode, start, count: count === 1 ? undefined : count };
}
