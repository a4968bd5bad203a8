/**
 * `search`: matching lines with numbers and context, how many there are, or all of them as an fd.
 *
 * @module
 */

import type { Command, CommandSpec, Outcome } from "../../terms/command.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { optionsFrom, positionalsFrom, requestFrom } from "../../arguments/field_options.ts";
import { searchFd } from "../../reading/search_fd.ts";
import { SEARCH_FIELDS } from "../../requests/search_request.ts";

const spec: CommandSpec = {
  name: "search",
  aliases: ["search_fd", "grep"],
  summary: "find matching lines, with line numbers and context",
  usage: "(FD | --all-fds) PATTERN [options]",
  // FD is not an argument with --all-fds, and PATTERN not with -e.
  positionals: { ...positionalsFrom(SEARCH_FIELDS), least: 0 },
  options: optionsFrom(SEARCH_FIELDS),
  example: "fdtool search fd:12 'error|warning' -C 2",
  exitCodes: [[0, "a line matched"], [1, "no line matched, refused, or failed"], [
    2,
    "usage error or invalid pattern",
  ]],
};

export const command: Command = {
  spec,
  async run(call, host): Promise<Outcome> {
    const { positionals, options } = call;
    const isOfAll = options["all-fds"] === true && positionals.length < 2;
    const placed = isOfAll ? { ...call, positionals: [undefined, ...positionals] } : call;
    const answer = await searchFd(openHostStore(host), requestFrom(spec.name, SEARCH_FIELDS, placed));
    return { exitCode: answer.type === "fd_matches" && answer.total === 0 ? 1 : 0, answer };
  },
};
