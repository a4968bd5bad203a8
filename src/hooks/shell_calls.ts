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
  const at = lineIndex(words);
  if (at === undefined) return [shell, ...words];
  return [...words.slice(0, at), commandLineOf(words)!, ...words.slice(at + 1)];
}

/** The command line of a call of a shell; of Claude Code's, the model's part. */
export function commandLineOf(words: readonly string[]): string | undefined {
  const line = words[lineIndex(words) ?? -1];
  const own = line && IN_CLAUDE_CODE.exec(line)?.[1];
  return own === undefined ? line : simpleCommands(own)?.[0]?.[0] ?? line;
}

function lineIndex(words: readonly string[]): number | undefined {
  const at = words.findIndex((word) => /^-[a-zA-Z]*c$/.test(word)) + 1;
  return at > 0 && at < words.length ? at : undefined;
}
