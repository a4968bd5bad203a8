/**
 * `fork`: runs a command with a store of its own that starts with all fds, under the same ids (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { fdsToFork, forkStore } from "../../fd/mod.ts";
import { forkExitCodes, KEEP_FIELD, runInStore } from "../sharing/run_in_store.ts";

export const command = defineOperation({
  fields: { keep: KEEP_FIELD },
  usage: "[--keep DIR] -- CMD [ARG...]",
  takesRest: true,
  example: "fdtool fork -- sh -c 'fdtool rm fd:1; fdtool ls'",
  failsOpen: true,
  exitCodes: forkExitCodes,
  async run({ keep: keepIn }, host, { command, rest: words }) {
    return await runInStore({
      command,
      words,
      keepIn,
      async makeStore(from, path) {
        const cached = await fdsToFork(from);
        const report = forkStore(from, path, cached);
        return { report, lastGivenId: report.highestId, cached };
      },
    }, host);
  },
});
