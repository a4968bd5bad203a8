/** Scenarios of Claude Code's shell: background, limits, sandbox, subagents; hooks and MCP servers. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  addMembers,
  type Check,
  holds,
  type LiveRun,
  type LiveWorld,
  resultText,
  same,
  type Scenario,
} from "./live_harness.ts";
import { type CallStep, type Step, SUBAGENT_PROMPT, SUBAGENT_STEP } from "./model_server.ts";

const OUTPUT = "$TMPDIR/claude-*/*/*/tasks/$TASK.output";

type Runs = Parameters<Scenario["checks"]>[0];

/** Waits until the file of a command in the background has a line, and shows it. */
const until = (line: string) => `until grep -q '^${line}' ${OUTPUT}; do sleep 0.1; done; cat ${OUTPUT}`;

/** How many processes run `sleep SECONDS`; those that were ended have three seconds. */
const sleeping = (seconds: number) =>
  `for i in $(seq 30); do pgrep -f '[s]leep ${seconds}' >/dev/null || break; sleep 0.1; done; pgrep -fc '[s]leep ${seconds}'`;

/** Compares an fd with the same output, made again. */
const isExact = (output: string) =>
  `test "$(fdtool read $FD --all --format raw | sha256sum)" = "$({ ${output}; } | sha256sum)" && echo exact`;

const BACKGROUND: readonly CallStep[] = [
  { shell: "seq 1 20000; sleep 1.5; echo end", more: { run_in_background: true } },
  { shell: until(".exited") },
  { shell: "echo up; sleep 301; echo late", more: { run_in_background: true } },
  { shell: until("up") },
  { tool: "TaskStop", args: { task_id: "$TASK" } },
  { shell: sleeping(301) },
  { shell: "seq 1 20000; sleep 2; echo over", more: { timeout: 1000 } },
  { shell: until(".exited") },
];

const LIMITED: readonly CallStep[] = [
  { shell: "echo a; sleep 302", more: { timeout: 3000 } },
  { shell: sleeping(302) },
];

const LARGE: readonly CallStep[] = [
  { shell: "seq 1 5000" },
  { shell: "seq 1 5000; echo oops >&2; exit 3" },
  { shell: "fdtool stat $FD" },
  { shell: isExact("seq 1 5000; echo oops") },
];

const SUBAGENT: CallStep = {
  tool: "Agent",
  args: { description: "scripted", prompt: SUBAGENT_PROMPT, subagent_type: "general-purpose" },
};

const SANDBOXED: readonly CallStep[] = [
  { shell: "echo a; echo b >&2; exit 4" },
  { shell: "touch /usr/made; echo $?; pwd; touch made && rm made; cat /proc/1/comm" },
];

/** fdtool is moved away in the middle of a session, and comes back. */
export const GONE: readonly CallStep[] = [
  { shell: "mv ~/../bin/fdtool ~/../bin/gone" },
  { shell: "seq 1 3000; echo oops >&2; exit 3" },
  { shell: "cd /; pwd" },
  { shell: "mv ~/../bin/gone ~/../bin/fdtool" },
];

const SERVED: readonly CallStep[] = [
  { shell: "ls -d /" },
  { shell: "ls /does/not/exist" },
  { tool: "read_fd", args: { fd: "fd:999" } },
];

