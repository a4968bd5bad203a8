/**
 * `supervise`: the process that accompanies a background command. Only `run --background` starts it.
 *
 * @module
 */

import * as v from "valibot";
import { BackgroundJob } from "../../background/background_job.ts";
import { superviseCommand } from "../../background/supervise_command.ts";
import type { Command } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { readStdinText } from "../../streams/read_stdin_text.ts";
import { STDOUT, writeChunks } from "../../streams/standard_streams.ts";
import { failUsage } from "../../requests/usage_failure.ts";

export const command: Command = {
  spec: {
    name: "supervise",
    aliases: [],
    summary: "stay behind a background command (started by run --background)",
    usage: "< JOB",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool run --background -- make -j4",
    exitCodes: [[0, "the command has ended, and its fd records how"], [2, "stdin is not a job"]],
  },
  async run(_call, host) {
    const job = readJob();
    await superviseCommand(job, {
      env: host.env,
      openStore: () => openHostStore(host),
      report: (start) => void writeChunks(STDOUT, [new TextEncoder().encode(`${JSON.stringify(start)}\n`)]),
    });
    return { exitCode: 0 };
  },
};

function readJob(): BackgroundJob {
  const what = "the job";
  const text = readStdinText(what);
  try {
    return v.parse(BackgroundJob, JSON.parse(text));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError) && !(thrown instanceof v.ValiError)) throw thrown;
    return failUsage({ kind: "bad_json", what, reason: thrown.message });
  }
}
