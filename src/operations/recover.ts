/**
 * `recover`: finishes or rolls back interrupted writes, and removes their leftovers (contract, Writing files).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { recoverAnswer } from "../writing/history/recover_answer.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  usage: "",
  example: "fdtool recover",
  noticesInterrupted: false,
  exitCodes: [[0, "no interrupted writes remain"], [1, "refused or failed, at least in part"], [
    2,
    "usage error",
  ], UNREPORTED_EXIT],
  async run(_call, host) {
    const { answer, failures } = await recoverAnswer(writeContextOf(host), Date.now());
    return failures.length === 0 ? { exitCode: 0, answer } : { exitCode: 1, answer, failures };
  },
});
