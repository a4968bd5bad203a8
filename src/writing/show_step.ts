/** The command that shows a step of the journal whole. @module */

import { nextCommand } from "../next_command.ts";
import { formatTransaction } from "./journal.ts";

/** The command that shows all files of transaction `id`. */
export function showWhole(id: number, storeOption: string | undefined): string {
  return nextCommand(["log", formatTransaction(id), "--all"], storeOption);
}
