import { join } from "node:path";
import { type Harness, type HarnessView, type Remark, serverCommand, serverPart } from "./harness.ts";
import { membersOf, names, settingsIn, turnedOff } from "./harness_settings.ts";
import { memoryFile } from "./memory_paragraph.ts";

/** Reports settings with which Gemini CLI does not start fdtool's server. */
function inspectSwitches({ setup, installed, read }: HarnessView): Remark[] {
  if (!installed.includes("mcp")) return [];
  const remarks: Remark[] = [];
  for (const path of [setup.home(".gemini", "settings.json"), join(".gemini", "settings.json")]) {
    const mcp = membersOf(settingsIn(read(path))["mcp"]);
    const isLeftOut = Array.isArray(mcp["allowed"]) && !names(mcp["allowed"]).includes("fdtool");
    if (names(mcp["excluded"]).includes("fdtool")) remarks.push(turnedOff(path, "mcp.excluded", NOT_STARTED));
    if (isLeftOut) remarks.push(turnedOff(path, "mcp.allowed", NOT_STARTED));
  }
  const path = setup.home(".gemini", "mcp-server-enablement.json");
  if (membersOf(settingsIn(read(path))["fdtool"])["enabled"] === false) {
    const mend = "gemini mcp enable fdtool";
    remarks.push({ state: "problem", what: `fdtool is disabled in ${path}: ${NOT_STARTED}`, mend });
  }
  return remarks;
}

const NOT_STARTED = "its server is not started";

/** Its hooks cannot replace a result without calling it an error (docs/decisions.md). */
export const geminiCli: Harness = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  ranWith: "0.61.0",
  inspect: inspectSwitches,
  wirings: [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: ({ scope, home }) =>
        scope === "user" ? home(".gemini", "settings.json") : join(".gemini", "settings.json"),
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
    },
    memoryFile({ user: ({ home }) => home(".gemini", "GEMINI.md"), project: "GEMINI.md" }),
  ],
};
