/**
 * What a harness's hook is answered: its call of a shell, with the command wrapped, or nothing where the call is to stand.
 *
 * @module
 */

import * as v from "valibot";
import { readPermissionRules, wouldBeJudgedOtherwise } from "./permission_rules.ts";
import { type FdtoolCall, wrapCommand } from "./wrap_command.ts";
import { isWrappable } from "./wrappable.ts";

/** The harnesses that have a hook which may rewrite a shell command. */
export const HOOKED_HARNESSES = ["claude-code"] as const;
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

/** What is answered. */
export type HookAnswer =
  | { kind: "rewritten"; value: unknown }
  /** The call is to stand as it is. */
  | { kind: "unchanged" }
  /** What came is no call of a hook. */
  | { kind: "no_call"; got: string };

/** The answer to what the harness wrote. */
export function rewriteCall(harness: HookedHarness, written: Uint8Array, place: HookPlace): HookAnswer {
  const json = parseJson(written);
  if (json === undefined) return { kind: "no_call", got: "what is not JSON" };
  const call = v.safeParse(hookCall, json.value);
  if (!call.success) return { kind: "no_call", got: "JSON without tool_name" };
  const { tool_name, tool_input } = call.output;
  if (tool_name.toLowerCase() !== "bash") return { kind: "unchanged" };
  const read = v.safeParse(toolInput, tool_input);
  if (!read.success) return { kind: "no_call", got: "a call without tool_input.command" };
  const input = read.output;
  // The harness keeps the output of what runs in the background, and shows what is new of it.
  if (input.run_in_background === true) return { kind: "unchanged" };
  if (isJudgedOtherwise(call.output, input.command, place)) {
    return { kind: "unchanged" };
  }
  if (!isWrappable(input.command)) return { kind: "unchanged" };
  const command = wrapCommand(input.command, place.fdtool);
  switch (harness) {
    case "claude-code": {
      // The whole input, since it takes the old one's place. No permission is decided: that stays Claude Code's.
      const hookSpecificOutput = { hookEventName: "PreToolUse", updatedInput: { ...input, command } };
      return { kind: "rewritten", value: { hookSpecificOutput } };
    }
  }
}

function parseJson(bytes: Uint8Array): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof TypeError) return undefined;
    throw thrown;
  }
}

function isJudgedOtherwise({ cwd, permission_mode }: HookCall, command: string, place: HookPlace): boolean {
  const rules = readPermissionRules({ env: place.env, projectDirectory: cwd ?? place.cwd });
  return wouldBeJudgedOtherwise(command, permission_mode, rules);
}
