/**
 * `prompt`: instructions for a system prompt (contract, Agents).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { chosenParts } from "../agents/choose_tools.ts";
import { instructionsOf } from "../agents/instructions.ts";
import { SHELL_INSTRUCTIONS } from "../agents/shell_instructions.ts";
import { textAnswer } from "../answering/text_answer.ts";
import { failUsage } from "../requests/usage_failure.ts";
import { type CommandSpec, optionsOf } from "../terms/command.ts";

const OPTIONS = {
  only: {
    kind: "text",
    value: "PART,…",
    many: true,
    help: "only these groups: fds, refs, inquiries, writing",
  },
  for: {
    kind: "text",
    value: "WHICH",
    choices: ["tools", "shell"],
    help: "for a model that calls tools (default), or one that runs fdtool in a shell",
  },
} as const satisfies CommandSpec["options"];

export const command = defineOperation({
  usage: "[--for tools|shell] [--only PART,…]",
  options: OPTIONS,
  example: "fdtool prompt --only fds,writing",
  exitCodes: [[0, "the instructions were printed"], [2, "usage error"]],
  run(call) {
    const options = optionsOf(OPTIONS, call);
    if (options["for"] === "shell") {
      if (options["only"] !== undefined) {
        const wanted = "--only with --for tools: the instructions for a shell have no groups";
        failUsage({ kind: "conflict", command: "prompt", first: "--only", second: "--for shell", wanted });
      }
      return { exitCode: 0, answer: textAnswer(SHELL_INSTRUCTIONS) };
    }
    const parts = chosenParts(options["only"], "prompt");
    return { exitCode: 0, answer: textAnswer(instructionsOf(parts)) };
  },
});
