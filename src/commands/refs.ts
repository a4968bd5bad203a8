/**
 * `refs`: the bound names (SPEC sections 3 and 5).
 *
 * @module
 */

import { type BoundName, FdError, findFd, formatFd, listNames, type Store } from "../../fd/mod.ts";
import type { RefList } from "../answers.ts";
import type { Command } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";

/** All names, in the order of their spelling; those whose fd is gone say so. */
export function refsAnswer(store: Store): RefList {
  return { type: "ref_list", refs: listNames(store).map((bound) => refOf(store, bound)) };
}

function refOf(store: Store, { name, id, boundMs }: BoundName): RefList["refs"][number] {
  const ref = { id: `ref:${name}`, fd: formatFd(id), created: new Date(boundMs).toISOString() };
  try {
    const entry = findFd(store, formatFd(id));
    return { ...ref, lines: entry.lineCount, chars: entry.charCount };
  } catch (thrown) {
    if (!(thrown instanceof FdError)) throw thrown;
    return { ...ref, lines: 0, chars: 0, state: thrown.failure.kind === "removed" ? "removed" : "lost" };
  }
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
