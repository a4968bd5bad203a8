/**
 * `log`: shows the journal of writes, newest last (contract, Writing files).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { DEFAULT_LOG_LIMIT, LOG_REQUEST } from "../calls/requests/history_requests.ts";
import { MAX_LISTED } from "../calls/requests/shared_fields.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";
import { logAnswer, newestStep, stepWithDiff } from "../writing/history/log_answer.ts";

export const command = defineOperation({
  ...LOG_REQUEST,
  usage: "[tx:N] [options]",
  example: "fdtool log --limit 5",
  noticesInterrupted: true,
  exitCodes: { 0: "the journal was printed", 1: "refused or failed" },
  async answer({ tx, limit, all }, host) {
    const context = writeContextOf(host);
    const shown = all === true ? Infinity : limit;
    const answer = tx === undefined
      ? logAnswer(context, shown ?? DEFAULT_LOG_LIMIT, Date.now())
      : await stepWithDiff(
        context,
        tx === "last" ? newestStep(context.store) : tx,
        shown ?? MAX_LISTED,
        Date.now(),
      );
    return { exitCode: 0, answer };
  },
});
