/**
 * `ls`: what the store holds, newest last.
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { DEFAULT_LIMIT, listOutcome } from "../../reading/list_fds.ts";
import { failUsage } from "../../requests/usage_failure.ts";

const OPTIONS = {
  limit: { kind: "integer", value: "N", help: `show the newest N (default ${DEFAULT_LIMIT})` },
  all: { kind: "flag", short: "a", help: "show all" },
  before: { kind: "text", value: "FD", help: "show those older than FD" },
  removed: { kind: "flag", help: "show removed fds instead, with when and why" },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "ls",
    aliases: ["list", "list_fds"],
    summary: "list the fds in the store, newest last",
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool ls --limit 20",
    exitCodes: [[0, "the list was printed"], [1, "refused or failed, or a record is unreadable"], [
      2,
      "usage error",
    ]],
  },
  run(call, host) {
    const options = optionsOf(OPTIONS, call);
    const limit = options["limit"];
    const all = options["all"];
    const removed = options["removed"];
    const before = options["before"];
    if (limit !== undefined && limit < 1) {
      failUsage({
        kind: "bad_value",
        command: "ls",
        option: "--limit",
        got: String(limit),
        wanted: "at least 1",
      });
    }
    if (limit !== undefined && all === true) {
      failUsage({
        kind: "conflict",
        command: "ls",
        first: "--limit",
        second: "--all",
        wanted: "choose one",
      });
    }
    return listOutcome(openHostStore(host), { limit, all, removed, before });
  },
};
