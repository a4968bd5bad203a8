/**
 * `log`: the journal of writes, newest last (SPEC section 6).
 *
 * @module
 */

import { formatFd } from "../../fd/mod.ts";
import type { Command } from "../command.ts";
import { nextCommand } from "../next_command.ts";
import { openHostStore } from "../open_host_store.ts";
import { formatTransaction, newestTransactions, type Transaction } from "../writing/journal.ts";
import { openTransactions } from "../writing/recover_transactions.ts";

const DEFAULT_LIMIT = 20;

export const command: Command = {
  spec: {
    name: "log",
    aliases: ["write_log"],
    summary: "the journal of writes, newest last",
    usage: "[options]",
    positionals: { least: 0, most: 0 },
    options: {
      limit: {
        kind: "integer",
        short: "n",
        value: "N",
        help: `the newest N steps (default ${DEFAULT_LIMIT}; 0: all)`,
      },
    },
    example: "fdtool log",
    exitCodes: [[0, "listed"], [1, "failed"], [2, "wrong call"]],
  },
  run({ options }, host) {
    const store = openHostStore(host);
    const limit = options["limit"] as number | undefined ?? DEFAULT_LIMIT;
    const transactions = [...newestTransactions(store)];
    const undone = new Set<number>();
    for (const { id, begin, outcome } of transactions) {
      if (begin.undoes !== undefined && outcome?.kind === "done" && !undone.has(id)) undone.add(begin.undoes);
    }
    const open = new Map(
      openTransactions(store, Date.now()).map((each) => [each.transaction.id, each.interrupted]),
    );
    const shown = limit <= 0 ? transactions : transactions.slice(0, limit);
    const more = transactions.length - shown.length;
    const steps = shown.reverse().map((transaction) => ({
      tx: formatTransaction(transaction.id),
      at: new Date(transaction.begin.at).toISOString(),
      tool: transaction.begin.tool,
      intent: transaction.begin.intent,
      state: stateOf(transaction, undone, open),
      paths: transaction.begin.files.map((file) => file.path),
      backups: transaction.begin.files.flatMap((file) =>
        typeof file.backup === "number" ? [formatFd(file.backup)] : []
      ),
      undoes: transaction.begin.undoes === undefined
        ? undefined
        : formatTransaction(transaction.begin.undoes),
    }));
    const total = transactions.length;
    const older = more === 0 ? undefined : `${more} older ${more === 1 ? "step is" : "steps are"} not shown.`;
    const next = more === 0 ? undefined : nextCommand(["log", "--limit", "0"], host.storeOption);
    return { exitCode: 0, answer: { type: "write_log", total, message: older, next, steps } };
  },
};

function stateOf(
  { id, outcome }: Transaction,
  undone: ReadonlySet<number>,
  open: ReadonlyMap<number, boolean>,
): "done" | "recovered" | "undone" | "rolled back" | "interrupted" | "running" {
  if (outcome?.kind === "rolled_back") return "rolled back";
  if (outcome === undefined) return open.get(id) === false ? "running" : "interrupted";
  if (undone.has(id)) return "undone";
  return outcome.recovered ? "recovered" : "done";
}
