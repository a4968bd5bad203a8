/**
 * What a harness's hook is answered: its call of a shell, with the command wrapped, or nothing where the call is to stand.
 *
 * @module
 */

import * as v from "valibot";
import { failUsage } from "../usage_failure.ts";
import { readPermissionRules, wouldBeJudgedOtherwise } from "./permission_rules.ts";
import { type FdtoolCall, wrapCommand } from "./wrap_command.ts";
import { isWrappable } from "./wrappable.ts";

/** The harnesses that have a hook which may rewrite a shell command. */
export const HOOKED_HARNESSES = ["claude-code", "opencode"] as const;
export type HookedHarness = typeof HOOKED_HARNESSES[number];

const toolInput = v.looseObject({
  command: v.string(),
  run_in_background: v.optional(v.boolean()),
});
const hookCall = v.looseObject({
  tool_name: v.string(),
  tool_input: v.unknown(),
  cwd: v.optional(v.string()),
  permission_mode: v.optional(v.string()),
});
type HookCall = v.InferOutput<typeof hookCall>;

/** What the hook needs to know besides the call. */
export interface HookPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  fdtool: FdtoolCall;
}

/**
 * The hook's answer as a JSON value; undefined where the call is to stand as it is. `value` is what the harness wrote.
 *
 * @throws {UsageError} `bad_json` for what is no call of a hook.
 */
export function rewriteCall(harness: HookedHarness, value: unknown, place: HookPlace): unknown {
  const what = `the call of the hook of ${harness}`;
  const call = v.safeParse(hookCall, value);
  if (!call.success) return failUsage({ kind: "bad_json", what, reason: "tool_name is missing" });
  const { tool_name, tool_input } = call.output;
  if (tool_name.toLowerCase() !== "bash") return undefined;
  const read = v.safeParse(toolInput, tool_input);
  if (!read.success) {
    return failUsage({ kind: "bad_json", what, reason: "tool_input.command is missing" });
  }
  const input = read.output;
  // The harness keeps the output of what runs in the background, and shows what is new of it.
  if (input.run_in_background === true) return undefined;
  if (harness === "claude-code" && isJudgedOtherwise(call.output, input.command, place)) return undefined;
  if (!isWrappable(input.command)) return undefined;
  const command = wrapCommand(input.command, place.fdtool);
  switch (harness) {
    case "claude-code":
      // The whole input, since it takes the old one's place. No permission is decided: that stays Claude Code's.
      return { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { ...input, command } } };
    case "opencode":
      return { command };
  }
}

function isJudgedOtherwise({ cwd, permission_mode }: HookCall, command: string, place: HookPlace): boolean {
  const rules = readPermissionRules({ env: place.env, projectDirectory: cwd ?? place.cwd });
  return wouldBeJudgedOtherwise(command, permission_mode, rules);
}
