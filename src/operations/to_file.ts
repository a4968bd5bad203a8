/**
 * `to-file`: an fd, or a slice of it, into a user's file.
 */

import type { Command, CommandCall, CommandSpec } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { commandLineFrom, requestFrom } from "../arguments/field_options.ts";
import { toFile } from "../reading/to_file.ts";
import { READ_FIELDS } from "../requests/read_request.ts";
import { TO_FILE_FIELDS, type ToFileRequest } from "../requests/to_file_request.ts";
import { rangeOptions, selectSlice, type SliceFields } from "../arguments/slice_options.ts";

/** The option that selects the whole content, which is the default. */
const WHOLE_FIELD = { read_all: READ_FIELDS.read_all };

const spec: CommandSpec = {
  usage: "FD PATH [options]",
  ...commandLineFrom(TO_FILE_FIELDS, commandLineFrom(WHOLE_FIELD, rangeOptions()).options),
  example: "fdtool to-file fd:12 out/build.log --lines 100-150",
  exitCodes: [[0, "the file was written"], [1, "refused or failed; the file is unchanged"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
};

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

export const command: Command = {
  spec,
  async run(call, host) {
    return { exitCode: 0, answer: await toFile(toFileRequestOf(call), host) };
  },
};
