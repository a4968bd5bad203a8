/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd.
 */

import { parseFdArgument, prepareFd } from "../../fd/mod.ts";
import type { CommandCall, Host } from "../calls/terms/command.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { fdFirst } from "../calls/arguments/file_for_fd.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { requestFrom } from "../calls/arguments/field_options.ts";
import { takingFiles } from "../reading/file_as_fd.ts";
import { SEARCH_REQUEST, type SearchRequest } from "../calls/requests/search_request.ts";
import type { RequestFields } from "../calls/requests/request_fields.ts";

const LINE_FIELDS = {
  ...SEARCH_REQUEST.fields,
  // Alone it is the pattern.
  fd: { ...SEARCH_REQUEST.fields.fd, kind: "text" },
  // Habits from grep.
  line_number: {
    kind: "flag",
    option: { short: "n", instead: "", help: "always on: lines have their numbers" },
  },
  extended_regexp: {
    kind: "flag",
    option: { short: "E", instead: "", help: "always on: patterns are regular expressions" },
  },
  recursive: { kind: "flag", option: { short: "r", help: "same as --all-fds" } },
  files_with_matches: { kind: "flag", option: { short: "l", help: "same as --count" } },
} as const satisfies RequestFields;

/** The request of a call. Like grep, it takes the pattern first, too, and without an fd searches all. */
async function searchRequestOf(call: CommandCall, host: Host): Promise<SearchRequest> {
  const { options } = call;
  const [first, second] = call.positionals;
  const hasPattern = options["pattern"] !== undefined;
  const asksForAll = options["all-fds"] === true || options["recursive"] === true;
  const namesAll = first === undefined || parseFdArgument(first) === undefined && !hasPattern;
  const isOfAll = second === undefined && (asksForAll || namesAll);
  const isFdUnknown = second !== undefined && parseFdArgument(first!) === undefined;
  if (isFdUnknown) { for (const word of call.positionals) await prepareFd(openHostStore(host), word); }
  const placed = isOfAll
    ? [undefined, ...call.positionals]
    : fdFirst(call.positionals, host.cwd, () => openHostStore(host));
  const request = requestFrom(SEARCH_REQUEST.fields, { ...call, positionals: placed });
  return {
    ...request,
    ...(isOfAll || asksForAll ? { all_fds: true } : {}),
    ...(options["files-with-matches"] === true ? { count: true } : {}),
  };
}

/** The most that a person gets who scrolls, or pipes it on. */
const MOST_SCROLLED = 100_000;
const MOST_CHARS = 2 ** 25;

export const command = defineOperation({
  ...SEARCH_REQUEST,
  usage: "[FD|FILE] PATTERN [options]",
  values: { fd: "FD|FILE" },
  line: LINE_FIELDS,
  example: "fdtool search fd:12 'error|warning' -C 2",
  exitCodes: {
    0: "a line matched",
    1: "no line matched, refused, or failed",
    2: "usage error or invalid pattern",
  },
  requestOf: searchRequestOf,
  answer: takingFiles("search", SEARCH_REQUEST.fields, async (request: SearchRequest, host) => {
    const { searchFd } = await import("../reading/searching/search_fd.ts");
    const isScrolled = host.takesWhole === true && request.extract_to_new_fd !== true &&
      request.count !== true;
    const asked = isScrolled ? { max_count: MOST_SCROLLED, max_chars: MOST_CHARS, ...request } : request;
    const found = await searchFd(openHostStore(host), asked, host.checkpoint);
    const answer = found.type === "fd_matches" && host.isForPeople === true
      ? (await import("../reading/searching/mark_spans.ts")).markSpans(found, request)
      : found;
    const openAt = isScrolled && request.invert !== true
      ? {
        patterns: [request.pattern].flat(),
        isFixed: request.fixed === true,
        ignoresCase: request.ignore_case === true,
      }
      : undefined;
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer, openAt };
  }),
});
