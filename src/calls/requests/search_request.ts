/**
 * The request that `search` answers (contract, Agents).
 */

import { defineRequest, type RequestOf } from "./request_fields.ts";
import { contextLimits, nameRule, sharedFields } from "./shared_fields.ts";

const { fdOrFileField, nameField } = sharedFields();

/** The amount shown by default. */
export const DEFAULT_MATCHES = 50;
export const DEFAULT_CHARS = 8000;

export const SEARCH_REQUEST = defineRequest({
  fd: { ...fdOrFileField, isRequired: undefined },
  all_fds: {
    kind: "flag",
    description: "instead of fd: search all",
    option: { help: "search everything stored, newest first, instead of one FD" },
  },
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
  fixed: {
    kind: "flag",
    description: "treat pattern as plain text",
    option: {
      short: "F",
      aliases: ["fixed-strings"],
      help: "treat the pattern as plain text, not as a regular expression",
    },
  },
  ignore_case: { kind: "flag", description: "ignore case", option: { short: "i" } },
  word: {
    kind: "flag",
    description: "Match whole words only (letters, digits, _).",
    option: { short: "w", aliases: ["word-regexp"] },
  },
  invert: {
    kind: "flag",
    description: "Find lines that do not match.",
    option: { short: "v", aliases: ["invert-match"], help: "find the lines that do not match" },
  },
  only_matching: {
    kind: "flag",
    description: "Show each match, not its line, with its char offset for read.",
    option: {
      short: "o",
      help:
        "print each match, not its line: LINE:START:MATCH; go on from one with read --mode char --start START",
    },
  },
  exact: {
    kind: "flag",
    description: "Match and show stored text, with escape sequences and overwritten text.",
    option: {},
  },
  after: {
    kind: "integer",
    ...contextLimits(),
    description: "Lines of context after each match.",
    option: { short: "A", value: "N", aliases: ["after-context"], help: "show N lines after each match" },
  },
  before: {
    kind: "integer",
    ...contextLimits(),
    description: "Lines of context before each match.",
    option: { short: "B", value: "N", aliases: ["before-context"], help: "show N lines before each match" },
  },
  context: {
    kind: "integer",
    ...contextLimits(),
    description: "lines of context on both sides",
    option: { short: "C", value: "N", help: "show N lines on both sides" },
  },
  max_count: {
    kind: "integer",
    least: 1,
    description: "Show at most this many matching lines; when extracting, keep the first of them.",
    option: {
      short: "m",
      value: "N",
      help: `show at most N matching lines (default ${DEFAULT_MATCHES}); with --extract, keep the first N`,
    },
  },
  max_chars: {
    kind: "integer",
    least: 1,
    description: "Show at most this many chars of lines.",
    option: { value: "N", help: `show at most N chars of lines (default ${DEFAULT_CHARS})` },
  },
  count: { kind: "flag", description: "Only count matching lines.", option: { short: "c" } },
  extract_to_new_fd: {
    kind: "flag",
    description: "make the matching lines a new fd",
    option: { name: "extract", help: "make the matching lines a new fd and print its handle" },
  },
  name: nameField,
}, [
  { oneOf: ["fd", "all_fds"] },
  { field: "extract_to_new_fd", excludes: ["all_fds"] },
  { field: "only_matching", excludes: ["invert"], why: "a line that does not match has no match to show" },
  { field: "extract_to_new_fd", excludes: ["count"], why: "an extraction reports the count too" },
  nameRule(),
]);

export type SearchRequest = RequestOf<typeof SEARCH_REQUEST.fields>;
