/**
 * `to-file`: an fd, or a slice of it, into a user's file.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { TO_FILE_REQUEST } from "../calls/requests/to_file_request.ts";

export const command = defineOperation({
  ...TO_FILE_REQUEST,
  usage: "FD PATH [options]",
  example: "fdtool to-file fd:12 out/build.log --lines 100-150",
  exitCodes: { 0: "the file was written", 1: "refused or failed; the file is unchanged" },
  reportsChange: true,
  async answer(request, host) {
    const { toFile } = await import("../reading/to_file.ts");
    return { exitCode: 0, answer: await toFile(request, host) };
  },
});
