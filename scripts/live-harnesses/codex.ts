/** Codex, over MCP, in each of its sandbox modes. */

import {
  holds,
  type LiveHarness,
  type LiveRun,
  type LiveWorld,
  resultText,
  type Scenario,
  unchangedResults,
} from "./live_harness.ts";
import type { Step } from "./model_server.ts";

const LARGE = "seq 1 100000";
const FAILING = "sh -c 'seq 1 50000; echo oops >&2; exit 3'";
const SMALL: readonly Step[] = [{ shell: "echo out; echo err >&2; exit 3" }, { shell: "ls /does/not/exist" }];

export const codex: LiveHarness = {
  name: "codex",
  packages: ["@openai/codex@0.169.0"],
  environment: () => ({ SCRIPTED_KEY: "none" }),
  prepare: ({ write, port, project }: LiveWorld) =>
    write(
      "home/.codex/config.toml",
      `model = "scripted"
model_provider = "scripted"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[projects."${project}"]
trust_level = "trusted"
`,
    ),
  command: (
    _world,
    { flags = ["--dangerously-bypass-approvals-and-sandbox"] }: Scenario,
  ) => ["codex", "exec", "--skip-git-repo-check", "--json", ...flags, "Do what is scripted."],
  isSettings: (path) => /\/\.codex\/(config\.toml|AGENTS\.md)$/.test(path),
  scenarios: [
    {
      name: "large output",
      what: "A large output, a slice of it, a failing command with large output",
      without: [{ shell: LARGE }, { shell: FAILING }],
      with: [
        { shell: `${LARGE} | fdtool capture` },
        { tool: "read_fd", args: { fd: "$FD", mode: "line", start: 99_990, count: 5 } },
        { shell: `fdtool run -- ${FAILING}` },
        { tool: "search_fd", args: { fd: "$FD", pattern: "oops" } },
      ],
      checks: ({ with: seen }) => [
        holds("a large output arrives as a handle", resultText(seen, 0), '<fd_result fd="fd:'),
        holds("a slice of it can be read", resultText(seen, 1), "99993"),
        holds("the exit code stays", resultText(seen, 2), "exited with code 3"),
        holds("the last line can be found", resultText(seen, 3), "oops"),
      ],
    },
    {
      name: "workspace-write",
      what: "The sandbox that may write to the workspace: captures are kept, and nothing else may be written",
      flags: ("-s workspace-write -c sandbox_workspace_write.exclude_slash_tmp=true " +
        "-c sandbox_workspace_write.exclude_tmpdir_env_var=true").split(" "),
      without: [{ shell: "touch ../home/x; echo $?" }],
      permissions: ({ without, with: seen }) =>
        `writing beside the workspace ${verdictOn(without)} → ${verdictOn(seen)}`,
      with: [{ shell: "touch ../home/x; echo $?" }, { shell: `${LARGE} | fdtool capture` }],
      checks: ({ without, with: seen }) => [
        holds("what may not be written may not with fdtool", resultText(seen, 0), "Read-only file system"),
        holds("nor without", resultText(without, 0), "Read-only file system"),
        holds("captures are kept", resultText(seen, 1), '<fd_result fd="fd:'),
      ],
    },
    {
      name: "read-only",
      what: "The sandbox that may write nothing: output passes through, and why is said",
      flags: ["-s", "read-only"],
      without: [{ shell: "seq 1 3000" }],
      with: [{ shell: "seq 1 3000 | fdtool capture" }, { shell: "fdtool ls | head -c 8" }],
      checks: ({ with: seen }) => [
        holds("the output is there", resultText(seen, 0), "\n3000\n"),
        holds("with the reason", resultText(seen, 0), "EROFS"),
        holds("the store can be read", resultText(seen, 1), "<fd_list"),
      ],
    },
    unchangedResults({ what: "Small and failing commands are as without fdtool" }, SMALL, outputOf),
  ],
};

/** A result without ids and times. */
function outputOf(text: string): string {
  return text.replace(/^(?:Chunk ID|Wall time): .*\n/gm, "");
}

function verdictOn(run: LiveRun): string {
  return resultText(run, 0).includes("Read-only file system") ? "denied" : "ran";
}
