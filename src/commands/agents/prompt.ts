/**
 * `prompt`: instructions for a system prompt (contract, Agents).
 *
 * @module
 */

import { chosenParts } from "../../agents/choose_tools.ts";
import { instructionsOf } from "../../agents/instructions.ts";
import { textAnswer } from "../../answering/text_answer.ts";
import { type Command, type CommandSpec, optionsOf } from "../../terms/command.ts";

const OPTIONS = {
  only: {
    kind: "text",
    value: "PART,…",
    many: true,
    help: "only these groups: fds, refs, inquiries, writing",
  },
} as const satisfies CommandSpec["options"];

export const command: Command = {
  spec: {
    name: "prompt",
    aliases: ["instructions"],
    summary: "print instructions for a system prompt",
    usage: "[--only PART,…]",
    positionals: { least: 0, most: 0 },
    options: OPTIONS,
    example: "fdtool prompt --only fds,writing",
    exitCodes: [[0, "the instructions were printed"], [2, "usage error"]],
  },
  run(call) {
    const options = optionsOf(OPTIONS, call);
    const parts = chosenParts(options["only"], "prompt");
    return { exitCode: 0, answer: textAnswer(instructionsOf(parts)) };
  },
};
