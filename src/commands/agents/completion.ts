/**
 * `completion`: scripts for shells, which ask this command again for the words that fit (`completion words`).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { FdError, formatFd, listNames, listNewestFds } from "../../../fd/mod.ts";
import type { Command, CommandEntry, Host } from "../../terms/command.ts";
import { completionScript, fittingWords } from "../../arguments/shell_completion.ts";
import { openHostStore } from "../../answering/open_host_store.ts";

/** How many of the newest fds are offered. */
const OFFERED_FDS = 50;

/** The command that completes calls of `commands`; `find` gives the one of a name or alias. */
export function completionCommand(
  commands: readonly CommandEntry[],
  find: (name: string) => CommandEntry | undefined,
): Command {
  return {
    spec: {
      name: "completion",
      aliases: [],
      summary: "print a shell's completion script",
      usage: "bash|zsh|fish",
      positionals: { least: 1, most: 1, names: ["shell"] },
      takesRest: true,
      options: {},
      example: 'eval "$(fdtool completion bash)"',
      exitCodes: [[0, "the script was printed"], [2, "unknown shell"]],
    },
    async run({ positionals, rest }, host) {
      const shell = positionals[0]!;
      const text = shell === "words"
        ? (await fittingWords(rest, { commands, find, handles: () => handlesOf(host) })).map((word) =>
          `${word}\n`
        )
          .join("")
        : completionScript(shell);
      const bytes = Buffer.from(text);
      return {
        exitCode: 0,
        answer: { type: "pass_through", stdout: { byteLength: bytes.length, chunks: () => [bytes] } },
      };
    },
  };
}

/** Names and the newest fds; nothing where the store cannot be read, since a shell is asking while someone types. */
function handlesOf(host: Host): string[] {
  try {
    const store = openHostStore(host);
    const newest = listNewestFds(store, { most: OFFERED_FDS }).entries.reverse();
    return [...listNames(store).map(({ name }) => `ref:${name}`), ...newest.map(({ id }) => formatFd(id))];
  } catch (thrown) {
    if (thrown instanceof FdError) return [];
    throw thrown;
  }
}
