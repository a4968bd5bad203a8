/**
 * `supervise`: the process that accompanies a background command. Only `run --background` starts it.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { BackgroundJob } from "../capturing/background/background_job.ts";
import { superviseCommand } from "../capturing/background/supervise_command.ts";
import { utf8Bytes } from "../../fd/system.ts";
import { readStdinJob } from "../calls/streams/read_stdin_job.ts";
import { STDOUT, writeChunks } from "../calls/streams/standard_streams.ts";

export const command = defineOperation({
  usage: "< JOB",
  example: "fdtool run --background -- make -j4",
  failsOpen: true,
  exitCodes: { 0: "the command has ended, and its fd records how", 2: "stdin is not a job" },
  async answer(_, host) {
    await superviseCommand(readStdinJob(BackgroundJob), host, (start) => {
      writeChunks(STDOUT, [utf8Bytes(`${JSON.stringify(start)}\n`)]);
    });
    return { exitCode: 0 };
  },
});
