/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd (contract, Commands).
 *
 * A pattern is matched line by line; a line's text is what stands before its line feed, so a CR at its end is a char
 * of it, and `$` does not match before a CR.
 *
 * @module
 */

import {
  type FdEntry,
  findFd,
  formatFd,
  type LineHit,
  type Matches,
  searchFd,
  type Store,
} from "../../fd/mod.ts";
import type { FdExtraction, FdMatches } from "../answers.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../command.ts";
import { MAX_LINE_BYTES, mostHitsViewed, type ViewLimits, viewMatches } from "../match_view.ts";
import { missingFields, withMissingRemark } from "../missing_remark.ts";
import { fdNamedBefore, namedAs } from "../named_extraction.ts";
import { callWords } from "../next_command.ts";
import { openHostStore } from "../open_host_store.ts";
import { MAX_CONTEXT } from "../requests/max_context.ts";
import type { ReadRequest } from "../requests/read_request.ts";
import type { SearchRequest } from "../requests/search_request.ts";
import { failUsage } from "../usage_failure.ts";

/** What is shown unless more is asked for. */
const DEFAULT_MATCHES = 50;
const DEFAULT_CHARS = 8000;
/** Lines around the next match, and chars around one in a giant line, in the `read` that is offered. */
const NEXT_CONTEXT = 2;
const NEXT_CHARS = 400;
/** Names of lines in an extraction's message. */
const NAMED_LINES = 10;

const spec: CommandSpec = {
  name: "search",
  aliases: ["search_fd", "grep"],
  summary: "matching lines with numbers and context",
  usage: "FD PATTERN [options]",
  positionals: { least: 2, most: 2, names: ["fd", "pattern"] },
  options: {
    fixed: {
      kind: "flag",
      short: "F",
      aliases: ["fixed-strings"],
      help: "the pattern is plain text, not a regular expression",
    },
    "ignore-case": { kind: "flag", short: "i", help: "upper and lower case match each other" },
    word: {
      kind: "flag",
      short: "w",
      aliases: ["word-regexp"],
      help: "a match must not touch a letter, digit or _ outside it",
    },
    invert: { kind: "flag", short: "v", aliases: ["invert-match"], help: "find the lines that do not match" },
    after: {
      kind: "integer",
      short: "A",
      value: "N",
      aliases: ["after-context"],
      help: "show N lines after each match",
    },
    before: {
      kind: "integer",
      short: "B",
      value: "N",
      aliases: ["before-context"],
      help: "show N lines before each match",
    },
    context: { kind: "integer", short: "C", value: "N", help: "show N lines on both sides" },
    "max-count": {
      kind: "integer",
      short: "m",
      value: "N",
      help: `show at most N matching lines (default ${DEFAULT_MATCHES}); with --extract, keep the first N`,
    },
    "max-chars": {
      kind: "integer",
      value: "N",
      help: `show at most N chars of lines (default ${DEFAULT_CHARS})`,
    },
    count: { kind: "flag", short: "c", help: "only count the matching lines" },
    extract: {
      kind: "flag",
      aliases: ["extract-to-new-fd"],
      help: "make the matching lines a new fd and print its handle",
    },
    name: { kind: "text", value: "NAME", help: "with --extract: bind ref:NAME to the new fd" },
  },
  example: "fdtool search fd:12 'error|warning' -C 2",
  exitCodes: [[0, "a line matched"], [1, "no line matched, or refused or failed"], [
    2,
    "wrong call or pattern",
  ]],
};

/** The parsed call as a request. */
function searchRequestOf({ positionals, options }: CommandCall): SearchRequest {
  const flag = (name: string) => options[name] as boolean | undefined;
  const number = (name: string) => options[name] as number | undefined;
  return {
    fd: positionals[0]!,
    pattern: positionals[1]!,
    fixed: flag("fixed"),
    ignore_case: flag("ignore-case"),
    word: flag("word"),
    invert: flag("invert"),
    after: number("after"),
    before: number("before"),
    context: number("context"),
    max_count: number("max-count"),
    max_chars: number("max-chars"),
    count: flag("count"),
    extract_to_new_fd: flag("extract"),
    name: options["name"] as string | undefined,
  };
}

