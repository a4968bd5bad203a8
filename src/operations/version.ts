/** `version`: the same as `--version`. */

import { defineOperation } from "../arguments/define_operation.ts";
import { textAnswer } from "../answering/text_answer.ts";

export const command = defineOperation({
  usage: "",
  example: "fdtool version",
  failsOpen: true,
  needsNoStore: true,
  exitCodes: [[0, "the version was printed"], [2, "usage error"]],
  run: (_call, { version }) => ({ exitCode: 0, answer: textAnswer(`fdtool ${version}\n`) }),
});
