/**
 * Has another process evaluate a filter, for a limited time.
 */

import { spawn } from "node:child_process";
import * as v from "valibot";
import { fail, systemCode } from "../../fd/system.ts";
import { ownProgram } from "../background/own_program.ts";
import type { Host } from "../terms/command.ts";
import { QueryAnswer, type QueryJob, type QueryResult, QueryStart } from "./query_job.ts";

/** The result, or that the time was over. */
export type QueryEnd =
  | { kind: "result"; result: QueryResult }
  | { kind: "timed_out"; storing: string | undefined };

/**
 * Evaluates `job` in another process, which is killed after `limitMs`, or when the call is cancelled.
 *
 * @throws {FdError} the other process's failure, or `read_error` if it cannot be started.
 */
export async function queryInProcess(job: QueryJob, limitMs: number, host: Host): Promise<QueryEnd> {
  const own = ownProgram();
  const store = host.storeOption === undefined ? [] : ["--store", host.storeOption];
  const child = spawn(own.path, [...own.args, "evaluate", ...store], {
    cwd: host.cwd,
    env: { ...host.env },
    // The last one is for `endWithCaller`.
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitMs);
  const cancel = () => child.kill("SIGKILL");
  host.signal?.addEventListener("abort", cancel);
  // A child that fails early does not read its job; its answer says why.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(job));
  const started = new Promise<void>((resolve, reject) => {
    child.once("close", () => resolve());
    child.once("error", reject);
  });
  try {
    const [text, report] = await Promise.all([textOf(child.stdout), textOf(child.stderr), started]);
    host.signal?.throwIfAborted();
    const lines = text.trimEnd().split("\n");
    if (isLate) {
      const storing = lines[0] === "" ? undefined : v.parse(QueryStart, JSON.parse(lines[0]!)).storing;
      return { kind: "timed_out", storing };
    }
    if (text === "") throw new Error(`the process that evaluates filters failed: ${report}`);
    const answer = v.parse(QueryAnswer, JSON.parse(lines.at(-1)!));
    return "failure" in answer ? fail(answer.failure) : { kind: "result", result: answer.result };
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === undefined) throw thrown;
    return fail({ kind: "read_error", path: own.path, action: "start", code });
  } finally {
    clearTimeout(timer);
    host.signal?.removeEventListener("abort", cancel);
  }
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  stream.setEncoding("utf8");
  let text = "";
  for await (const piece of stream) text += piece;
  return text;
}
