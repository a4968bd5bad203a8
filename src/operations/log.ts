/**
 * `log`: shows the journal of writes, newest last (contract, Writing files).
 */

import { optionsFrom, positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { DEFAULT_LOG_LIMIT, LOG_FIELDS } from "../requests/history_requests.ts";
import type { Command } from "../terms/command.ts";
import { MAX_LISTED } from "../requests/shared_fields.ts";
import { failUsage } from "../requests/usage_failure.ts";
import { logAnswer, stepAnswer } from "../writing/history/log_answer.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command: Command = {
  spec: {
    usage: "[tx:N] [options]",
    positionals: positionalsFrom(LOG_FIELDS),
    options: optionsFrom(LOG_FIELDS),
    example: "fdtool log --limit 5",
    noticesInterrupted: true,
    exitCodes: [[0, "the journal was printed"], [1, "refused or failed"], [
      2,
      "usage error",
    ]],
  },
  run(call, host) {
    const { tx, limit, all } = requestFrom(LOG_FIELDS, call);
    if (limit !== undefined && all === true) {
      const wanted = "choose one";
      failUsage({ kind: "conflict", command: "log", first: "--limit", second: "--all", wanted });
    }
    const context = writeContextOf(host);
    const shown = all === true ? Infinity : limit;
    const answer = tx === undefined
      ? logAnswer(context, shown ?? DEFAULT_LOG_LIMIT, Date.now())
      : stepAnswer(context, tx, shown ?? MAX_LISTED, Date.now());
    return { exitCode: 0, answer };
  },
};
