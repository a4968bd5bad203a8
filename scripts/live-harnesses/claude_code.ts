/** Claude Code, with its hook. @module */

import { holds, type LiveHarness, type LiveWorld, resultText, type Scenario } from "./live_harness.ts";

const LARGE = "seq 1 100000";
const FAILING = "sh -c 'seq 1 50000; echo oops >&2; exit 3'";

export const claudeCode: LiveHarness = {
  name: "claude-code",
  packages: ["@anthropic-ai/claude-code@2.1.330"],
  afterNpm: [{ folder: "@anthropic-ai/claude-code", words: ["node", "install.cjs"] }],
  environment: ({ port }) => ({
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`,
    // Not a key: the scripted model asks for none.
    ANTHROPIC_API_KEY: "sk-ant-none",
    IS_SANDBOX: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_BUG_COMMAND: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }),
  prepare: ({ write }: LiveWorld) => write("home/.claude/settings.json", { includeCoAuthoredBy: false }),
  command: ({ root }, { flags = ["--dangerously-skip-permissions"] }: Scenario) => [
    "claude",
    "-p",
    "Do what is scripted.",
    "--output-format",
    "stream-json",
    "--verbose",
    "--debug-file",
    `${root}/debug.log`,
    ...flags,
  ],
  isSettings: (path) => /\/\.claude\/settings[^/]*$|\/\.mcp\.json$|\/CLAUDE\.md$/.test(path),
  scenarios: [
    {
      name: "large output",
      what: "A large output, a slice of it, a failing command with large output, and a search in it",
      short: true,
      without: [{ shell: LARGE }, { shell: FAILING }],
      with: [{ shell: LARGE }, { shell: "fdtool read $FD --lines 99990-99999" }, { shell: FAILING }, {
        shell: "fdtool search $FD oops",
      }],
      checks: ({ with: seen }) => [
        holds("a large output arrives as a handle", resultText(seen, 0), '<fd_result fd="fd:'),
        holds("a slice of it can be read", resultText(seen, 1), "99995"),
        holds("a failing command's output can be searched", resultText(seen, 3), "oops"),
      ],
    },
  ],
};
