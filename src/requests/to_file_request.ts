/**
 * The request that `to-file` answers, as a schema (contract, Writing to files).
 *
 * @module
 */

import * as v from "valibot";
import { FdArgument, SliceModeArgument } from "./read_request.ts";

/** How the file takes the content. */
export const FILE_MODES = ["write", "append", "insert"] as const;

const wholeNumber = v.pipe(v.number(), v.safeInteger());

export const ToFileRequest = v.strictObject({
  fd: FdArgument,
  file_path: v.pipe(v.string(), v.minLength(1), v.description("The file to write to.")),
  mode: v.optional(
    v.pipe(
      v.picklist(FILE_MODES),
      v.description(
        "write (default) replaces the file, append adds to its end, insert puts lines before at_line.",
      ),
    ),
  ),
  create: v.optional(
    v.pipe(
      v.boolean(),
      v.description("Create a missing file (default true). false: the file must exist."),
    ),
  ),
  exist_ok: v.optional(
    v.pipe(
      v.boolean(),
      v.description("Replace an existing file (default true). false: the file must not exist."),
    ),
  ),
  at_line: v.optional(
    v.pipe(
      wholeNumber,
      v.minValue(1),
      v.description("With mode insert: insert before this line."),
    ),
  ),
  slice: v.optional(
    v.pipe(
      v.strictObject({
        mode: SliceModeArgument,
        start: wholeNumber,
        count: v.pipe(wholeNumber, v.minValue(1)),
      }),
      v.description("Use only this part of the fd."),
    ),
  ),
  dry_run: v.optional(v.pipe(v.boolean(), v.description("Show the unified diff and write nothing."))),
});

export type ToFileRequest = v.InferOutput<typeof ToFileRequest>;
