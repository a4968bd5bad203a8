/** Gemini CLI, and Qwen Code, which is made from it: over MCP. */

import {
  holds,
  type LiveHarness,
  type LiveWorld,
  replacedResults,
  resultText,
  type Scenario,
  unchangedResults,
} from "./live_harness.ts";
import type { Step } from "./model_server.ts";

const LARGE = "seq 1 100000";
const SMALL: readonly Step[] = [{ shell: "echo hi" }, { shell: "ls /does/not/exist" }];

/** The calls of fdtool's tools after a capture, with the expected text. */
interface ToolCalls {
  steps: readonly Step[];
  shows: readonly string[];
}

const scenarios = ({ steps, shows }: ToolCalls): readonly Scenario[] => [
  {
    name: "tools over MCP",
    what: "A large output by a pipe, and fdtool's tools",
    installs: [["--via", "mcp"]],
    without: [{ shell: LARGE }],
    with: [{ shell: `${LARGE} | fdtool capture --name numbers` }, ...steps],
    checks: ({ with: seen }) => [
      holds("a large output arrives as a handle", resultText(seen, 0), "<fd_result fd="),
      ...shows.map((text, index) => holds(`tool call ${index + 1}`, resultText(seen, index + 1), text)),
    ],
  },
  unchangedResults(
    {
      name: "memory",
      what: "Small and failing commands are as without fdtool, with the paragraph in the memory file",
      installs: [["--via", "memory"]],
    },
    SMALL,
    outputOf,
  ),
];

/** A result without process ids. */
function outputOf(text: string): string {
  return text.replace(/\b(?:PGID|PIDs?): .*/g, "");
}

export const geminiCli: LiveHarness = {
  name: "gemini-cli",
  packages: ["@google/gemini-cli@0.61.0"],
  environment: ({ port }) => ({
    GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${port}`,
    GEMINI_API_KEY: "none",
    GEMINI_TELEMETRY_ENABLED: "false",
    GEMINI_CLI_TRUST_WORKSPACE: "true",
    GEMINI_CLI_NO_RELAUNCH: "true",
  }),
  prepare: ({ write }: LiveWorld) =>
    write("home/.gemini/settings.json", {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  command: () => ["gemini", "-m", "gemini-2.5-flash", "-p", "Do what is scripted.", "--yolo"],
  isSettings: (path) => /\/\.gemini\/settings\.json$|\/GEMINI\.md$/.test(path),
  scenarios: scenarios({
    steps: [
      { tool: "read_fd", args: { fd: "ref:numbers", mode: "line", start: 99_990, count: 5 } },
      { tool: "search_fd", args: { fd: "ref:numbers", pattern: "^7777$" } },
    ],
    shows: ["99993", "7777"],
  }),
};

/** A call of a tool that the model found by searching. */
function calledByName(name: string, args: Readonly<Record<string, unknown>>): Step {
  return { tool: "tool_call", args: { name: `mcp__fdtool__${name}`, arguments: args } };
}

export const qwenCode: LiveHarness = {
  name: "qwen-code",
  packages: ["@qwen-code/qwen-code@0.24.4", "node@22.23.3"],
  environment: ({ port }) => ({
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
    OPENAI_MODEL: "scripted",
  }),
  prepare: ({ write }: LiveWorld) =>
    write("home/.qwen/settings.json", {
      security: { auth: { selectedType: "openai" } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
    }),
  command: () => ["qwen", "-p", "Do what is scripted.", "--yolo"],
  isSettings: (path) => /\/\.qwen\/settings\.json$|\/QWEN\.md$/.test(path),
  scenarios: [
    ...replacedResults({
      small: SMALL,
      shown: outputOf,
      kept: (lineCount) => ` · ${lineCount.toLocaleString("en-US")} lines · `,
      exit: " · exit 3",
    }),
    // It offers tools of MCP servers only after the model has searched for them.
    ...scenarios({
      steps: [
        { tool: "tool_search", args: { query: "select:mcp__fdtool__read_fd,mcp__fdtool__search_fd" } },
        calledByName("read_fd", { fd: "ref:numbers", mode: "line", start: 99_990, count: 5 }),
        calledByName("search_fd", { fd: "ref:numbers", pattern: "^7777$" }),
      ],
      shows: ["mcp__fdtool__read_fd", "99993", "7777"],
    }),
  ],
};
