/** `version`: the same as `--version`. */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";

export const command = defineOperation({
  usage: "",
  example: "fdtool version",
  failsOpen: true,
  needsNoStore: true,
  exitCodes: { 0: "the version was printed" },
  answer: (_, { version }) => Promise.resolve({ exitCode: 0, answer: textAnswer(`fdtool ${version}\n`) }),
});
