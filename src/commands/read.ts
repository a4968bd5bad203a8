/**
 * `read`: a slice of an fd as an answer, or as an fd of its own (contract, Commands).
 *
 * @module
 */

import {
  boundSlice,
  cursorAt,
  type FdEntry,
  findFd,
  formatFd,
  locateIn,
  type OpenContent,
  openContent,
  readLast,
  type Slice,
  type SliceMode,
  type SliceRequest,
  type Store,
} from "../../fd/mod.ts";
import type { FdContent, FdExtraction } from "../answers.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../command.ts";
import { optionTable } from "../option_rows.ts";
import { openHostStore } from "../open_host_store.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import { sliceRequestOf, sliceRows } from "../slice_options.ts";
import { failUsage } from "../usage_failure.ts";

const NAME = "read";

/** Made for the call that needs it: what a table of options costs to make, only its own command pays. */
function readSpec(): CommandSpec {
  return {
    name: NAME,
    aliases: ["read_fd"],
    summary: "print a slice of an fd, or make it a new fd",
    usage: "FD [options]",
    positionals: { least: 1, most: 1, names: ["fd"] },
    options: optionTable(sliceRows(), [
      ["since", "integer", "CURSOR", "all that came after the cursor of an earlier answer (0: everything)"],
      [
        "follow",
        "flag",
        undefined,
        "go on with what arrives until the fd ends; in xml and json, one answer after the other",
        undefined,
        undefined,
        "f",
      ],
      ["timeout", "text", "DURATION", "with --follow: no longer than 90s, 10m, 1h30m"],
      ["extract", "flag", undefined, "make the slice a new fd and print its handle, not the content", [
        "extract-to-new-fd",
      ]],
      ["name", "text", "NAME", "with --extract: bind ref:NAME to the new fd"],
      [
        "number",
        "flag",
        undefined,
        "put each line's number before it (never in raw)",
        undefined,
        undefined,
        "n",
      ],
      ["max-chars", "integer", "N", "show at most N chars, ending at a line end"],
    ]),
    example: "fdtool read fd:12 --lines 100-150",
    exitCodes: [
      [0, "the slice was printed"],
      [1, "refused or failed"],
      [2, "wrong call"],
      [124, "with --follow: the time was over and the fd is still live"],
    ],
  };
}

/** The parsed call as a request: exactly one way to name a slice, or none (the first page). */
function readRequestOf(call: CommandCall): ReadRequest {
  const { options } = call;
  const slice = sliceRequestOf(NAME, options);
  const request: ReadRequest = {
    fd: call.positionals[0]!,
    read_all: slice.read_all,
    mode: slice.mode,
    start: slice.start,
    count: slice.count,
    tail: slice.tail,
    since: options["since"] as number | undefined,
    extract_to_new_fd: options["extract"] as boolean | undefined,
    name: options["name"] as string | undefined,
    number: options["number"] as boolean | undefined,
    max_chars: options["max-chars"] as number | undefined,
  };
  return request;
}

/** Refuses what cannot stand together in one request. */
function checkRequest(request: ReadRequest): void {
  const refuse = (first: string, second: string, wanted: string) =>
    failUsage({ kind: "conflict", command: NAME, first, second, wanted });
  if (request.since !== undefined) {
    const { read_all: all, mode, start, count, tail } = request;
    const other = Object.entries({ all: all === true || undefined, mode, start, count, tail })
      .find(([, value]) => value !== undefined);
    if (other !== undefined) refuse("--since", `--${other[0]}`, "one way to name the slice");
  }
  if (request.extract_to_new_fd === true) {
    if (request.number === true) refuse("--extract", "--number", "a new fd holds the exact bytes");
    if (request.max_chars !== undefined) {
      refuse("--extract", "--max-chars", "a new fd holds the whole slice; name a smaller one");
    }
  } else if (request.name !== undefined) {
    failUsage({
      kind: "bad_value",
      command: NAME,
      option: "--name",
      got: request.name,
      wanted: "--extract beside it; to name an fd that is there, use fdtool name FD NAME",
    });
  }
  if (request.max_chars !== undefined && request.max_chars < 1) {
    failUsage({
      kind: "bad_value",
      command: NAME,
      option: "--max-chars",
      got: String(request.max_chars),
      wanted: "at least 1",
    });
  }
}

/**
 * Answers a read that shows its slice.
 *
 * Throws `not_found`, `removed`, `invalid_page`, `invalid_range`, `invalid_parameter`, `store_corrupt`.
 */
export function readFd(store: Store, request: ReadRequest): FdContent {
  checkRequest(request);
  return contentIn(store, findFd(store, request.fd), request);
}

/** Answers a read that makes its slice a new fd. Throws what {@link readFd} and storing throw. */
export async function extractFd(store: Store, request: ReadRequest): Promise<FdExtraction> {
  checkRequest(request);
  const { extractSlice } = await import("../extract_slice.ts");
  const entry = findFd(store, request.fd);
  const content = openContent(store, entry);
  let slice: Slice;
  try {
    slice = locateIn(content, sliceOf(request));
  } finally {
    content.close();
  }
  return extractSlice(store, entry, slice, request.name);
}

