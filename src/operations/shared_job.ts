/**
 * `shared-job`: does one thing on a shared store for a process that waits for it.
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { utf8Bytes, utf8Text } from "../../fd/system.ts";
import { doSharedJob } from "../sharing/do_shared_job.ts";
import { readStdinBytes } from "../streams/read_stdin_bytes.ts";
import { STDOUT, writeChunks } from "../streams/standard_streams.ts";

export const command = defineOperation({
  usage: "< JOB",
  example: "fdtool read fd:12",
  exitCodes: { 0: "stdout has the result", 2: "stdin is not a job" },
  async answer(_, host) {
    const answer = await doSharedJob(JSON.parse(utf8Text(readStdinBytes())), host);
    writeChunks(STDOUT, [utf8Bytes(JSON.stringify(answer))]);
    return { exitCode: 0 };
  },
});
