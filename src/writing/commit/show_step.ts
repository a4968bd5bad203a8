/** The call that shows a step of the journal whole. */

import type { NextCall } from "../../terms/next_call.ts";
import { formatTransaction } from "./journal.ts";

/** Returns the call that shows all files of transaction `id`. */
export function showWhole(id: number): NextCall {
  return { command: "log", args: { tx: formatTransaction(id), all: true } };
}
