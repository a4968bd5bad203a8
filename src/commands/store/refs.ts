/**
 * `refs`: the bound names.
 *
 * @module
 */

import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";
import { listAllOption } from "../../answering/first_few.ts";
import { openHostStore } from "../../answering/open_host_store.ts";
import { listRefs } from "../../reading/list_refs.ts";

const OPTIONS = { ...listAllOption } as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "refs",
    aliases: ["list_refs"],
    summary: "list names and the fds they are bound to",
    usage: "[--all]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool refs",
    exitCodes: [[0, "the names were printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  run: (call, host) => {
    const options = optionsOf(OPTIONS, call);
    const request = { all: options["all"] };
    return { exitCode: 0, answer: listRefs(openHostStore(host), request) };
  },
};
