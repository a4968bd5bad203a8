/**
 * The variables by which programs that models drive mark the commands that they start. With one of them set, a terminal
 * gets what a pipe gets. docs/terminal.md has the source of each.
 */

/** Variables that agents set for the commands they run. Those of an editor's own terminal are not among them. */
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
export function isAgents(env: Readonly<Record<string, string | undefined>>): boolean {
  return AGENT_VARIABLES.some((name) => env[name] !== undefined && env[name] !== "");
}
