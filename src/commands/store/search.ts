/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd.
 *
 * @module
 */

import {
  type Command,
  type CommandCall,
  type CommandSpec,
  optionsOf,
  type Outcome,
} from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { DEFAULT_CHARS, DEFAULT_MATCHES, searchFd } from "../../reading/search_fd.ts";
import type { SearchRequest } from "../../requests/search_request.ts";

const OPTIONS = {
  fixed: {
    kind: "flag",
    short: "F",
    aliases: ["fixed-strings"],
    help: "treat the pattern as plain text, not as a regular expression",
  },
  "ignore-case": { kind: "flag", short: "i", help: "ignore case" },
  word: {
    kind: "flag",
    short: "w",
    aliases: ["word-regexp"],
    help: "match whole words only (letters, digits, _)",
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
  count: { kind: "flag", short: "c", help: "only count matching lines" },
  extract: {
    kind: "flag",
    aliases: ["extract-to-new-fd"],
    help: "make the matching lines a new fd and print its handle",
  },
  name: { kind: "text", value: "NAME", help: "with --extract: bind ref:NAME to the new fd" },
} as const satisfies CommandSpec["options"];

const spec: CommandSpec = {
  name: "search",
  aliases: ["search_fd", "grep"],
  summary: "find matching lines, with line numbers and context",
  usage: "FD PATTERN [options]",
  positionals: { least: 2, most: 2, names: ["fd", "pattern"] },
  options: OPTIONS,
  example: "fdtool search fd:12 'error|warning' -C 2",
  exitCodes: [[0, "a line matched"], [1, "no line matched, refused, or failed"], [
    2,
    "usage error or invalid pattern",
  ]],
};

/** The parsed call as a request. */
function searchRequestOf(call: CommandCall): SearchRequest {
  const { positionals } = call;
  const options = optionsOf(OPTIONS, call);
  return {
    fd: positionals[0]!,
    pattern: positionals[1]!,
    fixed: options["fixed"],
    ignore_case: options["ignore-case"],
    word: options["word"],
    invert: options["invert"],
    after: options["after"],
    before: options["before"],
    context: options["context"],
    max_count: options["max-count"],
    max_chars: options["max-chars"],
    count: options["count"],
    extract_to_new_fd: options["extract"],
    name: options["name"],
  };
}

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await searchFd(openHostStore(host), searchRequestOf(call));
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
  },
};
