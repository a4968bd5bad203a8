/** A write whose end the journal could not take note of. @module */

import { formatTransaction } from "./journal.ts";
import type { Committed } from "./commit_changes.ts";

/** What there is to say of a step that was done and could not be noted as such. */
export function unsaidNote({ transactionId, unsaid }: Committed): string[] {
  if (unsaid === undefined) return [];
  const code = "code" in unsaid ? ` (${unsaid.code})` : "";
  const tx = formatTransaction(transactionId);
  return [`This is done, but the journal could not take note of it${code}: fdtool recover ends ${tx}.`];
}
