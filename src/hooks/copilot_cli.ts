import { join } from "node:path";
import {
  type Harness,
  type HarnessView,
  hooksTurnedOff,
  memoryFile,
  type Remark,
  serverCommand,
  serverPart,
  type Setup,
} from "./harness.ts";
import { hookLine } from "./hook_call.ts";

export const copilotCli: Harness = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI",
  program: "copilot",
  ranWith: "1.0.102",
  inspect: inspectSwitches,
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      path: (setup) => join(setup.scope === "user" ? ownDirectory(setup) : ".github", "hooks", "fdtool.json"),
      parts: (setup) => [{ kind: "file", text: hookText(setup), mark: "hook copilot-cli" }],
      remarks: ({ scope }) => scope === "user" ? [] : ["Copilot CLI runs it in folders that you trust."],
    },
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: (setup) =>
        setup.scope === "user" ? join(ownDirectory(setup), "mcp-config.json") : join(".github", "mcp.json"),
      parts: (
        setup,
      ) => [serverPart(["mcpServers"], { type: "local", ...serverCommand(setup), tools: ["*"] })],
      claims: (path) => path.endsWith("mcp-config.json") || path.endsWith("mcp.json"),
    },
    memoryFile({
      user: (setup) => join(ownDirectory(setup), "copilot-instructions.md"),
      project: "AGENTS.md",
    }),
  ],
  loadHook: async () => (await import("./answer_hook.ts")).answerCopilotCli,
};

function ownDirectory({ env, home }: Setup): string {
  return env["COPILOT_HOME"] ?? home(".copilot");
}

function hookText(setup: Setup): string {
  const hook = { type: "command", matcher: "bash", bash: hookLine(setup, "copilot-cli"), timeoutSec: 30 };
  return `${JSON.stringify({ version: 1, hooks: { postToolUse: [hook] } }, undefined, 2)}\n`;
}

/** Reports settings that turn off what is installed. */
function inspectSwitches(view: HarnessView): Remark[] {
  return hooksTurnedOff(view, [
    join(ownDirectory(view.setup), "settings.json"),
    join(".github", "copilot", "settings.json"),
  ]);
}