function checkRequest(request: SearchRequest): void {
  const inRange = (
    option: string,
    value: number | undefined,
    least: number,
    most: number,
    wanted: string,
  ) => {
    if (value === undefined || (value >= least && value <= most)) return;
    failUsage({ kind: "bad_value", command: spec.name, option, got: String(value), wanted });
  };
  const context = `0 to ${MAX_CONTEXT} lines; read shows more`;
  inRange("--after", request.after, 0, MAX_CONTEXT, context);
  inRange("--before", request.before, 0, MAX_CONTEXT, context);
  inRange("--context", request.context, 0, MAX_CONTEXT, context);
  inRange("--max-count", request.max_count, 1, Infinity, "at least 1");
  inRange("--max-chars", request.max_chars, 1, Infinity, "at least 1");
  if (request.extract_to_new_fd === true && request.count === true) {
    const wanted = "one of the two: --extract tells the count as well";
    failUsage({ kind: "conflict", command: spec.name, first: "--extract", second: "--count", wanted });
  }
  if (request.name !== undefined && request.extract_to_new_fd !== true) {
    const wanted = "--extract beside it; to name an fd that is there, use fdtool name FD NAME";
    failUsage({ kind: "bad_value", command: spec.name, option: "--name", got: request.name, wanted });
  }
}

/** What this search finds, without what is to be done with it. */
function soughtBy({ fixed, ignore_case, word, invert, pattern }: SearchRequest, fd: string): SearchRequest {
  const flag = (given: boolean | undefined) => given === true ? true : undefined;
  return {
    fd,
    fixed: flag(fixed),
    ignore_case: flag(ignore_case),
    word: flag(word),
    invert: flag(invert),
    pattern,
  };
}

/**
 * Answers a search. `checkpoint` is called now and then.
 *
 * Throws `not_found`, `removed`, `invalid_parameter`, `store_corrupt`, and with `extract_to_new_fd` what storing throws.
 */
export async function searchAnswer(
  store: Store,
  request: SearchRequest,
  checkpoint?: Host["checkpoint"],
): Promise<FdMatches | FdExtraction> {
  checkRequest(request);
  const entry = findFd(store, request.fd);
  const fd = formatFd(entry.id);
  const shownMost = {
    matches: request.max_count ?? DEFAULT_MATCHES,
    chars: request.max_chars ?? DEFAULT_CHARS,
  };
  const extracts = request.extract_to_new_fd === true;
  const previousFd = fdNamedBefore(store, request.name);
  const found = await searchFd(store, entry, {
    pattern: request.pattern,
    fixed: request.fixed,
    ignoreCase: request.ignore_case,
    word: request.word,
    invert: request.invert,
    keep: request.count === true ? 0 : extracts ? NAMED_LINES : mostHitsViewed(shownMost),
    // A bounded answer still says the true total; only what is stored ends there.
    stopAfter: extracts ? request.max_count : undefined,
    extract: !extracts ? undefined : {
      source: "search",
      // What makes the same lines an fd again: its record remembers it.
      command: [
        "fdtool",
        ...callWords({
          command: "search",
          args: { ...soughtBy(request, fd), max_count: request.max_count, extract_to_new_fd: true },
        }),
      ],
      pageSize: entry.pageSize,
      names: request.name === undefined ? undefined : [request.name],
      maxBytes: 0,
      parent: { id: entry.id, mode: "line", start: 1, count: entry.lineCount },
    },
  }, checkpoint && ((doneBytes) => checkpoint(doneBytes, entry.byteCount)));
  if (found.extracted !== undefined) {
    return extraction(entry, found, found.extracted, { request, previousFd });
  }
  if (found.total === 0) return noMatches(entry, request);
  if (request.count === true) return counted(entry, request, found);
  return shownMatches(store, entry, request, found, shownMost);
}

function counted(entry: FdEntry, request: SearchRequest, { total }: Matches): FdMatches {
  return {
    type: "fd_matches",
    fd: formatFd(entry.id),
    pattern: request.pattern,
    total,
    shown: 0,
    counted: true,
    ...missingFields(entry),
    matches: [],
    message: withMissingRemark(entry, linesWord(total, request)),
  };
}

/** "1 matching line", "3 lines that do not match". */
function linesWord(count: number, { invert }: SearchRequest): string {
  const lines = count === 1 ? "line" : "lines";
  if (invert !== true) return `${count} matching ${lines}`;
  return `${count} ${lines} that ${count === 1 ? "does" : "do"} not match`;
}