function contentIn(store: Store, entry: FdEntry, request: ReadRequest): FdContent {
  const content = openContent(store, entry);
  try {
    return contentOf(store, content, locateIn(content, sliceOf(request)), request);
  } finally {
    content.close();
  }
}

function sliceOf({ since, read_all: all, tail, mode = "page", start, count }: ReadRequest): SliceRequest {
  if (since !== undefined) return { since };
  if (all === true) return { all: true };
  if (tail !== undefined) return { mode, tail };
  return { mode, start, count };
}

function pageOf({ all, mode, start }: Slice): number | "all" | undefined {
  return all ? "all" : mode === "page" ? start : undefined;
}

function contentOf(store: Store, content: OpenContent, slice: Slice, request: ReadRequest): FdContent {
  const { entry } = content;
  const fd = formatFd(entry.id);
  const bound = request.max_chars === undefined
    ? undefined
    : boundSlice(store, entry, slice, request.max_chars);
  const shown = bound?.slice ?? slice;
  const isLive = entry.state === "live";
  const cursor = isLive || request.since !== undefined ? cursorAt(entry, shown.toByte) : undefined;
  const following = followingSlice(entry, slice, bound?.rest, cursor, request.since !== undefined);
  return {
    type: "fd_content",
    fd,
    page: pageOf(slice),
    pages: entry.pageCount,
    continued: shown.continued,
    truncated: shown.truncated,
    lines: `${shown.firstLine}-${shown.lastLine}`,
    total_lines: entry.lineCount,
    mode: slice.mode,
    start: slice.start,
    count: slice.count,
    state: entry.state === "sealed" && request.since === undefined ? undefined : entry.state,
    cursor,
    exit_code: request.since === undefined ? undefined : entry.exitCode,
    signal: request.since === undefined ? undefined : entry.signal,
    dropped_bytes: entry.gap?.droppedBytes,
    gap_at_byte: entry.gap?.atByte,
    shown_chars: bound?.charCount,
    numbered_from: request.number === true ? shown.firstLine : undefined,
    next: following && { command: "read", args: withExtras(following, request, fd) },
    content: readLast(store, content, shown),
  };
}

/** The read that follows, with what this one asked for beside its slice. */
function withExtras(following: NextSlice, { number, max_chars }: ReadRequest, fd: string): ReadRequest {
  return { fd, ...following, number: number === true ? true : undefined, max_chars };
}

/** A slice as a request names it, with the defaults left out. */
type NextSlice = Pick<ReadRequest, "mode" | "start" | "count" | "since">;

/**
 * The slice to read on with: the `rest` that a bound left, else a slice of the same mode and count, and at the end of a live
 * fd what will have come since. Undefined where nothing follows, or will.
 */
function followingSlice(
  entry: FdEntry,
  slice: Slice,
  rest: NamedSlice | undefined,
  cursor: number | undefined,
  byCursor: boolean,
): NextSlice | undefined {
  const isLive = entry.state === "live";
  if (byCursor && (isLive || rest !== undefined)) return { since: cursor };
  if (rest !== undefined) return nextSlice(rest);
  if (slice.atEnd) return isLive ? { since: cursor } : undefined;
  return nextSlice({ mode: slice.mode, start: slice.start + slice.count, count: slice.count });
}

interface NamedSlice {
  mode: SliceMode;
  start: number;
  count: number;
}

function nextSlice({ mode, start, count }: NamedSlice): NextSlice {
  return { mode: mode === "page" ? undefined : mode, start, count: count === 1 ? undefined : count };
}

/** Answers with what arrives, for as long as it does. */
async function follow(call: CommandCall, request: ReadRequest, host: Host): Promise<Outcome> {
  const [{ checkFollowing, followFd }, { deadlineOf }] = await Promise.all([
    import("../background/follow_fd.ts"),
    import("../deadline.ts"),
  ]);
  checkRequest(request);
  checkFollowing(request);
  const store = openHostStore(host);
  const read = (entry: FdEntry, asked: ReadRequest) => contentIn(store, entry, asked);
  const deadlineMs = deadlineOf(NAME, call.options["timeout"]);
  return { exitCode: 0, stream: followFd(store, { request, deadlineMs, read }) };
}

async function extract(request: ReadRequest, host: Host): Promise<Outcome> {
  return { exitCode: 0, answer: await extractFd(openHostStore(host), request) };
}

/** The command, with its description. */
export function readCommand(): Command {
  return { spec: readSpec(), run };
}

function run(call: CommandCall, host: Host): Outcome | Promise<Outcome> {
  const request = readRequestOf(call);
  const timeout = call.options["timeout"];
  if (call.options["follow"] === true) return follow(call, request, host);
  if (timeout !== undefined) {
    failUsage({
      kind: "bad_value",
      command: NAME,
      option: "--timeout",
      got: String(timeout),
      wanted: "--follow beside it; a read takes what is there",
    });
  }
  if (request.extract_to_new_fd === true) return extract(request, host);
  return { exitCode: 0, answer: readFd(openHostStore(host), request) };
}
