/**
 * Closes a question without an answer (contract, Inquiries).
 */

import type { Store } from "../../../fd/mod.ts";
import type { WriteResult } from "../../terms/answers.ts";
import { closeInquiry, formatInquiry, withOpenInquiry } from "./inquiries.ts";

/**
 * Cancels the open question `handle`, once no other call is answering it. `why` is the reason if the caller did not
 * ask for it.
 *
 * @throws {WriteError} `not_found`, `closed`.
 */
export async function cancelInquiry(store: Store, handle: string, why?: string): Promise<WriteResult> {
  return await withOpenInquiry(store, handle, "cancel", ({ id }) => {
    closeInquiry(store, id, "cancelled", undefined);
    const cancelled = `Cancelled ${formatInquiry(id)}: nothing was written.`;
    return { type: "write_result", message: why === undefined ? cancelled : `${why}. ${cancelled}` };
  });
}
