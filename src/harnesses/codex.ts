import { join } from "node:path";
import { parseToml, tomlValueAt } from "./edit_toml.ts";
import {
  directory,
  type Harness,
  type HarnessView,
  memoryFile,
  problem,
  type Remark,
  serverCommand,
  startsServer,
} from "./harness.ts";

const own = directory("CODEX_HOME", [".codex"], ".codex");
const SERVER = ["mcp_servers", "fdtool"];
const ROOTS = ["sandbox_workspace_write", "writable_roots"];

/** No hook: Codex cuts output before its hooks see it. */
export const codex: Harness = {
  name: "codex",
  title: "Codex",
  program: "codex",
  ranWith: "0.169.0",
  needsMemory: true,
  wirings: [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: own("config.toml"),
      parts: (setup) => [
        { kind: "toml", path: SERVER, value: serverCommand(setup), isOurs: startsServer },
        // Makes the store writable for `fdtool capture` in Codex's sandbox.
        { kind: "toml_element", path: ROOTS, value: setup.storePath },
      ],
      remarks: ({ storePath }) => [
        `In workspace-write mode, sandboxed commands may write to the store ${storePath}; in read-only mode nothing is stored.`,
      ],
    },
    memoryFile({ user: own("AGENTS.md"), project: "AGENTS.md" }),
  ],
  inspect: inspectSandbox,
};

/** Reports the sandbox modes in which fdtool cannot write its store. */
function inspectSandbox({ setup, installed, read }: HarnessView): Remark[] {
  const path = own("config.toml")(setup);
  const settingsIn = (file: string) => {
    const parsed = parseToml(read(file) ?? "");
    return "value" in parsed ? parsed.value : undefined;
  };
  const settings = settingsIn(path);
  // Examining the wiring says what is not valid.
  if (settings === undefined || settings["sandbox_mode"] === "danger-full-access") return [];
  if (settings["sandbox_mode"] === "read-only") {
    const what =
      `sandbox_mode is "read-only" in ${path}: no command's output can be kept, it passes through whole`;
    return [problem(what, 'sandbox_mode = "workspace-write", or codex -s workspace-write')];
  }
  const isWritable = [path, join(".codex", "config.toml")].some((each) => {
    const roots = tomlValueAt(settingsIn(each), ROOTS);
    return Array.isArray(roots) && roots.includes(setup.storePath);
  });
  const what =
    `the store ${setup.storePath} is not among the writable roots in ${path}: commands in the sandbox cannot keep output`;
  return isWritable || installed.length === 0 ? [] : [problem(what, "fdtool install codex")];
}
