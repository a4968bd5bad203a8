/** Claude Code, with its hook and over MCP. */

import { ALL_PERMISSIONS, comparePermissions, SOME_PERMISSIONS } from "./claude_permissions.ts";
import { compareReach } from "./claude_reach.ts";
import { GONE, sameResult, sameResults, SHELL_SCENARIOS } from "./claude_shell.ts";
import { TOOL_SCENARIOS } from "./claude_tools.ts";
import {
  addMembers,
  holds,
  type LiveHarness,
  type LiveWorld,
  resultText,
  same,
  type Scenario,
  toolsOverMcp,
} from "./live_harness.ts";
import type { CallStep, Step } from "./model_server.ts";

const LARGE = "seq 1 100000";
const FAILING = "sh -c 'seq 1 50000; echo oops >&2; exit 3'";

/** Commands whose results must be the same with the hook. */
const UNCHANGED: readonly CallStep[] = [
  { shell: "echo out; echo err >&2; echo out again" },
  { shell: "echo hi; exit 3" },
  { shell: "ls /does/not/exist" },
  { shell: "true" },
  { shell: "grep nothing /dev/null" },
  { shell: "cd /usr; pwd" },
  { shell: "mkdir -p a/b; cd a/b; pwd" },
  { shell: "pwd; cd ..; X=1; export Y=2; f() { echo f; }" },
  { shell: "pwd; echo $X $Y; f; cd /; false" },
  { shell: "pwd; cd b && exit 7" },
  { shell: "pwd" },
  { shell: "kill -9 $$" },
  { shell: "printf 'a\\000b\\377c\\n'" },
  { shell: "printf '\\033[31mred\\033[0m\\n'" },
  { shell: "printf %07990d 7" },
  { shell: "seq 1 4; echo SERVER-UP; sleep 5", more: { timeout: 2000 } },
  { shell: "seq 1 20000; sleep 1", more: { run_in_background: true } },
  {
    shell:
      "printf 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='",
  },
];

const SMALL: readonly Step[] = Array.from({ length: 40 }, (_, index) => ({ shell: `echo ${index}` }));

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
  command: ({ root }, { flags = ["--dangerously-skip-permissions"] }: Pick<Scenario, "flags">) => [
    ...["claude", "-p", "Do what is scripted.", "--output-format", "stream-json", "--verbose"],
    ...["--debug-file", `${root}/debug.log`, ...flags],
  ],
  isSettings: (path) => /\/\.claude\/settings[^/]*$|\/\.mcp\.json$|\/CLAUDE\.md$/.test(path),
  scenarios: [
    ...SHELL_SCENARIOS,
    {
      name: "large output",
      what:
        "A large output, a slice of it, a failing command with large output, and the same by `fdtool run`",
      short: "compared",
      without: [{ shell: LARGE }, { shell: FAILING }],
      with: [
        { shell: LARGE },
        { shell: "fdtool read $FD --lines 99990-99999" },
        { shell: FAILING },
        { shell: `fdtool run -- ${FAILING}` },
        { shell: "fdtool search $FD oops" },
        { shell: "seq 1 20000 | tail -2" },
      ],
      checks: ({ with: seen }) => [
        holds("a large output arrives as a handle", resultText(seen, 0), '<fd_result fd="fd:'),
        holds("with its end", resultText(seen, 0), "\n100000:100000\n"),
        holds("a slice of it can be read", resultText(seen, 1), "\n99995\n"),
        holds("a failing command keeps its exit code", resultText(seen, 2), "Exit code 3\n<fd_result"),
        holds("its answer has the line that matters", resultText(seen, 2), "50001:oops"),
        holds("and says how it ended", resultText(seen, 2), 'exit_code="3"'),
        holds("run the other way, the exit code stays", resultText(seen, 3), "Exit code 3"),
        holds("and its last line can be found", resultText(seen, 4), "50001:oops"),
        holds("what a pipe cuts away is kept", resultText(seen, 5), "tail showed 2 of 20,000 lines"),
      ],
    },
    {
      name: "unchanged results",
      what:
        "Small, failing, timed out, backgrounded and image results, and all after fdtool is moved away: as without it",
      short: "compared",
      without: [...UNCHANGED, ...GONE.slice(1, 3)],
      with: [...UNCHANGED, ...GONE],
      checks: (runs) => [
        ...sameResults(runs, UNCHANGED),
        ...[UNCHANGED.length, UNCHANGED.length + 1].map((step) => sameResult(runs, step, step + 1)),
      ],
    },
    {
      name: "at once",
      what: "Three calls in one turn, each with its own fd",
      without: [{ calls: [{ shell: LARGE }, { shell: "seq 2 100000" }, { shell: "echo small" }] }],
      with: [{ calls: [{ shell: LARGE }, { shell: "seq 2 100000" }, { shell: "echo small" }] }],
      checks: ({ with: seen }) => {
        const [first, second, third] = [0, 1, 2].map((call) => resultText(seen, 0, call));
        return [
          holds("the first begins with its own line", first!, "\n1:1\n"),
          holds("the second begins with its own line", second!, "\n1:2\n"),
          {
            what: "they are two fds",
            ok: first!.slice(0, 24) !== second!.slice(0, 24),
            got: first!.slice(0, 24),
          },
          same("the small one stays", third, "small"),
        ];
      },
    },
    {
      name: "what the hook costs",
      what: "Forty small commands, one after the other",
      without: SMALL,
      with: SMALL,
      checks: ({ with: seen }) => [same("all ran", seen.results.length, SMALL.length)],
    },
    toolsOverMcp({
      what: "fdtool's tools in Claude Code's own MCP client, all of them offered at once",
      short: "alone",
      arrange: (world) =>
        addMembers(world, "home/.claude/settings.json", {
          enableAllProjectMcpServers: true,
          env: { ENABLE_TOOL_SEARCH: "false" },
        }),
    }),
    ...TOOL_SCENARIOS,
  ],
  trials: [
    {
      name: "permissions",
      what: "The verdict of Claude Code on each command, without and with fdtool",
      run: (context) => comparePermissions(ALL_PERMISSIONS, context),
    },
    {
      name: "reach",
      what: "What commands that run unasked reach: no server, no other store, no file",
      short: true,
      run: compareReach,
    },
    {
      name: "some permissions",
      what: "The same for a part of the commands, where rules deny files",
      short: true,
      run: (context) => comparePermissions(SOME_PERMISSIONS, context),
    },
  ],
};
