/**
 * A command on a pseudo-terminal of its own, which `script` of util-linux makes: it passes on what is typed, the window's
 * size and the exit code. Neither Node nor the other runtimes make one without a native part.
 */

import { failValue } from "../requests/usage_failure.ts";
import { findProgram, SHELL } from "./find_program.ts";
import type { CommandToStart } from "./start_command.ts";
import type { Environment } from "../../../fd/mod.ts";

type Start = Pick<CommandToStart, "path" | "calledAs" | "args" | "verbatim">;

/** The size of a terminal that no window has. */
const SIZE = "stty columns 120 rows 40";

/**
 * The start of `script` that starts `start` on a terminal. `quoted` makes a line of sh of words.
 *
 * @throws {UsageError} if there is none of util-linux on this system.
 */
export function startOnTerminal(
  { path, args }: Start,
  env: Environment,
  hasWindow: boolean,
  quoted: (words: readonly string[]) => string,
): { start: Start; env: Environment } {
  const script = process.platform === "linux" ? findProgram("script", undefined, env["PATH"]) : undefined;
  if (script?.kind !== "program") {
    return failValue("run", "--pty", "true", "a system with script of util-linux (Debian's bsdutils)");
  }
  // script runs the line with $SHELL, which is given back to the command.
  const shell = env["SHELL"] === undefined ? "unset SHELL" : `export SHELL=${quoted([env["SHELL"]])}`;
  const line = `${hasWindow ? "" : `${SIZE} 2>/dev/null; `}${shell}; exec ${quoted([path, ...args])}`;
  return {
    start: {
      path: script.path,
      calledAs: "script",
      args: ["--quiet", "--return", "--flush", "--command", line, "/dev/null"],
    },
    env: { ...env, SHELL },
  };
}
