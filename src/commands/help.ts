/**
 * `help`: help for the program or one of its commands.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";
import type { Operation } from "../calls/terms/command.ts";
import { failUnknownCommand } from "../calls/arguments/guess_command.ts";
import { operationNamed } from "../calls/arguments/option_spellings.ts";
import { commandHelp, programHelp } from "../calls/arguments/help_text.ts";
import { STDOUT } from "../calls/streams/standard_streams.ts";
import { textWidth } from "../calls/streams/screen_size.ts";
import { flagOption } from "../calls/requests/request_fields.ts";

export const command = defineOperation({
  fields: {
    command: { kind: "text", isArgument: true },
    all: flagOption("list all commands, those for harnesses and scripts too"),
  },
  usage: "[COMMAND] [--all]",
  example: "fdtool help read",
  failsOpen: true,
  needsNoStore: true,
  exitCodes: { 0: "help was printed", 2: "unknown command" },
  async answer({ command: name, all }, host) {
    const operations = host.operations();
    const width = textWidth(host.env, STDOUT);
    const text = name === undefined
      ? programHelp(operations, width, all === true)
      : await helpOf(name, operations, width);
    return { exitCode: 0, answer: textAnswer(text) };
  },
});

async function helpOf(name: string, operations: readonly Operation[], width: number): Promise<string> {
  const operation = operationNamed(operations, name) ?? failUnknownCommand(operations, ["help", name], 1);
  return commandHelp(operation, (await operation.load()).spec, width);
}
