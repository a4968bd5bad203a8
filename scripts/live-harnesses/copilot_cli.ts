/** GitHub Copilot CLI, with its hook, and over MCP. */

import { type LiveHarness, replacedResults, toolsOverMcp } from "./live_harness.ts";

export const copilotCli: LiveHarness = {
  name: "copilot-cli",
  packages: ["@github/copilot@1.0.102"],
  environment: ({ port }) => ({
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_PROVIDER_BASE_URL: `http://127.0.0.1:${port}/v1`,
    COPILOT_PROVIDER_API_KEY: "none",
    COPILOT_PROVIDER_MAX_PROMPT_TOKENS: "1000000",
  }),
  prepare: ({ write, project }) => write("home/.copilot/config.json", { trustedFolders: [project] }),
  command: () => ["copilot", "-p", "Do what is scripted.", "--model", "scripted", "--allow-all-tools"],
  isSettings: (path) => /\/(?:hooks\/.*|settings|mcp-config|mcp)\.json$|\/AGENTS\.md$/.test(path),
  scenarios: [
    ...replacedResults({
      shown: (text) => text.replace(/shellId: \d+/, "shellId"),
      ended: "completed with exit code 3>",
      small: [
        { shell: "echo out; echo err >&2; exit 3" },
        { shell: "ls /does/not/exist" },
        { shell: "true" },
        { shell: "yes 123456789 | head -c 7990" },
        { shell: "seq 1 20000; sleep 1", more: { mode: "async" } },
      ],
    }),
    toolsOverMcp({ what: "fdtool's tools in Copilot CLI's own MCP client" }),
  ],
};
