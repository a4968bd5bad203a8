/** Fields and limits that several requests share. */

import type { FieldRule } from "./field_rules.ts";
import type { IntegerLimits, RequestField } from "./request_fields.ts";

/** The fd that an operation reads. */
export const FD_FIELD = {
  kind: "fd",
  isRequired: true,
  isArgument: true,
  description: 'The fd: "fd:12", "12" or "ref:NAME".',
} as const satisfies RequestField;

/** The number of items of a list in an answer, unless all are requested. */
export const MAX_LISTED = 100;

/** The name that the extracted fd gets. */
export const NAME_FIELD = {
  kind: "text",
  description: "With extract_to_new_fd: bind ref:NAME to the new fd.",
  option: { value: "NAME", help: "with --extract: bind ref:NAME to the new fd" },
} as const satisfies RequestField;

/** A name only for a new fd. */
export const NAME_RULE = {
  field: "name",
  needs: "extract_to_new_fd",
  otherwise: "to name an existing fd, use fdtool name FD NAME",
} as const satisfies FieldRule;

/** A number of items, or all. */
export const LIMIT_RULE = {
  field: "limit",
  excludes: ["all"],
} as const satisfies FieldRule;

/** The most lines of context on either side of a match or a change: more is what `read` is for. */
const MAX_CONTEXT = 1000;

/** Limits of lines of context. */
export const CONTEXT_LIMITS = {
  least: 0,
  most: MAX_CONTEXT,
  expected: `0 to ${MAX_CONTEXT} lines (use read for more)`,
} as const satisfies IntegerLimits;

/** Shows the outcome of a write without writing. */
export const DRY_RUN_FIELD = {
  kind: "flag",
  description: "Show the unified diff and write nothing.",
  option: {},
} as const satisfies RequestField;

/** Converts line ends, or keeps them as given. */
export const EOL_FIELD = {
  kind: "text",
  choices: ["keep", "lf", "crlf"],
  description: "Line ends: keep as given (default), lf or crlf.",
  option: { value: "EOL" },
} as const satisfies RequestField;
