/** The request that `read` answers (contract, Agents). */

import { SLICE_MODES } from "../../../fd/system.ts";
import type { FieldRule } from "./field_rules.ts";
import { countField, flagField, type RequestFields, type RequestOf } from "./request_fields.ts";
import { nameRule, ONE_WAY, RANGES, sharedFields } from "./shared_fields.ts";

const makeFields = ({ aboutField, fdOrFileField, headField, nameField, rangeFields } = sharedFields()) => ({
  fd: fdOrFileField,
  ...rangeFields,
  head: headField,
  mode: {
    kind: "text",
    choices: SLICE_MODES,
    description: "unit: page (default), line or char",
    option: { value: "MODE", help: "unit of --start and --count (default page), --head and --tail (line)" },
  },
  start: {
    kind: "integer",
    description: "first unit; pages and lines from 1, chars from 0",
    option: { value: "N", help: "first unit: pages and lines from 1, chars from 0 (default: the first)" },
  },
  count: countField("number of units (default 1)"),
  tail: countField("instead: the last lines", { help: "the last N lines, or units of --mode" }),
  read_all: flagField("instead: everything", { name: "all", help: "use the whole content" }),
  since: {
    kind: "integer",
    least: 0,
    description: "instead: content after this cursor",
    option: {
      value: "CURSOR",
      help: "read everything after the cursor of an earlier answer (0: from the start)",
    },
  },
  extract_to_new_fd: flagField("Make the slice a new fd and return its handle.", {
    name: "extract",
    help: "make the slice a new fd and print its handle, not the content",
  }),
  name: nameField,
  number: flagField("Show line numbers.", { short: "n", help: "print line numbers (never in raw)" }),
  about: aboutField,
  digest: countField("Instead of a slice: the Nth digest.", {
    help: "the Nth digest: the lines that matter most after those before it",
  }),
  max_chars: countField("Show at most this many chars, ending at a line end.", {
    help: "show at most N chars, ending at a line end",
  }),
  exact: flagField("Show the stored text, with escape sequences and overwritten text.", {
    help: "show escape sequences and overwritten text, too, as --format raw does",
  }),
} as const satisfies RequestFields);

let fields: ReturnType<typeof makeFields> | undefined;

/** The fields of the request. A function: other commands load them, too, and each field is work to make. */
export const readFields = (): ReturnType<typeof makeFields> => fields ??= makeFields();

/**
 * `read_all` allows `start` and `count`: callers that send every parameter send them, too. A function: a small read needs no
 * rules, and making them would cost more than to check them.
 */
export function readRules(): readonly FieldRule<keyof ReturnType<typeof makeFields>>[] {
  const slice = ["read_all", "mode", "start", "count", "tail", "head"] as const;
  return [
    { field: "since", excludes: [...slice, ...RANGES], wanted: ONE_WAY },
    { field: "tail", excludes: ["read_all", "start", "count", "head", ...RANGES], wanted: ONE_WAY },
    { field: "head", excludes: ["read_all", "start", "count", ...RANGES], wanted: ONE_WAY },
    ...RANGES.map((field) => ({ field, excludes: ["read_all", "start", "count"] as const, wanted: ONE_WAY })),
    { field: "extract_to_new_fd", excludes: ["number"], why: "a new fd has the exact bytes" },
    {
      field: "extract_to_new_fd",
      excludes: ["max_chars"],
      why: "a new fd has the whole slice; select a smaller one",
    },
    ...(["about", "digest"] as const).map((field) => ({
      field,
      excludes: [...slice, "since", "extract_to_new_fd", "number", "exact", ...RANGES] as const,
      wanted: ONE_WAY,
    })),
    nameRule(),
  ];
}

export type ReadRequest = RequestOf<ReturnType<typeof makeFields>>;
