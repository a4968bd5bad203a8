/** `version`: the same as `--version`. */

import { textAnswer } from "../answering/text_answer.ts";
import type { Command } from "../terms/command.ts";

export const command: Command = {
  spec: {
    usage: "",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool version",
    failsOpen: true,
    needsNoStore: true,
    exitCodes: [[0, "the version was printed"], [2, "usage error"]],
  },
  run: (_call, { version }) => ({ exitCode: 0, answer: textAnswer(`fdtool ${version}\n`) }),
};
