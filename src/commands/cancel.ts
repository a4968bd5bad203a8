/**
 * `cancel`: closes a question without an answer (SPEC section 7).
 *
 * @module
 */

import type { Command } from "../command.ts";
import { openHostStore } from "../open_host_store.ts";
import { closeInquiry, findOpenInquiry, formatInquiry } from "../writing/inquiries.ts";

export const command: Command = {
  spec: {
    name: "cancel",
    aliases: ["cancel_inquiry"],
    summary: "close a question without an answer",
    usage: "INQ",
    positionals: { least: 1, most: 1, names: ["inquiry-id"] },
    options: {},
    example: "fdtool cancel inq:4",
    exitCodes: [[0, "cancelled; nothing was written"], [1, "there is no such question, or it is closed"], [
      2,
      "wrong call",
    ]],
  },
  run({ positionals }, host) {
    const store = openHostStore(host);
    const { id } = findOpenInquiry(store, positionals[0]!);
    closeInquiry(store, id, "cancelled", undefined);
    const message = `Cancelled ${formatInquiry(id)}: nothing was written.`;
    return { exitCode: 0, answer: { type: "write_result", message } };
  },
};
