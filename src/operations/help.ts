/**
 * `help`: help for the program or one of its commands.
 */

import { Buffer } from "node:buffer";
import type { Command, Operation } from "../terms/command.ts";
import { failUnknownCommand } from "../arguments/guess_command.ts";
import { commandHelp, programHelp } from "../arguments/help_text.ts";
import { STDOUT } from "../streams/standard_streams.ts";
import { textWidth } from "../streams/text_width.ts";

/** The command that explains `commands`; `find` gives the one of a name or alias. */
export function helpCommand(
  commands: readonly Operation[],
  find: (name: string) => Operation | undefined,
): Command {
  const helpOf = async (name: string, width: number) => {
    const operation = find(name) ?? failUnknownCommand(commands, ["help", name], 1);
    return commandHelp(operation, (await operation.load()).spec, width);
  };
  return {
    spec: {
      usage: "[COMMAND]",
      positionals: { least: 0, most: 1, names: ["command"] },
      options: {},
      example: "fdtool help read",
      failsOpen: true,
      needsNoStore: true,
      exitCodes: [[0, "help was printed"], [2, "unknown command"]],
    },
    async run({ positionals }, { env }) {
      const name = positionals[0];
      const width = textWidth(env, STDOUT);
      const text = name === undefined ? programHelp(commands, width) : await helpOf(name, width);
      const bytes = Buffer.from(text);
      return {
        exitCode: 0,
        answer: { type: "pass_through", stdout: { byteLength: bytes.length, chunks: () => [bytes] } },
      };
    },
  };
}
