import { join } from "node:path";
import { type Harness, serverCommand, serverPart } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";

export const qwenCode: Harness = {
  name: "qwen-code",
  title: "Qwen Code",
  program: "qwen",
  ranWith: "0.15.10",
  wirings: [
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: ({ scope, home }) =>
        scope === "user" ? home(".qwen", "settings.json") : join(".qwen", "settings.json"),
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
      ownMembers: ["$version"],
    },
    memoryFile({ user: ({ home }) => home(".qwen", "QWEN.md"), project: "QWEN.md" }),
  ],
};
