/**
 * `prompt`: instructions for a system prompt (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { chosenParts } from "../agents/choose_tools.ts";
import { instructionsOf } from "../agents/instructions.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import { SHELL_INSTRUCTIONS } from "../harnesses/shell_instructions.ts";
import { failConflict } from "../calls/requests/usage_failure.ts";

export const command = defineOperation({
  fields: {
    only: {
      kind: "words",
      option: { value: "PART,…", help: "only these groups: fds, refs, inquiries, writing" },
    },
    for: {
      kind: "text",
      choices: ["tools", "shell"],
      option: {
        value: "WHICH",
        help: "for a model that calls tools (default), or one that runs fdtool in a shell",
      },
    },
  },
  usage: "[--for tools|shell] [--only PART,…]",
  example: "fdtool prompt --only fds,writing",
  exitCodes: { 0: "the instructions were printed" },
  answer({ only, for: reader }) {
    const isForShell = reader === "shell";
    if (isForShell && only !== undefined) {
      const wanted = "--only with --for tools: the instructions for a shell have no groups";
      failConflict("prompt", "--only", "--for shell", wanted);
    }
    const text = isForShell
      ? `<fdtool_instructions>\n${SHELL_INSTRUCTIONS}\n</fdtool_instructions>\n`
      : instructionsOf(chosenParts(only, "prompt"));
    return Promise.resolve({ exitCode: 0, answer: textAnswer(text) });
  },
});
