/**
 * `recover`: finishes or rolls back what a kill interrupted (SPEC section 6).
 *
 * @module
 */

import type { Command } from "../command.ts";
import { formatTransaction } from "../writing/journal.ts";
import { recoverTransactions } from "../writing/recover_transactions.ts";
import { writeContextOf } from "../writing/write_context.ts";

export const command: Command = {
  spec: {
    name: "recover",
    aliases: [],
    summary: "finish or roll back writes that a kill interrupted",
    usage: "",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool recover",
    exitCodes: [[0, "nothing is interrupted any more"], [1, "a step could not be ended"], [2, "wrong call"]],
  },
  async run(_call, host) {
    const context = writeContextOf(host);
    const recoveries = await recoverTransactions(context.store, context, Date.now());
    const recovered = recoveries.map(({ transaction, how, left }) => ({
      tx: formatTransaction(transaction.id),
      how,
      paths: transaction.begin.files.map((file) => file.path),
      left: [...left],
    }));
    const count = recovered.length === 1 ? "1 write" : `${recovered.length} writes`;
    const left = recovered.flatMap((each) => each.left);
    const but = left.length === 0
      ? ""
      : ` Somebody else changed ${left.join(", ")} meanwhile; that was left alone.`;
    const message = recovered.length === 0
      ? "Nothing was interrupted."
      : `Ended ${count} that a kill interrupted.${but}`;
    return { exitCode: 0, answer: { type: "recover_report", recovered, message } };
  },
};
