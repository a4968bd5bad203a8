/**
 * `cancel`: closes a question without an answer (contract, Inquiries).
 */

import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { CANCEL_REQUEST } from "../calls/requests/inquiry_requests.ts";
import { cancelInquiry } from "../writing/inquiries/inquiries.ts";

export const command = defineOperation({
  ...CANCEL_REQUEST,
  usage: "INQ",
  example: "fdtool cancel inq:4",
  exitCodes: { 0: "cancelled; nothing was written", 1: "unknown or closed question" },
  reportsChange: true,
  async answer({ inquiry_id }, host) {
    return { exitCode: 0, answer: await cancelInquiry(openHostStore(host), inquiry_id) };
  },
});
