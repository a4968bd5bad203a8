/**
 * The requests that `plan` answers: a plan as tools send it, and the arguments of the command (contract, Write plans and
 * Agents). Which fields an operation's type takes is checked with the plan, so that every problem is reported at once.
 */

import {
  defineRequest,
  flagField,
  flagOption,
  type RequestFields,
  type RequestOf,
} from "./request_fields.ts";
import { DRY_RUN_FIELD, NEW_EOL_FIELD, PLACEHOLDERS_FIELD } from "./write_fields.ts";

/** One operation on a file. */
export const OPERATION_FIELDS = {
  type: {
    kind: "text",
    choices: ["create", "append", "overwrite", "insert", "replace", "replace_all"],
    isRequired: true,
    description: "What to do to the file.",
  },
  content_block: { kind: "text", description: "The new text, taken literally." },
  content_fd: { kind: "fd", description: "Instead of content_block: the fd with it." },
  lines: { kind: "text", description: 'With content_fd: only these lines, "A-B".' },
  pages: { kind: "text", description: 'With content_fd: only these pages, "A-B".' },
  chars: { kind: "text", description: 'With content_fd: only these chars, "A-B", from 0.' },
  location_marker: {
    kind: "text",
    description: "insert: the text to insert beside. Must appear in the file once.",
  },
  glue: { kind: "flag", description: "append: without the line end that the last line may lack." },
  position: { kind: "text", choices: ["before", "after"], description: "insert: default after." },
  marker_type: {
    kind: "text",
    choices: ["string", "regex"],
    description: "How markers are matched (default string).",
  },
  start_marker: {
    kind: "text",
    description: "replace: the start of the block; it is replaced too. Must appear in the file once.",
  },
  end_marker: {
    kind: "text",
    description: "replace: the end of the block, the first one after its start; it is replaced too.",
  },
  find: {
    kind: "text",
    description: "replace, instead of the markers: the text to replace, once. replace_all: every time.",
  },
} as const satisfies RequestFields;
export type PlanOperation = RequestOf<typeof OPERATION_FIELDS>;

/** The part of a plan that changes one file. */
export const FILE_PLAN_FIELDS = {
  intent: { kind: "text", description: "Why the change is made." },
  target_file: { kind: "text", description: "The file to change." },
  operations: { kind: "list", fields: OPERATION_FIELDS, description: "Applied in order." },
  safety_checks: {
    kind: "object",
    fields: {
      backup_required: {
        kind: "flag",
        description: "Also keep the old content next to the file, as FILE.bak.",
      },
      must_exist: { kind: "flag", description: "The file must exist." },
    },
    description: "Conditions checked before anything is written.",
  },
} as const satisfies RequestFields;

export const PLAN_REQUEST = defineRequest({
  ...FILE_PLAN_FIELDS,
  plans: {
    kind: "list",
    fields: FILE_PLAN_FIELDS,
    description: "Instead of target_file: several files, each with the fields above, all or none.",
  },
  check_only: { kind: "flag", description: "Report every problem, and write nothing." },
  yes: flagField("Don't ask if more than half of a file changes.", { short: "y" }),
  allow_placeholders: PLACEHOLDERS_FIELD,
  eol: NEW_EOL_FIELD,
  dry_run: DRY_RUN_FIELD,
});
export type PlanRequest = RequestOf<typeof PLAN_REQUEST.fields>;

/** The fields of the command line besides the plan's own. With `schema` nothing is an argument. */
export const PLAN_COMMAND_FIELDS = {
  action: { kind: "text", choices: ["check", "apply", "show", "undo"], isArgument: true },
  plan: { kind: "text", isArgument: true },
  force: flagOption("undo even if a file changed since"),
  schema: flagOption("print the JSON schema of a plan"),
} as const satisfies RequestFields;
