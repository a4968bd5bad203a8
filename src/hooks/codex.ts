import { join } from "node:path";
import { type Harness, type Part, serverCommand, type Setup, startsServer } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";

/** Its hooks see output that was cut before: there is nothing to win by them. */
export const codex: Harness = {
  name: "codex",
  title: "Codex",
  program: "codex",
  wirings: [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: (setup) => join(setup.scope === "user" ? codexHome(setup) : ".codex", "config.toml"),
      parts: (setup) => [serverTable(setup), writableStore(setup)],
      remarks: ({ storePath }) => [
        `In workspace-write mode, sandboxed commands may write to the store ${storePath}; in read-only mode nothing is kept.`,
      ],
    },
    memoryFile({ user: (setup) => join(codexHome(setup), "AGENTS.md"), project: "AGENTS.md" }),
  ],
};

function codexHome({ env, home }: Setup): string {
  return env["CODEX_HOME"] ?? home(".codex");
}

function serverTable(setup: Setup): Part {
  const server = serverCommand(setup);
  return {
    kind: "toml",
    table: ["mcp_servers", "fdtool"],
    lines: [
      "[mcp_servers.fdtool]",
      `command = ${JSON.stringify(server.command)}`,
      `args = [${server.args.map((word) => JSON.stringify(word)).join(", ")}]`,
    ],
    value: server,
    isOurs: startsServer,
  };
}

/** Shell commands run in a sandbox: without this, `fdtool capture` in one of them cannot store. */
function writableStore({ storePath }: Setup): Part {
  return { kind: "toml_element", table: "sandbox_workspace_write", key: "writable_roots", value: storePath };
}
