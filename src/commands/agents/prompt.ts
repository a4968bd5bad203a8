/**
 * `prompt`: instructions for a system prompt (contract, Agents).
 *
 * @module
 */

import { chosenParts } from "../../agents/choose_tools.ts";
import { instructionsOf } from "../../agents/instructions.ts";
import { textAnswer } from "../../answering/text_answer.ts";
import type { Command } from "../../terms/command.ts";

export const command: Command = {
  spec: {
    name: "prompt",
    aliases: ["instructions"],
    summary: "instructions for a system prompt",
    usage: "[--only PART,…]",
    positionals: { least: 0, most: 0 },
    options: {
      only: {
        kind: "text",
        value: "PART,…",
        many: true,
        help: "only these parts: fds, refs, inquiries, writing",
      },
    },
    example: "fdtool prompt --only fds,writing",
    exitCodes: [[0, "the instructions were printed"], [2, "wrong call"]],
  },
  run({ options }) {
    const parts = chosenParts(options["only"] as readonly string[] | undefined, "prompt");
    return { exitCode: 0, answer: textAnswer(instructionsOf(parts)) };
  },
};
