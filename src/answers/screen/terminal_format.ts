/** Tells a person from an agent, for whom a terminal gets what a pipe gets. */

import type { Environment } from "../../../fd/mod.ts";
import { STDERR, STDIN, STDOUT } from "../../calls/streams/standard_streams.ts";
import { isPipe, isTerminal } from "../../calls/streams/terminal.ts";

/**
 * Variables that agents set for the commands they run. docs/terminal.md names the agent of each. Those of an editor's own
 * terminal are not among them.
 */
const AGENT_VARIABLES = [
  "AGENT",
  "AI_AGENT",
  "AMP_CURRENT_THREAD_ID",
  "ANTIGRAVITY_AGENT",
  "AUGMENT_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE",
  "CLINE_ACTIVE",
  "CODEX_CI",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "COPILOT_AGENT",
  "COPILOT_CLI",
  "CRUSH",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "GOOSE_TERMINAL",
  "JUNIE_DATA",
  "OPENCODE",
  "OPENCODE_CLIENT",
  "QWEN_CODE",
  "TRAE_AI_SHELL_ID",
] as const;

/** Whether an agent runs this process, as far as it says so. As with any variable, an empty one counts as unset. */
export function isAgents(env: Environment): boolean {
  return AGENT_VARIABLES.some((name) => env[name] !== undefined && env[name] !== "");
}

/**
 * The format of answers if neither the call nor `FDTOOL_FORMAT` chooses one: text for a person, who sees stdout, or pipes it
 * to another program at a terminal.
 */
export async function usualFormat(env: Environment): Promise<"text" | "xml"> {
  if (isAgents(env)) return "xml";
  const isPersons = isPipe(STDOUT)
    ? await isTerminal(STDIN) || await isTerminal(STDERR)
    : await isTerminal(STDOUT);
  return isPersons ? "text" : "xml";
}
