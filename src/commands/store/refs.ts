/**
 * `refs`: the bound names.
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { listAllOption, MOST_LISTED } from "../../answering/first_few.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { listRefs } from "../../reading/list_refs.ts";
import { failUsage } from "../../requests/usage_failure.ts";

const OPTIONS = {
  ...listAllOption,
  limit: { kind: "integer", value: "N", help: `list at most N (default ${MOST_LISTED})` },
  after: { kind: "text", value: "NAME", help: "list those that follow NAME" },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "refs",
    aliases: ["list_refs"],
    summary: "list names and the fds they are bound to",
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool refs",
    exitCodes: [[0, "the names were printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  run: (call, host) => {
    const options = optionsOf(OPTIONS, call);
    const { limit, all, after } = options;
    if (limit !== undefined && limit < 1) {
      const wanted = "at least 1";
      failUsage({ kind: "bad_value", command: "refs", option: "--limit", got: String(limit), wanted });
    }
    if (limit !== undefined && all === true) {
      const wanted = "choose one";
      failUsage({ kind: "conflict", command: "refs", first: "--limit", second: "--all", wanted });
    }
    return { exitCode: 0, answer: listRefs(openHostStore(host), { limit, all, after }) };
  },
};
