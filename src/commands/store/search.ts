/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd.
 *
 * @module
 */

import type { Command, CommandCall, CommandSpec, Outcome } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { DEFAULT_CHARS, DEFAULT_MATCHES, searchFd } from "../../reading/search_fd.ts";
import type { SearchRequest } from "../../requests/search_request.ts";

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

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await searchFd(openHostStore(host), searchRequestOf(call));
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
  },
};
