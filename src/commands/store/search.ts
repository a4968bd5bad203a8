/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd.
 *
 * @module
 */

import { parseFdArgument } from "../../../fd/mod.ts";
import type { Command, CommandSpec, Outcome } from "../../terms/command.ts";
import { callWords } from "../../answering/next_command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { optionsFrom, positionalsFrom, requestFrom } from "../../arguments/field_options.ts";
import { searchFd } from "../../reading/search_fd.ts";
import { SEARCH_FIELDS, type SearchRequest } from "../../requests/search_request.ts";
import { failUsage } from "../../requests/usage_failure.ts";

const spec: CommandSpec = {
  name: "search",
  aliases: ["search_fd", "grep"],
  summary: "find matching lines, with line numbers and context",
  usage: "(FD | --all-fds) PATTERN [options]",
  // FD is not an argument with --all-fds, and PATTERN not with -e.
  positionals: { ...positionalsFrom(SEARCH_FIELDS), least: 0 },
  options: {
    ...optionsFrom(SEARCH_FIELDS),
    // Habits from grep.
    "line-number": { kind: "flag", short: "n", help: "always on: lines have their numbers" },
    "extended-regexp": { kind: "flag", short: "E", help: "always on: patterns are regular expressions" },
  },
  example: "fdtool search fd:12 'error|warning' -C 2",
  exitCodes: [[0, "a line matched"], [1, "no line matched, refused, or failed"], [
    2,
    "usage error or invalid pattern",
  ]],
};

/** Refuses `search PATTERN FD`, and offers the call that was meant. */
function checkOrder(request: SearchRequest): void {
  const { fd, pattern } = request;
  if (fd === undefined || typeof pattern !== "string") return;
  if (parseFdArgument(fd) !== undefined || !/^(fd|ref):/.test(pattern)) return;
  const words = callWords({ command: "search", args: { ...request, fd: pattern, pattern: fd } });
  failUsage({ kind: "swapped_arguments", got: fd, fd: pattern, words });
}

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const { positionals, options } = call;
    const isOfAll = options["all-fds"] === true && positionals.length < 2;
    const placed = isOfAll ? { ...call, positionals: [undefined, ...positionals] } : call;
    const request = requestFrom(spec.name, SEARCH_FIELDS, placed);
    checkOrder(request);
    const found = await searchFd(openHostStore(host), request);
    const answer = found.type === "fd_matches" && host.isForPeople === true
      ? (await import("../../reading/mark_spans.ts")).markSpans(found, request)
      : found;
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
  },
};
