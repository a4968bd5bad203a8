/**
 * The requests that `undo` and `log` answer (contract, Writing files and Agents).
 */

import { defineRequest, flagField, type RequestOf } from "./request_fields.ts";
import { limitRule, MAX_LISTED } from "./shared_fields.ts";
import { DRY_RUN_FIELD } from "./write_fields.ts";

export const UNDO_REQUEST = defineRequest({
  tx: {
    kind: "text",
    description: "the write (default: the newest in effect at or below the working directory)",
  },
  path: { kind: "text", description: "instead: the newest write to this file" },
  force: flagField("even if the file changed since", {
    help: "undo even if the file changed since; its current content is backed up",
  }),
  dry_run: DRY_RUN_FIELD,
});
export type UndoRequest = RequestOf<typeof UNDO_REQUEST.fields>;

/** The number of steps shown by default. */
export const DEFAULT_LOG_LIMIT = 20;

export const LOG_REQUEST = defineRequest({
  tx: { kind: "text", isArgument: true },
  limit: {
    kind: "integer",
    least: 1,
    option: {
      value: "N",
      help:
        `show the newest N (default ${DEFAULT_LOG_LIMIT}); of one write, the first N paths (${MAX_LISTED})`,
    },
  },
  all: { kind: "flag", option: { short: "a", help: "show all" } },
}, [limitRule()]);
export type LogRequest = RequestOf<typeof LOG_REQUEST.fields>;
