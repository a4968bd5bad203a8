/**
 * Has another process do what this one has to wait for: reading is synchronous, and requests are not.
 */

import { fail, FdError } from "../../fd/system.ts";
import { ownProgram } from "../background/own_program.ts";
import type { Host } from "../terms/command.ts";
import type { JobAnswer, SharedJob } from "./shared_job.ts";

/** Runs a job on the shared store at `url`. Throws the `FdError` that the job met. */
export function askChild(url: string, host: Host, job: SharedJob): JobAnswer & { failure?: undefined } {
  const own = ownProgram();
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const child = spawnSync(own.path, [...own.args, "shared-job", "--store", url], {
    cwd: host.cwd,
    env: { ...host.env },
    input: JSON.stringify(job),
    maxBuffer: 2 ** 30,
    stdio: ["pipe", "pipe", "ignore"],
  });
  if (child.status !== 0) {
    fail({ kind: "store_unreachable", store: url, action: job.kind, reason: "the process for it was ended" });
  }
  const answer: JobAnswer = JSON.parse(child.stdout.toString());
  if (answer.failure !== undefined) throw new FdError(answer.failure);
  return { ...answer, failure: undefined };
}
