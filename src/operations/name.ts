/**
 * `name`: binds a name to an fd (contract, The store: the last binding wins, the old one is reported).
 */

import { bindName, findFd, formatFd } from "../../fd/mod.ts";
import type { Command } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { openHostStore } from "../answering/open_host_store.ts";

export const command: Command = {
  spec: {
    usage: "FD NAME",
    positionals: { least: 2, most: 2, names: ["fd", "name"] },
    options: {},
    example: "fdtool name fd:12 build-log",
    exitCodes: [[0, "the name is bound"], [1, "refused or failed"], [2, "usage error"], UNREPORTED_EXIT],
  },
  run({ positionals }, host) {
    const store = openHostStore(host);
    const entry = findFd(store, positionals[0]!);
    const name = positionals[1]!.replace(/^ref:/, "");
    const before = bindName(store, name, entry.id);
    const fd = formatFd(entry.id);
    const was = before === undefined || before === entry.id ? undefined : formatFd(before);
    return {
      exitCode: 0,
      answer: {
        type: "ref_bound",
        facts: { id: `ref:${name}`, fd, previous_fd: was },
        message: `ref:${name} is ${fd}${was === undefined ? "" : `; before, it was ${was}`}.`,
        next: { command: "read", args: { fd: `ref:${name}` } },
      },
    };
  },
};
