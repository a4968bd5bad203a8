/**
 * Starts a program with the words and the environment that this process was given, byte for byte. Runtimes decode both, so
 * a byte that is not UTF-8 becomes U+FFFD; bash reads them from the system instead.
 */

import { readFileSync } from "node:fs";
import { systemCode } from "../../fd/system.ts";
import type { CommandToStart } from "./start_command.ts";

type Start = Pick<CommandToStart, "path" | "calledAs" | "args">;

/** Bash takes the place of its parent's last words and environment, and becomes the program. */
const BECOME = `mapfile -d '' -t w < /proc/$PPID/cmdline; mapfile -d '' -t e < /proc/$PPID/environ
exec env -i "\${e[@]}" "$0" "\${w[@]:$1}"`;

/** `start`, whose arguments are the last words of this process, or a start of the same without a byte changed. */
export function exactly<T extends Start>(
  start: T,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): T {
  const isLossy = (text: string | undefined): boolean => text?.includes("\uFFFD") === true;
  if (!words.some(isLossy) && !Object.entries(env).flat().some(isLossy)) return start;
  try {
    const given = readFileSync("/proc/self/cmdline").toString("latin1").split("\0").length - 1;
    const args = ["-c", BECOME, start.calledAs, String(given - words.length)];
    return { ...start, path: "/bin/bash", calledAs: "bash", args };
  } catch (thrown) {
    if (systemCode(thrown) === undefined) throw thrown;
    return start;
  }
}