function noMatches(entry: FdEntry, request: SearchRequest): FdMatches {
  const fd = formatFd(entry.id);
  // Code is often searched for as it stands: f(x), a[0], {}.
  const mayBePlain = request.fixed !== true && request.invert !== true && /[([{]/.test(request.pattern);
  return {
    type: "fd_matches",
    fd,
    pattern: request.pattern,
    total: 0,
    shown: 0,
    ...(request.count === true ? { counted: true } : {}),
    ...missingFields(entry),
    matches: [],
    message: withMissingRemark(entry, "No matches"),
    next: mayBePlain ? { command: "search", args: soughtBy({ ...request, fixed: true }, fd) } : undefined,
  };
}

function shownMatches(
  store: Store,
  entry: FdEntry,
  request: SearchRequest,
  found: Matches,
  shownMost: Pick<ViewLimits, "matches" | "chars">,
): FdMatches {
  const { total, hits } = found;
  const fd = formatFd(entry.id);
  const { lines, shownHits } = viewMatches(store, entry, hits, {
    beforeLines: request.before ?? request.context ?? 0,
    afterLines: request.after ?? request.context ?? 0,
    ...shownMost,
  });
  const sentences: string[] = [];
  if (shownHits < total) {
    sentences.push(`Showing ${shownHits} of ${linesWord(total, request)}.`);
    sentences.push("Use --extract to keep all of them as a new fd.");
  }
  const cut = lines.find((line) => line.cut_before !== undefined || line.cut_after !== undefined);
  if (cut !== undefined) sentences.push(`Of a long line, ${MAX_LINE_BYTES} bytes are shown.`);
  const nextHit = hits[shownHits] ??
    (cut === undefined ? undefined : hits.find((hit) => hit.lineNumber === cut.line));
  return {
    type: "fd_matches",
    fd,
    pattern: request.pattern,
    total,
    shown: shownHits,
    ...missingFields(entry),
    matches: lines,
    message: withMissingRemark(entry, sentences.length === 0 ? undefined : sentences.join(" ")),
    next: nextHit && { command: "read", args: sliceAround(entry, nextHit) },
  };
}

/** The slice around `hit`: lines, or chars if its line is too long to be read whole. */
function sliceAround(entry: FdEntry, hit: LineHit): ReadRequest {
  const fd = formatFd(entry.id);
  if (hit.toByte - hit.fromByte > MAX_LINE_BYTES) {
    const start = Math.max(0, hit.hitChar - NEXT_CHARS / 2);
    return { fd, mode: "char", start, count: Math.min(NEXT_CHARS, entry.charCount - start) };
  }
  const start = Math.max(1, hit.lineNumber - NEXT_CONTEXT);
  const last = Math.min(entry.lineCount, hit.lineNumber + NEXT_CONTEXT);
  return { fd, mode: "line", start, count: last - start + 1 };
}

function extraction(
  entry: FdEntry,
  { total, isCapped, hits }: Matches,
  made: FdEntry,
  { request, previousFd }: { request: SearchRequest; previousFd: string | undefined },
): FdExtraction {
  const source = formatFd(entry.id);
  const fd = formatFd(made.id);
  const lines = hits.slice(0, total).map(({ lineNumber }) => lineNumber);
  const others = total > lines.length ? ` and ${total - lines.length} more` : "";
  const also = namedAs(request.name, previousFd);
  const stopped = isCapped ? " The search stopped there: more lines match. The next command keeps all." : "";
  return {
    type: "fd_extraction",
    source_fd: source,
    new_fd: fd,
    mode: "line",
    content_size: made.charCount,
    start: lines[0]!,
    count: total,
    ...(isCapped ? { capped: true } : {}),
    ...(previousFd === undefined ? {} : { previous_fd: previousFd }),
    ...missingFields(entry),
    message: withMissingRemark(
      entry,
      `Extracted ${linesWord(total, request)} of ${source} (${total === 1 ? "line" : "lines"} ` +
        `${lines.join(", ")}${others}) to ${fd}${also}.${stopped}`,
    ),
    next: isCapped
      ? { command: "search", args: { ...soughtBy(request, source), extract_to_new_fd: true } }
      : { command: "read", args: { fd } },
  };
}

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await searchAnswer(openHostStore(host), searchRequestOf(call));
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
  },
};
