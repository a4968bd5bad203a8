/**
 * `refs`: the bound names (SPEC sections 3 and 5).
 *
 * @module
 */

import { listNames, type Store } from "../../fd/mod.ts";
import type { RefList } from "../answers.ts";
import { boundReference } from "../bound_reference.ts";
import type { Command } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";

/** All names, in the order of their spelling; those whose fd is gone say so. */
export function refsAnswer(store: Store): RefList {
  return { type: "ref_list", refs: listNames(store).map((bound) => boundReference(store, bound)) };
}

export const command: Command = {
  spec: {
    name: "refs",
    aliases: ["list_refs"],
    summary: "the bound names",
    usage: "",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool refs",
    exitCodes: [[0, "the names were printed"], [1, "refused or failed"], [2, "wrong call"]],
  },
  run: (_, host) => ({ exitCode: 0, answer: refsAnswer(openHostStore(host)) }),
};
