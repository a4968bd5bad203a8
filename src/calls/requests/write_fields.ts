/** Fields that several requests to write share: apart from those that `read` has, which every call makes at its start. */

import type { RequestField } from "./request_fields.ts";
import { type RangeFieldsOf, sharedFields } from "./shared_fields.ts";

/** Shows the outcome of a write without writing. */
export const DRY_RUN_FIELD = {
  kind: "flag",
  description: "Show the unified diff and write nothing.",
  option: {},
} as const satisfies RequestField;

/** Writes lines that replace omitted content: the refusal names it, so tools do not list it. */
export const PLACEHOLDERS_FIELD = {
  kind: "flag",
  option: { help: 'allow lines such as "// ... existing code ..."' },
} as const satisfies RequestField;

/** Converts line ends, or keeps them as given. */
export const EOL_FIELD = {
  kind: "text",
  choices: ["keep", "lf", "crlf"],
  description: "Line ends: keep as given (default), lf or crlf.",
  option: { value: "EOL" },
} as const satisfies RequestField;

/** Converts the line ends of new text beside text that stays. */
export const NEW_EOL_FIELD = {
  ...EOL_FIELD,
  description: "Line ends: as in the file (default), keep (as given), lf or crlf.",
} as const satisfies RequestField;

const { pages, lines, chars } = sharedFields().rangeFields;

/** Ranges of content that may come from an fd. */
export const RANGES_OF_FD = {
  pages: {
    ...pages,
    option: { ...pages.option, help: "of an fd: only pages A to B" },
  },
  lines: {
    ...lines,
    description: 'With a handle: only these lines, "A-B".',
    option: { ...lines.option, help: "of an fd: only lines A to B" },
  },
  chars: {
    ...chars,
    option: { ...chars.option, help: "of an fd: only chars A to B, from 0" },
  },
} as const satisfies RangeFieldsOf<RequestField>;
