import { join } from "node:path";
import {
  directory,
  type Harness,
  hooksTurnedOff,
  memoryFile,
  serverCommand,
  serverPart,
  type Setup,
} from "./harness.ts";
import { hookLine } from "./hook_call.ts";

const own = directory("COPILOT_HOME", [".copilot"], ".github");

export const copilotCli: Harness = {
  name: "copilot-cli",
  title: "GitHub Copilot CLI",
  program: "copilot",
  ranWith: "1.0.102",
  inspect: (view) =>
    hooksTurnedOff(view, [join(".github", "copilot", "settings.json"), own("settings.json")(view.setup)]),
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      path: own("hooks", "fdtool.json"),
      parts: (setup) => [{ kind: "file", text: hookText(setup), mark: "hook copilot-cli" }],
      remarks: ({ scope }) => scope === "user" ? [] : ["Copilot CLI runs it in folders that you trust."],
    },
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: (setup) => own(setup.scope === "user" ? "mcp-config.json" : "mcp.json")(setup),
      parts: (setup) => {
        const server = { type: "local", ...serverCommand(setup), tools: ["*"] };
        return [serverPart(["mcpServers"], server)];
      },
      claims: (path) => /mcp(?:-config)?\.json$/.test(path),
    },
    memoryFile({ user: own("copilot-instructions.md"), project: "AGENTS.md" }),
  ],
  loadHook: async () => (await import("./answer_hook.ts")).answerCopilotCli,
};

function hookText(setup: Setup): string {
  const hook = { type: "command", matcher: "bash", bash: hookLine(setup, "copilot-cli"), timeoutSec: 30 };
  return `${JSON.stringify({ version: 1, hooks: { postToolUse: [hook] } }, undefined, 2)}\n`;
}
