/**
 * `to-file`: an fd, or a slice of it, into a user's file.
 */

import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { defineOperation } from "../arguments/define_operation.ts";
import { commandLineFrom, requestFrom } from "../arguments/field_options.ts";
import { rangeOptions, selectSlice, type SliceFields } from "../arguments/slice_options.ts";
import { READ_FIELDS } from "../requests/read_request.ts";
import { TO_FILE_FIELDS, type ToFileRequest } from "../requests/to_file_request.ts";
import type { CommandCall } from "../terms/command.ts";

/** The option that selects the whole content, which is the default. */
const WHOLE_FIELD = { read_all: READ_FIELDS.read_all };

function toFileRequestOf(call: CommandCall): ToFileRequest {
  const { mode, start = 1, count = 1 } = selectSlice<SliceFields>(
    call.command,
    call,
    requestFrom(WHOLE_FIELD, call),
  );
  return {
    ...requestFrom(TO_FILE_FIELDS, call),
    slice: mode === undefined ? undefined : { mode, start, count },
  };
}

export const command = defineOperation({
  fields: TO_FILE_FIELDS,
  leadingOptions: commandLineFrom(WHOLE_FIELD, rangeOptions()).options,
  usage: "FD PATH [options]",
  example: "fdtool to-file fd:12 out/build.log --lines 100-150",
  exitCodes: [[0, "the file was written"], [1, "refused or failed; the file is unchanged"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
  requestOf: toFileRequestOf,
  async answer(request, host) {
    const { toFile } = await import("../reading/to_file.ts");
    return { exitCode: 0, answer: await toFile(request, host) };
  },
});
