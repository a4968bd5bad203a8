/**
 * `cancel`: closes a question without an answer (contract, Inquiries).
 */

import { optionsFrom, positionalsFrom, requestFrom } from "../arguments/field_options.ts";
import { CANCEL_FIELDS } from "../requests/inquiry_requests.ts";
import type { Command } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";
import { openHostStore } from "../answering/open_host_store.ts";
import { cancelInquiry } from "../writing/inquiries/cancel_inquiry.ts";

export const command: Command = {
  spec: {
    usage: "INQ",
    positionals: positionalsFrom(CANCEL_FIELDS),
    options: optionsFrom(CANCEL_FIELDS),
    example: "fdtool cancel inq:4",
    exitCodes: [[0, "cancelled; nothing was written"], [1, "unknown or closed question"], [
      2,
      "usage error",
    ], UNREPORTED_EXIT],
  },
  async run(call, host) {
    const { inquiry_id } = requestFrom(CANCEL_FIELDS, call);
    return { exitCode: 0, answer: await cancelInquiry(openHostStore(host), inquiry_id) };
  },
};