export const SHELL_SCENARIOS: readonly Scenario[] = [
  // First in a run that others share: the bytes have the number of the step.
  {
    name: "hooks and servers",
    what: "What a user's hooks and an MCP server read and write",
    short: "compared",
    arrange: (world) => {
      const { root } = world;
      const command = logged(root, "hook", "sed -n '$s/.*/{}/p'");
      const hooks = [{ matcher: "Bash", hooks: [{ type: "command", if: "Bash(ls:*)", command }] }];
      settings(world, {
        ...ALL_TOOLS,
        enableAllProjectMcpServers: true,
        hooks: { PreToolUse: hooks, PostToolUse: hooks, PostToolUseFailure: hooks },
      });
      const line = logged(root, "mcp", `FDTOOL_STORE=${root}/store ${root}/bin/fdtool mcp`);
      addMembers(world, "project/.mcp.json", {
        mcpServers: { probe: { command: "sh", args: ["-c", line] } },
      });
    },
    without: SERVED,
    with: SERVED,
    checks: (runs) => [
      ...sameResults(runs, SERVED),
      ...["hook-in", "hook-out", "mcp-in", "mcp-out"].map((name) => {
        // Hooks have those of later commands too, before each and after it.
        const lineCount = name.startsWith("hook") ? 4 : undefined;
        const [one = "", other] = logsOf(runs.world, name, lineCount);
        return { ...same(`the bytes of ${name}`, other, one), ok: one.length > 2 && one === other };
      }),
    ],
  },
  {
    name: "background",
    what: "Commands in the background and over their time limit: polled, stopped, nothing lost, nothing left",
    short: "compared",
    arrange: (world) => settings(world, ALL_TOOLS),
    without: BACKGROUND,
    with: [
      ...BACKGROUND.slice(0, 2),
      { shell: isExact("seq 1 20000; echo end") },
      ...BACKGROUND.slice(2),
      { shell: isExact("seq 1 20000; echo over") },
    ],
    checks: (runs) => [
      same("background output is exact", resultText(runs.with, 2), "exact"),
      ...[2, 3, 4, 5].map((step) => sameResult(runs, step, step + 1)),
      holds("what was stopped is gone", resultText(runs.with, 6), "0"),
      holds("over its limit, the model gets the fd", resultText(runs.with, 7), "(live)"),
      same("which is exact at the end", resultText(runs.with, 9), "exact"),
    ],
  },
  {
    name: "killed at the limit",
    what: "Commands that Claude Code kills at their time limit",
    arrange: (world) => settings(world, { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" } }),
    without: LIMITED,
    with: [
      ...LIMITED,
      { shell: "seq 1 20000; sleep 303", more: { timeout: 2000 } },
      { shell: `${sleeping(303)}; ${isExact("seq 1 20000")}` },
    ],
    checks: (runs) => [
      ...sameResults(runs, LIMITED),
      holds("large output is an fd", resultText(runs.with, 2), "(live)"),
      same("whole, and no process is left", resultText(runs.with, 3), "0\nexact"),
    ],
  },
  {
    name: "subagent",
    what: "Commands of a subagent: stored, and known by what the model wrote",
    without: [SUBAGENT],
    with: [SUBAGENT],
    subagent: LARGE,
    checks: ({ with: seen }) => largeIsStored(seen, SUBAGENT_STEP),
  },
  ...(["", "~/.local/state/fdtool"] as const).map((store): Scenario => ({
    name: store === "" ? "sandbox" : "sandbox with the store",
    what: `In Claude Code's sandbox, where the store ${store === "" ? "cannot" : "can"} be written`,
    arrange: (world) =>
      settings(world, {
        sandbox: { enabled: true, filesystem: { allowWrite: store === "" ? [] : [store] } },
      }),
    without: SANDBOXED,
    with: [...SANDBOXED, ...LARGE],
    checks: (runs) => [
      ...sameResults(runs, SANDBOXED),
      ...store === ""
        ? [
          holds("one line says why", resultText(runs.with, 2), "the file system is read-only"),
          holds("and the output is as it was", resultText(runs.with, 3), "\n3\n4\n5\n"),
        ]
        : largeIsStored(runs.with, SANDBOXED.length),
    ],
  })),
];

/** No tool has to be searched for. */
const ALL_TOOLS = { env: { ENABLE_TOOL_SEARCH: "false" } };

function settings(world: LiveWorld, more: Readonly<Record<string, unknown>>): void {
  addMembers(world, "home/.claude/settings.json", more);
}

/** A shell line that runs `command`, and keeps its input and its output in files of the session. */
function logged(root: string, name: string, command: string): string {
  const log = (way: string) => `"${root}/${name}-${way}-$CLAUDE_CODE_SESSION_ID"`;
  return `tee -a ${log("in")} | ${command} | tee -a ${log("out")}`;
}

/** The first lines of the logs of that name, the older first. */
function logsOf({ root }: LiveWorld, name: string, lineCount: number | undefined): string[] {
  const paths = readdirSync(root).filter((each) => each.startsWith(`${name}-`)).map((each) =>
    join(root, each)
  );
  return paths.sort((one, other) => statSync(one).mtimeMs - statSync(other).mtimeMs)
    .map((path) => readFileSync(path, "utf8").split("\n", lineCount).join("\n"))
    .map((text) => plain(text, root).replace(/"duration_ms":\d+/g, ""));
}

function largeIsStored(seen: LiveRun, first: number): Check[] {
  const result = (at: number) => resultText(seen, first + at);
  return [
    holds("large output is stored", result(0), '<fd_result fd="fd:'),
    holds("and a failing command's", result(1), "Exit code 3\n<fd_result"),
    same("exactly", result(3), "exact"),
    holds("as what the model wrote", result(2), `command="-c 'seq 1 5000; echo oops &gt;&amp;2; exit 3'"`),
  ];
}

/** Without names that are new in each run. */
function plain(text: string, root: string): string {
  return text.replaceAll(root, "ROOT")
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "SESSION")
    .replace(/(\bID: |tasks\/|"?task_id"?: ?"?|task: )\w+/g, "$1TASK");
}

/** The result of a step is that of `stepWith` with fdtool. */
export function sameResult(
  { without, with: seen, world: { root } }: Runs,
  step: number,
  stepWith = step,
): Check {
  const [text, other] = [plain(resultText(without, step), root), plain(resultText(seen, stepWith), root)];
  return same(`step ${step} is as without: ${text.slice(0, 40)}`, other, text);
}

/** Each step's result is the same in both runs, except names that are new in each. */
export function sameResults(runs: Runs, steps: readonly Step[]): Check[] {
  return steps.map((_, step) => sameResult(runs, step));
}
