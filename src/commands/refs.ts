/**
 * `refs`: the bound names (contract, The store and Answers).
 *
 * @module
 */

import { listNames, type Store } from "../../fd/mod.ts";
import type { RefList } from "../answers.ts";
import { boundReference } from "../bound_reference.ts";
import type { Command } from "../command.ts";
import { firstFew, listAllOption, MOST_LISTED } from "../first_few.ts";
import { openHostStore } from "../open_host_store.ts";
import type { RefsRequest } from "../requests/list_request.ts";

/** The names, in the order of their spelling; those whose fd is gone say so. */
export function refsAnswer(
  store: Store,
  { all = false }: RefsRequest,
): RefList {
  const names = listNames(store);
  const { shown, more } = firstFew(names, all ? Infinity : MOST_LISTED);
  return {
    type: "ref_list",
    ...(more === undefined ? {} : {
      total: names.length,
      message: `Showing the first ${shown.length} of ${names.length} names.`,
      next: { command: "refs" as const, args: { all: true } },
    }),
    refs: shown.map((bound) => boundReference(store, bound)),
  };
}

export const command: Command = {
  spec: {
    name: "refs",
    aliases: ["list_refs"],
    summary: "the bound names",
    usage: "[--all]",
    positionals: { least: 0, most: 0 },
    options: { ...listAllOption },
    example: "fdtool refs",
    exitCodes: [[0, "the names were printed"], [1, "refused or failed"], [2, "wrong call"]],
  },
  run: ({ options }, host) => {
    const request = { all: options["all"] as boolean | undefined };
    return { exitCode: 0, answer: refsAnswer(openHostStore(host), request) };
  },
};
