/**
 * `recover`: finishes or rolls back interrupted writes, and removes their leftovers (contract, Writing files).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { recoverAnswer } from "../writing/history/recover_answer.ts";
import { writeContextOf } from "../writing/commit/write_context.ts";

export const command = defineOperation({
  usage: "",
  example: "fdtool recover",
  noticesInterrupted: false,
  exitCodes: { 0: "no interrupted writes remain", 1: "refused or failed, at least in part" },
  reportsChange: true,
  async answer(_, host) {
    const { answer, failures } = await recoverAnswer(writeContextOf(host), Date.now());
    return failures.length === 0 ? { exitCode: 0, answer } : { exitCode: 1, answer, failures };
  },
});
