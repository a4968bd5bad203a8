/** `read --follow`: the answers together cover an fd as it grows, as reads from cursor to cursor would. */

import {
  awaitFd,
  cursorAt,
  type FdEntry,
  findFd,
  formatFd,
  locateSlice,
  prepareContent,
  type Store,
} from "../../../fd/mod.ts";
import type { Answer, Body, FdContent, PassThrough } from "../../calls/terms/answers.ts";
import type { ReadRequest } from "../../calls/requests/read_request.ts";
import { requestedSlice } from "../../calls/requests/requested_slice.ts";
import { deadlineOf } from "../../calls/requests/duration.ts";
import { STDOUT } from "../../calls/streams/standard_streams.ts";
import { isTerminal } from "../../calls/streams/terminal.ts";
import { TIMED_OUT } from "../../calls/streams/verdict.ts";
import type { Host, Outcome } from "../../calls/terms/command.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { failConflict } from "../../calls/requests/usage_failure.ts";
import { closingOf } from "../closing.ts";
import { holdsAny, numberedBody } from "../../answers/render/body_text.ts";

/** Reads an fd in the state of `entry`. */
type ReadEntry = (store: Store, entry: FdEntry, request: ReadRequest) => Promise<FdContent>;

/** The answers of `read --follow`, which ends with the fd or after `timeout`, a duration as it was written. */
export async function follow(
  request: ReadRequest,
  timeout: unknown,
  host: Host,
  read: ReadEntry,
): Promise<Outcome> {
  checkFollowing(request);
  const store = openHostStore(host);
  const stream = followFd(store, request, deadlineOf("read", timeout), read);
  const isBare = host.isForPeople === true && await isTerminal(STDOUT);
  return { exitCode: 0, stream: isBare ? bareLines(store, request.fd, stream) : stream };
}

/**
 * Follows an fd from the start of the requested slice until it ends or, in time of `performance.now`, the deadline has come,
 * which the last answer reports. Returns the exit code.
 */
async function* followFd(
  store: Store,
  request: ReadRequest,
  deadlineMs = Infinity,
  read: ReadEntry,
): AsyncGenerator<FdContent, number, void> {
  const { tail, since = 0, fd, number, exact } = request;
  let entry = findFd(store, fd);
  if (tail !== undefined) await prepareContent(store, entry, requestedSlice(request));
  let cursor = tail === undefined
    ? since
    : cursorAt(entry, locateSlice(store, entry, requestedSlice(request)).fromByte);
  for (;;) {
    const isOver = entry.state !== "live" || performance.now() >= deadlineMs;
    if (isOver || cursorAt(entry, entry.byteCount) > cursor) {
      const answer = await read(store, entry, { fd, number, exact, since: cursor });
      yield answer;
      cursor = answer.cursor ?? cursor;
    }
    if (isOver) return entry.state === "live" ? TIMED_OUT : 0;
    entry = await awaitFd(store, entry, { for: "news", deadlineMs });
  }
}

/** Refuses options that have no meaning for future content. */
function checkFollowing(request: ReadRequest): void {
  const { pages, lines, chars, head, start, count, extract_to_new_fd, max_chars } = request;
  const extract = extract_to_new_fd === true || undefined;
  const given = { pages, lines, chars, head, start, count, extract, "max-chars": max_chars };
  const other = Object.entries(given).find(([, value]) => value !== undefined);
  if (other === undefined) return;
  failConflict("read", "--follow", `--${other[0]}`, "use --since or --tail to choose where to start");
}

const LF = 0x0a;

/** The answers of `follow`, which reads `fd`, as a person reads them. Returns the same exit code. */
async function* bareLines(
  store: Store,
  fd: string,
  follow: AsyncGenerator<FdContent, number, void>,
): AsyncGenerator<Answer, number, void> {
  let lastByte = LF;
  let hasMark = false;
  for (;;) {
    const { done, value } = await follow.next();
    if (done === true) {
      if (lastByte !== LF) yield shownContent({ byteLength: 1, chunks: () => [new Uint8Array([LF])] });
      yield closing(store, fd, hasMark);
      return value;
    }
    const body = numberedBody(value);
    // Else a line of the content could pass for the closing one.
    hasMark ||= holdsAny(body, ["──"]);
    yield shownContent({
      byteLength: body.byteLength,
      *chunks() {
        for (const chunk of body.chunks()) {
          lastByte = chunk.at(-1) ?? lastByte;
          yield chunk;
        }
      },
    });
  }
}

function shownContent(stdout: Body): PassThrough {
  return { type: "pass_through", stdout, isContent: true };
}

function closing(store: Store, written: string, hasMark: boolean): Answer {
  const entry = findFd(store, written);
  const fd = formatFd(entry.id);
  const { exitCode, signal, durationMs } = entry;
  const end = { exit_code: exitCode, signal, duration_ms: durationMs, marked: hasMark || undefined };
  const since = String(cursorAt(entry, entry.byteCount));
  const next = entry.state === "live"
    ? { words: ["read", fd, "--since", since, "--follow"] }
    : { command: "read", args: { fd } } as const;
  return closingOf(entry, end, { remarks: [], next });
}
