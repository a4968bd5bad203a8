/** Tells what a harness runs through its shell. */

import { simpleCommands } from "./own_call.ts";

/**
 * Whether a harness starts something of its own through the shell (a hook, an MCP server), whose streams are a protocol:
 * Claude Code puts CLAUDE_CODE_SHELL_PREFIX before everything that it starts, and says in AI_AGENT for whom.
 */
export function isOfHarness(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env["CLAUDECODE"] ?? "") !== "" && env["AI_AGENT"]?.endsWith("_harness") === true;
}

/** The model's command in what Claude Code gives to the shell: a snapshot is loaded before it, and its directory kept. */
const IN_CLAUDE_CODE = /^source .* && eval (.*) < \/dev\/null && pwd -P >\| \S+$/s;

/** The words to record for a call of `shell` with `words`: of a command line, what the model wrote. */
export function recordedCommand(words: readonly string[], shell: string): string[] {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word));
  const line = words[at + 1];
  if (at < 0 || line === undefined) return [shell, ...words];
  const own = IN_CLAUDE_CODE.exec(line)?.[1];
  return [
    ...words.slice(0, at + 1),
    own === undefined ? line : simpleCommands(own)?.[0]?.[0] ?? line,
    ...words.slice(at + 2),
  ];
}
