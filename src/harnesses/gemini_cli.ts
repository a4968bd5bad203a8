/** Gemini CLI, and Qwen Code, which is made from it. */

import { join } from "node:path";
import {
  directory,
  type Harness,
  type HarnessView,
  hooksTurnedOff,
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
import { membersIn } from "../calls/requests/json_object.ts";
import { settingsHook } from "./hook_call.ts";

/** Reports settings with which Gemini CLI does not start fdtool's server. */
function inspectSwitches({ setup, installed, read }: HarnessView): Remark[] {
  if (!installed.includes("mcp")) return [];
  const remarks: Remark[] = [];
  for (const path of [setup.home(".gemini", "settings.json"), join(".gemini", "settings.json")]) {
    const mcp = membersIn(settingsIn(read(path))["mcp"]);
    const isLeftOut = Array.isArray(mcp["allowed"]) && !names(mcp["allowed"]).includes("fdtool");
    if (names(mcp["excluded"]).includes("fdtool")) remarks.push(turnedOff(path, "mcp.excluded", NOT_STARTED));
    if (isLeftOut) remarks.push(turnedOff(path, "mcp.allowed", NOT_STARTED));
  }
  const path = setup.home(".gemini", "mcp-server-enablement.json");
  if (membersIn(settingsIn(read(path))["fdtool"])["enabled"] === false) {
    remarks.push(problem(`fdtool is disabled in ${path}: ${NOT_STARTED}`, "gemini mcp enable fdtool"));
  }
  return remarks;
}

const NOT_STARTED = "its server is not started";

/** The wirings of a harness with settings in FOLDER/settings.json and a memory file, of the user and of a project. */
function wirings(folder: string, memoryName: string, ownMembers: string[], variable = ""): WiringSpec[] {
  const own = directory(variable, [folder], folder);
  return [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: own("settings.json"),
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
      ownMembers,
    },
    memoryFile({ user: own(memoryName), project: memoryName }),
  ];
}

/** Its hooks cannot replace a result without calling it an error (docs/decisions.md). */
export const geminiCli: Harness = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  ranWith: "0.61.0",
  needsMemory: true,
  inspect: inspectSwitches,
  wirings: wirings(".gemini", "GEMINI.md", []),
};

const QWEN_WIRINGS = wirings(".qwen", "QWEN.md", ["$version"], "QWEN_HOME");

/** Its hooks can only add to a result: the lines that matter of what it cut. */
export const qwenCode: Harness = {
  name: "qwen-code",
  title: "Qwen Code",
  program: "qwen",
  ranWith: "0.24.4",
  inspect: (view) =>
    hooksTurnedOff(view, [join(".qwen", "settings.json"), QWEN_WIRINGS[0]!.path(view.setup)]),
  wirings: [
    {
      ...QWEN_WIRINGS[0]!,
      via: "hook",
      parts: (setup) =>
        ["PostToolUse", "PostToolUseFailure"].map((event) =>
          settingsHook(setup, { name: "qwen-code", event, tools: "^run_shell_command$" })
        ),
    },
    ...QWEN_WIRINGS,
  ],
  loadHook: async () => (await import("./answer_hook.ts")).answerQwenCode,
};
