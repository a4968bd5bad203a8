/**
 * The request that `search` answers (contract, Agents).
 */

import { countField, defineRequest, flagField, type RequestOf } from "./request_fields.ts";
import { contextField, nameRule, sharedFields } from "./shared_fields.ts";

const { fdOrFileField, nameField } = sharedFields();

/** The amount shown by default. */
export const DEFAULT_MATCHES = 50;
export const DEFAULT_CHARS = 8000;

export const SEARCH_REQUEST = defineRequest({
  fd: { ...fdOrFileField, isRequired: undefined },
  all_fds: flagField("instead of fd: search all", {
    help: "search everything stored, newest first, instead of one FD",
  }),
  pattern: {
    kind: "texts",
    isRequired: true,
    isArgument: true,
    description: "regular expression (RE2), matched line by line, or a list of them",
    option: {
      short: "e",
      value: "PATTERN",
      aliases: ["regexp"],
      help: "a pattern; if there are several, find lines that match any of them",
    },
  },
  fixed: flagField("treat pattern as plain text", {
    short: "F",
    aliases: ["fixed-strings"],
    help: "treat the pattern as plain text, not as a regular expression",
  }),
  ignore_case: flagField("ignore case", { short: "i" }),
  word: flagField("Match whole words only (letters, digits, _).", { short: "w", aliases: ["word-regexp"] }),
  invert: flagField("Find lines that do not match.", {
    short: "v",
    aliases: ["invert-match"],
    help: "find the lines that do not match",
  }),
  only_matching: flagField("Show each match, not its line, with its char offset for read.", {
    short: "o",
    help:
      "print each match, not its line: LINE:START:MATCH; go on from one with read --mode char --start START",
  }),
  exact: flagField("Match and show stored text, with escape sequences and overwritten text."),
  after: contextField("Lines of context after each match.", {
    short: "A",
    aliases: ["after-context"],
    help: "show N lines after each match",
  }),
  before: contextField("Lines of context before each match.", {
    short: "B",
    aliases: ["before-context"],
    help: "show N lines before each match",
  }),
  context: contextField("lines of context on both sides", { short: "C", help: "show N lines on both sides" }),
  max_count: countField("Show at most this many matching lines; when extracting, keep the first of them.", {
    short: "m",
    value: "N",
    help: `show at most N matching lines (default ${DEFAULT_MATCHES}); with --extract, keep the first N`,
  }),
  max_chars: countField("Show at most this many chars of lines.", {
    help: `show at most N chars of lines (default ${DEFAULT_CHARS})`,
  }),
  count: flagField("Only count matching lines.", { short: "c" }),
  extract_to_new_fd: flagField("make the matching lines a new fd", {
    name: "extract",
    help: "make the matching lines a new fd and print its handle",
  }),
  name: nameField,
}, [
  { oneOf: ["fd", "all_fds"] },
  { field: "extract_to_new_fd", excludes: ["all_fds"] },
  { field: "only_matching", excludes: ["invert"], why: "a line that does not match has no match to show" },
  { field: "extract_to_new_fd", excludes: ["count"], why: "an extraction reports the count too" },
  nameRule(),
]);

export type SearchRequest = RequestOf<typeof SEARCH_REQUEST.fields>;
