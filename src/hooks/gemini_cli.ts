/** Gemini CLI, and Qwen Code, which is made from it. */

import { join } from "node:path";
import {
  type Harness,
  type HarnessView,
  membersOf,
  memoryFile,
  names,
  problem,
  type Remark,
  serverCommand,
  serverPart,
  settingsIn,
  turnedOff,
  type WiringSpec,
} from "./harness.ts";

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
    remarks.push(problem(`fdtool is disabled in ${path}: ${NOT_STARTED}`, "gemini mcp enable fdtool"));
  }
  return remarks;
}

const NOT_STARTED = "its server is not started";

/** The wirings of a harness with settings in FOLDER/settings.json and a memory file, of the user and of a project. */
function wirings(folder: string, memoryName: string, ownMembers: string[]): WiringSpec[] {
  return [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: ({ scope, home }) =>
        scope === "user" ? home(folder, "settings.json") : join(folder, "settings.json"),
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
      ownMembers,
    },
    memoryFile({ user: ({ home }) => home(folder, memoryName), project: memoryName }),
  ];
}

/** Its hooks cannot replace a result without calling it an error (docs/decisions.md). */
export const geminiCli: Harness = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  ranWith: "0.61.0",
  inspect: inspectSwitches,
  wirings: wirings(".gemini", "GEMINI.md", []),
};

export const qwenCode: Harness = {
  name: "qwen-code",
  title: "Qwen Code",
  program: "qwen",
  ranWith: "0.15.10",
  wirings: wirings(".qwen", "QWEN.md", ["$version"]),
};
