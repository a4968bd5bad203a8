/**
 * `evaluate`: the process that evaluates a filter for `query`.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { findFd, prepareContent, prepareFd } from "../../fd/mod.ts";
import { failureIn } from "../../fd/system.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { endWithCaller, evaluateQuery } from "../reading/querying/evaluate_query.ts";
import { type QueryAnswer, QueryJob, type QueryStart } from "../reading/querying/query_job.ts";
import { readStdinJob } from "../calls/streams/read_stdin_job.ts";
import { STDOUT, writeChunks } from "../calls/streams/standard_streams.ts";

export const command = defineOperation({
  usage: "< JOB",
  example: "fdtool query fd:14 '.items[].name'",
  exitCodes: { 0: "stdout has the result", 2: "stdin is not a job" },
  async answer(_, host) {
    const job = readStdinJob(QueryJob);
    endWithCaller();
    let answer: QueryAnswer;
    try {
      const store = openHostStore(host);
      await prepareFd(store, job.fd);
      await prepareContent(store, findFd(store, job.fd));
      answer = { result: await evaluateQuery(store, job, (storing) => say({ storing })) };
    } catch (thrown) {
      answer = { failure: failureIn(thrown) };
    }
    say(answer);
    return { exitCode: 0 };
  },
});

function say(line: QueryStart | QueryAnswer): void {
  writeChunks(STDOUT, [new TextEncoder().encode(`${JSON.stringify(line)}\n`)]);
}
