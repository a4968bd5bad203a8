/** The request that `to-file` answers (contract, Writing files). */

import { countField, defineRequest, flagField, NEEDED_TEXT, type RequestOf } from "./request_fields.ts";
import { ONE_WAY, RANGES, sharedFields } from "./shared_fields.ts";
import { DRY_RUN_FIELD, NEW_EOL_FIELD, PLACEHOLDERS_FIELD } from "./write_fields.ts";

/** How the file takes the content. */
const FILE_MODES = ["write", "append", "insert"] as const;

const { fdField, headField, rangeFields } = sharedFields();

export const TO_FILE_REQUEST = defineRequest({
  fd: fdField,
  ...rangeFields,
  head: { ...headField, option: { ...headField.option, help: "the first N lines" } },
  read_all: { kind: "flag", option: { name: "all", help: "use the whole content (default)" } },
  file_path: { ...NEEDED_TEXT, description: "the file" },
  mode: {
    kind: "text",
    choices: FILE_MODES,
    description: "write (default), append, or insert (before at_line)",
    option: {
      value: "MODE",
      help: "write (default): replace; append: add to the end; insert: add before --at-line",
    },
  },
  create: flagField("false: the file must exist", {
    help: "create a missing file (default; --no-create refuses)",
  }),
  exist_ok: flagField("false: the file must not exist", {
    help: "replace an existing file (default; --no-exist-ok refuses)",
  }),
  at_line: countField("with insert: the line", { help: "with --mode insert: insert before this line" }),
  glue: {
    kind: "flag",
    option: { help: "append right after a last line that has no line end, without adding one" },
  },
  eol: {
    ...NEW_EOL_FIELD,
    description: undefined,
    option: { value: "EOL", help: NEW_EOL_FIELD.description },
  },
  allow_placeholders: PLACEHOLDERS_FIELD,
  dry_run: DRY_RUN_FIELD,
}, [
  { field: "read_all", excludes: [...RANGES, "head"], wanted: ONE_WAY },
  { field: "head", excludes: [...RANGES], wanted: ONE_WAY },
]);

export type ToFileRequest = RequestOf<typeof TO_FILE_REQUEST.fields>;
