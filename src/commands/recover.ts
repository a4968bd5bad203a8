/**
 * `recover`: finishes or rolls back the writes that a kill interrupted, and removes what they left (SPEC section 6).
 *
 * @module
 */

import type { Command } from "../command.ts";
import { recoverAnswer } from "../writing/recover_answer.ts";
import { writeContextOf } from "../writing/write_context.ts";

export const command: Command = {
  spec: {
    name: "recover",
    aliases: [],
    summary: "finish or roll back the writes that a kill interrupted",
    usage: "",
    positionals: { least: 0, most: 0 },
    options: {},
    example: "fdtool recover",
    exitCodes: [[0, "nothing is interrupted now"], [1, "refused or failed"], [2, "wrong call"]],
  },
  async run(_call, host) {
    return { exitCode: 0, answer: await recoverAnswer(writeContextOf(host), Date.now()) };
  },
};
