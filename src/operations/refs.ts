/**
 * `refs`: the bound names.
 */

import type { Command } from "../terms/command.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { optionsFrom, requestFrom } from "../arguments/field_options.ts";
import { listRefs } from "../reading/list_refs.ts";
import { REFS_FIELDS } from "../requests/list_request.ts";
import { failUsage } from "../requests/usage_failure.ts";

export const command: Command = {
  spec: {
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: optionsFrom(REFS_FIELDS),
    example: "fdtool refs",
    exitCodes: [[0, "the names were printed"], [1, "refused or failed"], [2, "usage error"]],
  },
  run: (call, host) => {
    const request = requestFrom(REFS_FIELDS, call);
    if (request.limit !== undefined && request.all === true) {
      const wanted = "choose one";
      failUsage({ kind: "conflict", command: "refs", first: "--limit", second: "--all", wanted });
    }
    return { exitCode: 0, answer: listRefs(openHostStore(host), request) };
  },
};
