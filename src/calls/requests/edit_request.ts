/**
 * The request that `edit` answers (contract, Writing files and Agents).
 */

import type { FieldRule } from "./field_rules.ts";
import {
  defineRequest,
  flagField,
  NEEDED_TEXT,
  type RequestFields,
  type RequestOf,
} from "./request_fields.ts";
import { DRY_RUN_FIELD, NEW_EOL_FIELD, PLACEHOLDERS_FIELD } from "./write_fields.ts";

const ENTRY_FIELDS = {
  old_string: {
    kind: "text",
    description: 'the text to replace ("": everything)',
    option: { name: "old", value: "TEXT", help: "the text to replace; must appear exactly once" },
  },
  new_string: {
    kind: "text",
    description: "the replacement",
    option: { name: "new", value: "TEXT", help: "the replacement, taken literally" },
  },
  new_fd: {
    kind: "fd",
    description: "instead of new_string: the fd with it",
    option: { name: "new-from", value: "FD", instead: "--content FD", help: "use fd FD as the replacement" },
  },
  replace_all: flagField("replace every match"),
} as const satisfies RequestFields;

const ENTRY_RULES: readonly FieldRule<keyof typeof ENTRY_FIELDS>[] = [
  { oneOf: ["old_string"], wanted: "the text to replace" },
  { oneOf: ["new_string", "new_fd"], wanted: "the text in its place, or new_fd" },
];

export const EDIT_REQUEST = defineRequest({
  path: { ...NEEDED_TEXT, description: "the file" },
  ...ENTRY_FIELDS,
  edits: {
    kind: "list",
    fields: ENTRY_FIELDS,
    rules: ENTRY_RULES,
    description: "instead: several, in order",
  },
  yes: flagField("don't ask about a large change", {
    short: "y",
    help: "don't ask if more than half of the file changes",
  }),
  allow_placeholders: PLACEHOLDERS_FIELD,
  eol: NEW_EOL_FIELD,
  dry_run: DRY_RUN_FIELD,
}, [
  {
    field: "edits",
    excludes: ["old_string", "new_string", "new_fd", "replace_all"],
    wanted: "old_string and new_string, or edits",
  },
  ...ENTRY_RULES.map((rule) => ({ ...rule, unless: "edits" as const })),
]);
export type EditRequest = RequestOf<typeof EDIT_REQUEST.fields>;
