/**
 * `help`: help for the program or one of its commands.
 */

import { Buffer } from "node:buffer";
import type { Command, CommandEntry } from "../terms/command.ts";
import { failUnknownCommand } from "../arguments/guess_command.ts";
import { commandHelp, programHelp } from "../arguments/help_text.ts";
import { STDOUT } from "../streams/standard_streams.ts";
import { textWidth } from "../streams/text_width.ts";

/** The command that explains `commands`; `find` gives the one of a name or alias. */
export function helpCommand(
  commands: readonly CommandEntry[],
  find: (name: string) => CommandEntry | undefined,
): Command {
  return {
    spec: {
      name: "help",
      aliases: [],
      summary: "show help for fdtool or one of its commands",
      usage: "[COMMAND]",
      positionals: { least: 0, most: 1, names: ["command"] },
      options: {},
      example: "fdtool help read",
      exitCodes: [[0, "help was printed"], [2, "unknown command"]],
    },
    async run({ positionals }, { env }) {
      const name = positionals[0];
      const width = textWidth(env, STDOUT);
      const text = name === undefined ? programHelp(commands, width) : commandHelp(
        (await (find(name) ?? failUnknownCommand(commands, ["help", name], 1)).load()).spec,
        width,
      );
      const bytes = Buffer.from(text);
      return {
        exitCode: 0,
        answer: { type: "pass_through", stdout: { byteLength: bytes.length, chunks: () => [bytes] } },
      };
    },
  };
}
