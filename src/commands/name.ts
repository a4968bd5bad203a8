/**
 * `name`: binds a name to an fd (contract, The store: the last binding wins, the old one is reported).
 */

import { sharedFields } from "../calls/requests/shared_fields.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { bindForAll, findFd, formatFd } from "../../fd/mod.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";

export const command = defineOperation({
  fields: { fd: sharedFields().fdField, name: { kind: "text", isRequired: true, isArgument: true } },
  usage: "FD NAME",
  example: "fdtool name fd:12 build-log",
  exitCodes: { 0: "the name is bound", 1: "refused or failed" },
  reportsChange: true,
  async answer({ fd: named, name: written }, host) {
    const store = openHostStore(host);
    const entry = findFd(store, named);
    const name = written.replace(/^ref:/, "");
    const before = await bindForAll(store, name, entry.id);
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
});
