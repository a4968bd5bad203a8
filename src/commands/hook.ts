/**
 * `hook`: what a harness calls after a tool (docs/contract.md). `install` writes the
 * configuration that calls it. It never fails: whatever goes wrong, the harness goes on with the output as it is.
 */

import { FdError } from "../../fd/system.ts";
import type { Command, CommandCall, CommandSpec, Host, Outcome } from "../calls/terms/command.ts";
import { answerClaudeCode } from "../harnesses/claude_code_answer.ts";
import type { AnswerHook } from "../harnesses/harness.ts";
import { readStdinBytes } from "../calls/streams/read_stdin_bytes.ts";
import { failValue } from "../calls/requests/usage_failure.ts";

const spec: CommandSpec = {
  usage: "HARNESS [--tools read] < CALL.json",
  positionals: { least: 1, most: 1, names: ["harness"] },
  values: { harness: "HOOKED" },
  options: { tools: { kind: "text", value: "TOOL", help: "also store large results of this tool: read" } },
  example: "fdtool hook claude-code < call.json",
  failsOpen: true,
  exitCodes: {
    0: "an answer for the harness, or nothing to leave the output unchanged; also after a failure (see stderr)",
  },
};

/** Finds the function that answers a harness's hook, by the harness's name. */
async function otherHook(name: string): Promise<AnswerHook> {
  const { HARNESSES } = await import("../harnesses/harnesses.ts");
  const answerHook = await HARNESSES.find((each) => each.name === name)?.loadHook?.();
  if (answerHook !== undefined) return answerHook;
  const hooked = HARNESSES.filter(({ loadHook }) => loadHook !== undefined);
  return failValue("hook", "harness", name, `one of ${hooked.map((each) => each.name).join(", ")}`);
}

async function run(
  { positionals: [name = ""], options: { tools } }: CommandCall,
  host: Host,
): Promise<Outcome> {
  // Claude Code calls its hook after every command: the list of all harnesses would be half of what that costs.
  const answerHook = name === "claude-code" ? answerClaudeCode : await otherHook(name);
  try {
    return await answerHook(readStdinBytes(), host, typeof tools === "string" ? tools : undefined);
  } catch (thrown) {
    const failure = thrown instanceof FdError
      ? thrown.failure
      : thrown instanceof Error
      ? thrown
      : new Error(String(thrown));
    return { exitCode: 0, failures: [failure] };
  }
}

export const command: Command = { spec, run };
