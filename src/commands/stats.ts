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
        help: `of today and the days before, in UTC (default ${SHOWN_DAYS}, which are kept)`,
      },
    },
  },
  usage: "[--days N]",
  example: "fdtool stats",
  notes: [
    "Of each output that was stored and shown to a program: the chars that were printed, less those of the first answer " +
    "and of all later answers from it. Files that were read, answers to people, and what programs did with an fd's " +
    "path or file are not counted, nor is output that was too small to be stored.",
  ],
  exitCodes: { 0: "the numbers were printed", 1: "refused or failed, or a record is unreadable" },
  answer: ({ days = SHOWN_DAYS }, host) => savingsOutcome(openHostStore(host), days),
});
