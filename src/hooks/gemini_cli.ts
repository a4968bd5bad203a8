import { join } from "node:path";
import { type Harness, serverCommand, serverPart } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";

/** Its hooks cannot replace a result without calling it an error (docs/decisions.md). */
export const geminiCli: Harness = {
  name: "gemini-cli",
  title: "Gemini CLI",
  program: "gemini",
  ranWith: "0.61.0",
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
