/**
 * Closes a question without an answer (SPEC section 7).
 *
 * @module
 */

import type { Store } from "../../fd/mod.ts";
import type { WriteResult } from "../answers.ts";
import { closeInquiry, findOpenInquiry, formatInquiry } from "./inquiries.ts";

/**
 * Cancels the open question that `handle` names. `why`, where the caller did not ask for it: what happened.
 *
 * @throws {WriteError} `not_found`, `closed`.
 */
export function cancelInquiry(store: Store, handle: string, why?: string): WriteResult {
  const { id } = findOpenInquiry(store, handle, "cancel");
  closeInquiry(store, id, "cancelled", undefined);
  const cancelled = `Cancelled ${formatInquiry(id)}: nothing was written.`;
  return { type: "write_result", message: why === undefined ? cancelled : `${why}. ${cancelled}` };
}
