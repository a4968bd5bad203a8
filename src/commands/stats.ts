/**
 * `stats`: what storing output saved its readers. What a shared store has and asks for is `store stats`.
 */

import { SHOWN_DAYS } from "../../fd/mod.ts";
import { openHostStore } from "../answers/parts/open_host_store.ts";
import { defineOperation } from "../calls/arguments/define_operation.ts";
import { savingsOutcome } from "../reading/count_savings.ts";

export const command = defineOperation({
  fields: {
    days: {
      kind: "integer",
      least: 1,
      most: SHOWN_DAYS,
      option: {
        value: "N",
        help: `the last N days, in UTC (default and maximum: ${SHOWN_DAYS})`,
      },
    },
  },
  usage: "[--days N]",
  example: "fdtool stats",
  notes: [
    "Saved = what the command printed minus what was shown of it to a program, at first and later. Files that were read, " +
    "answers to people, what programs did with an fd's path or file, and output too small to store don't count.",
  ],
  exitCodes: { 0: "the numbers were printed", 1: "refused or failed, or a record is unreadable" },
  answer: ({ days = SHOWN_DAYS }, host) => savingsOutcome(openHostStore(host), days),
});
