/**
 * `log`: the journal of writes, newest last (contract, Writing files).
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { MOST_LISTED } from "../../requests/shared_fields.ts";
import { failUsage } from "../../requests/usage_failure.ts";
import { DEFAULT_LOG_LIMIT, logAnswer, stepAnswer } from "../../writing/history/log_answer.ts";
import { writeContextOf } from "../../writing/commit/write_context.ts";

const OPTIONS = {
  limit: {
    kind: "integer",
    value: "N",
    help:
      `show the newest N (default ${DEFAULT_LOG_LIMIT}); of one write, the first N paths (${MOST_LISTED})`,
  },
  all: { kind: "flag", short: "a", help: "show all" },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "log",
    aliases: ["write_log"],
    summary: "show the journal of writes, newest last",
    usage: "[tx:N] [options]",
    positionals: { least: 0, most: 1, names: ["tx"] },
    options: OPTIONS,
    example: "fdtool log --limit 5",
    exitCodes: [[0, "the journal was printed"], [1, "refused or failed"], [
      2,
      "usage error",
    ]],
  },
  run(call, host) {
    const [handle] = call.positionals;
    const options = optionsOf(OPTIONS, call);
    const limit = options["limit"];
    const all = options["all"] === true;
    if (limit !== undefined && limit < 1) {
      const wanted = "at least 1";
      failUsage({ kind: "bad_value", command: "log", option: "--limit", got: String(limit), wanted });
    }
    if (limit !== undefined && all) {
      const wanted = "choose one";
      failUsage({ kind: "conflict", command: "log", first: "--limit", second: "--all", wanted });
    }
    const context = writeContextOf(host);
    const shown = all ? Infinity : limit;
    const answer = handle === undefined
      ? logAnswer(context, shown ?? DEFAULT_LOG_LIMIT, Date.now())
      : stepAnswer(context, handle, shown ?? MOST_LISTED, Date.now());
    return { exitCode: 0, answer };
  },
};
