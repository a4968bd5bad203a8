/**
 * `diff`: what changed between two fds, such as two runs of a command, as unified hunks with the line numbers of both.
 *
 * @module
 */

import {
  type Command,
  type CommandCall,
  type CommandSpec,
  optionsOf,
  type Outcome,
} from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { DEFAULT_CHARS, DEFAULT_CONTEXT, diffFds } from "../../reading/diff_fds.ts";
import type { DiffRequest } from "../../requests/diff_request.ts";

const OPTIONS = {
  context: {
    kind: "integer",
    short: "C",
    value: "N",
    aliases: ["unified"],
    help: `show N lines around each change (default ${DEFAULT_CONTEXT})`,
  },
  "ignore-times": {
    kind: "flag",
    short: "t",
    help: "ignore changes in dates, times of day, durations and epoch numbers",
  },
  "ignore-addresses": { kind: "flag", help: "ignore changes in memory addresses (0x7ffe…)" },
  "ignore-space": {
    kind: "flag",
    short: "b",
    aliases: ["ignore-space-change"],
    help: "ignore changes in amount of whitespace, and trailing whitespace",
  },
  "ignore-case": { kind: "flag", short: "i", help: "ignore changes in case" },
  "max-chars": {
    kind: "integer",
    value: "N",
    help:
      `show at most N chars (default ${DEFAULT_CHARS}); a longer diff becomes an fd. raw prints all of it`,
  },
} as const satisfies CommandSpec["options"];

const spec: CommandSpec = {
  name: "diff",
  aliases: ["diff_fds", "diff_fd"],
  summary: "compare two fds, with the line numbers of both",
  usage: "OLD_FD NEW_FD [options]",
  positionals: { least: 2, most: 2, names: ["old-fd", "new-fd"] },
  options: OPTIONS,
  example: "fdtool diff fd:12 fd:15 --ignore-times",
  exitCodes: [[0, "the fds are equal"], [1, "the fds differ, or refused or failed (see stderr)"], [
    2,
    "usage error",
  ]],
};

/** The parsed call as a request. */
function diffRequestOf(call: CommandCall): DiffRequest {
  const { positionals } = call;
  const options = optionsOf(OPTIONS, call);
  return {
    old_fd: positionals[0]!,
    new_fd: positionals[1]!,
    context: options["context"],
    ignore_times: options["ignore-times"],
    ignore_addresses: options["ignore-addresses"],
    ignore_space: options["ignore-space"],
    ignore_case: options["ignore-case"],
    max_chars: options["max-chars"],
  };
}

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const answer = await diffFds(openHostStore(host), diffRequestOf(call));
    return { exitCode: answer.identical ? 0 : 1, answer };
  },
};
