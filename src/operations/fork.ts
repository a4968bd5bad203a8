/**
 * `fork`: runs a command with a store of its own that starts with all fds, under the same ids (contract, Agents).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { forkStore, loadShared } from "../../fd/mod.ts";
import { type CommandSpec, optionsOf } from "../terms/command.ts";
import { forkExitCodes, keepOption, runInStore } from "../sharing/run_in_store.ts";
import { failUsage } from "../requests/usage_failure.ts";

const OPTIONS = { ...keepOption } as const satisfies CommandSpec["options"];

export const command = defineOperation({
  usage: "[--keep DIR] -- CMD [ARG...]",
  takesRest: true,
  options: OPTIONS,
  example: "fdtool fork -- sh -c 'fdtool rm fd:1; fdtool ls'",
  failsOpen: true,
  exitCodes: forkExitCodes,
  async run(call, host) {
    const { rest } = call;
    const { keep: keepIn } = optionsOf(OPTIONS, call);
    if (rest.length === 0 && keepIn === undefined) {
      failUsage({ kind: "missing_argument", command: "fork", argument: "CMD" });
    }
    return await runInStore({
      words: rest,
      keepIn,
      async makeStore(from, path) {
        if (from.shared === undefined) {
          const report = forkStore(from, path);
          return { report, lastGivenId: report.highestId };
        }
        const { chooseCached } = await (await loadShared()).loadForking();
        const cached = await chooseCached(from, from.shared);
        const report = forkStore(from, path, cached);
        return { report, lastGivenId: report.highestId, cached };
      },
    }, host);
  },
});
