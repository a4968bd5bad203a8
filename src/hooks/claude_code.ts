import { join } from "node:path";
import * as v from "valibot";
import { shellWord } from "../next_command.ts";
import { type FoundElement, type Harness, serverCommand, serverPart, type Setup } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";

export const claudeCode: Harness = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      path: (setup) => join(ownDirectory(setup), "settings.json"),
      parts: ({ program, storeOption }) => {
        const store = storeOption === undefined ? [] : ["--store", storeOption];
        const line = [program, "hook", "claude-code", ...store].map(shellWord).join(" ");
        // Whatever becomes of the hook, the command runs: exit code 2 would forbid it.
        const hook = { type: "command", command: `${line} || true` };
        return [{
          kind: "json",
          path: ["hooks", "PreToolUse"],
          key: undefined,
          value: { matcher: "Bash", hooks: [hook] },
          findIn: (list) => findHook(list, hook.command),
        }];
      },
    },
    {
      via: "mcp",
      scopes: ["project"],
      path: () => ".mcp.json",
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
      claims: (path) => path.endsWith(".mcp.json"),
      otherwise: "--project (.mcp.json); for the user, Claude Code writes its own file: claude mcp add",
    },
    memoryFile({ user: (setup) => join(ownDirectory(setup), "CLAUDE.md"), project: "CLAUDE.md" }),
  ],
};

function ownDirectory({ scope, env, home }: Setup): string {
  return scope === "user" ? env["CLAUDE_CONFIG_DIR"] ?? home(".claude") : ".claude";
}

const OUR_HOOK = /(?:^|[/'"])fdtool['"]? hook claude-code\b/;
const hookGroup = v.object({ hooks: v.array(v.unknown()) });
const hookCommand = v.object({ command: v.string() });

/** Our hook among the groups of PreToolUse: the group where it is alone, else its place in the group. */
function findHook(list: unknown, wanted: string): FoundElement | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const [groupIndex, group] of list.entries()) {
    const { hooks } = v.is(hookGroup, group) ? group : { hooks: [] };
    for (const [index, hook] of hooks.entries()) {
      if (!v.is(hookCommand, hook) || !OUR_HOOK.test(hook.command)) continue;
      const path = hooks.length === 1 ? [groupIndex] : [groupIndex, "hooks", index];
      return { path, isAsWanted: hook.command === wanted };
    }
  }
  return undefined;
}
