/**
 * The commands that `install` lets a harness run without asking a person (contract, Agents). They reach no network address
 * and name no file that the user did not choose before.
 */

/** They only read fds. */
export const UNASKED_COMMANDS: readonly string[] = ["read", "search", "ls", "stat", "diff"];

/** Whether `command` may run without a question: it does in Claude Code, which sets this variable for its shell commands. */
export function runsUnasked(command: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return env["CLAUDECODE"] !== undefined && env["CLAUDECODE"] !== "" && UNASKED_COMMANDS.includes(command);
}
