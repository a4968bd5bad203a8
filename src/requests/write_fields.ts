/** Fields that several requests to write share: apart from those that `read` has, which every call makes at its start. */

import type { RequestField } from "./request_fields.ts";
import { RANGE_FIELDS } from "./shared_fields.ts";

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

/** Ranges of content that may come from an fd. */
export const RANGES_OF_FD = {
  pages: {
    ...RANGE_FIELDS.pages,
    option: { ...RANGE_FIELDS.pages.option, help: "of an fd: only pages A to B" },
  },
  lines: {
    ...RANGE_FIELDS.lines,
    description: 'With a handle: only these lines, "A-B".',
    option: { ...RANGE_FIELDS.lines.option, help: "of an fd: only lines A to B" },
  },
  chars: {
    ...RANGE_FIELDS.chars,
    option: { ...RANGE_FIELDS.chars.option, help: "of an fd: only chars A to B, from 0" },
  },
} as const;
