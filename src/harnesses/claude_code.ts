import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ifPossible } from "../../fd/system.ts";
import { listFew } from "../answers/parts/first_few.ts";
import { UNASKED_COMMANDS } from "../calls/terms/command.ts";
import { findProgram } from "../calls/streams/find_program.ts";
import {
  directory,
  type FoundElement,
  type Harness,
  type HarnessView,
  hooksTurnedOff,
  memoryFile,
  names,
  note,
  type Part,
  problem,
  type Remark,
  serverCommand,
  serverPart,
  settingsIn,
  type Setup,
  shellScript,
  turnedOff,
  type WiringSpec,
} from "./harness.ts";
import { membersIn } from "../calls/requests/json_object.ts";
import { settingsHook } from "./hook_call.ts";

const own = directory("CLAUDE_CONFIG_DIR", [".claude"], ".claude");

const READING_RULES = UNASKED_COMMANDS.map((command) => `Bash(fdtool ${command}:*)`);

export const claudeCode: Harness = {
  name: "claude-code",
  title: "Claude Code",
  program: "claude",
  loadHook: async () => (await import("./claude_code_answer.ts")).answerClaudeCode,
  ranWith: "2.1.330",
  inspect: inspectSwitches,
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      mayReadFiles: true,
      path: own("settings.json"),
      parts: (setup) => {
        const hook = (event: string, tools: string, ...options: readonly string[]) =>
          settingsHook(setup, { name: "claude-code", event, tools, options });
        return [
          hook("PostToolUse", TEXT_TOOLS),
          hook("PostToolUseFailure", "Bash"),
          ...setup.readsFiles === true ? [hook("PostToolUse", "Read", "--tools", "read")] : [],
          ...shellParts(setup),
          ...setup.hasRules ? READING_RULES.map(rulePart) : [],
        ];
      },
      needs: (setup) => mayBeShell(setup) ? SHELL : undefined,
      remarks: (setup) => [
        ...shellRemarks(setup),
        setup.hasRules
          ? `Claude Code will no longer ask before fdtool ${listFew(UNASKED_COMMANDS, 9)}.`
          : "No permission rules were added; those that an earlier install added stay until fdtool uninstall.",
        "Restart any running Claude Code; then let it run `seq 1 100000`: its answer should name an fd.",
      ],
    },
    {
      via: "mcp",
      scopes: ["project"],
      path: () => ".mcp.json",
      parts: (setup) => [serverPart(["mcpServers"], serverCommand(setup))],
      claims: (path) => path.endsWith(".mcp.json"),
      otherwise: "--project (.mcp.json); for the user, Claude Code writes its own file: claude mcp add",
    },
    memoryFile({ user: own("CLAUDE.md"), project: "CLAUDE.md" }),
  ],
};

/** Reports settings that turn off what is installed. */
function inspectSwitches(view: HarnessView): Remark[] {
  const { setup, installed, read } = view;
  const managed = MANAGED_SETTINGS.map((path) => ({ path, settings: settingsIn(read(path)) }));
  const own = [join(".claude", "settings.local.json"), join(".claude", "settings.json"), userSettings(setup)]
    .map((path) => ({ path, settings: settingsIn(read(path)) }));
  const remarks: Remark[] = [];
  const shell = membersIn(settingsIn(read(userSettings(setup)))["env"])[PREFIX];
  if (typeof shell === "string" && OUR_SHELL.test(shell)) {
    const { kind } = findProgram(shell, setup.cwd, setup.env["PATH"]);
    if (kind !== "program") {
      remarks.push(
        problem(
          `no command runs: ${shell} (${PREFIX} in ${userSettings(setup)}) is missing or not executable`,
          "fdtool uninstall claude-code && fdtool install claude-code",
        ),
      );
    }
  }
  const foreign = installed.includes("hook") ? foreignPrefix(setup) : undefined;
  if (foreign !== undefined) {
    remarks.push(
      note(
        foreignSentence(foreign),
        `remove ${PREFIX} from ${userSettings(setup)}, then fdtool install claude-code`,
      ),
    );
  }
  if (installed.includes("hook")) {
    remarks.push(...hooksTurnedOff(view, [...managed, ...own].map(({ path }) => path)));
    const others = managed.find(({ settings }) => settings["allowManagedHooksOnly"] === true);
    if (others !== undefined) {
      remarks.push(turnedOff(others.path, "allowManagedHooksOnly", "only hooks of that file run"));
    }
    const sandboxes = [...managed, ...own].map(({ settings }) => membersIn(settings["sandbox"]));
    const writable = sandboxes.flatMap(({ filesystem }) => names(membersIn(filesystem)["allowWrite"]))
      .map((path) => String(path).replace(/^~\//, setup.home("/")));
    const isSandboxed = sandboxes.find(({ enabled }) => typeof enabled === "boolean")?.["enabled"] === true;
    if (isSandboxed && !writable.some((path) => `${setup.storePath}/`.startsWith(join(path, "/")))) {
      const mend = `add ${JSON.stringify(setup.storePath)} to sandbox.filesystem.allowWrite in ${
        userSettings(setup)
      }`;
      remarks.push(
        note("in its sandbox no command can store its output: of one that fails, it is cut", mend),
      );
    }
  }
  const disabled = [...managed, ...own].find(({ settings }) =>
    names(settings["disabledMcpjsonServers"]).includes("fdtool")
  );
  if (installed.includes("mcp") && disabled !== undefined) {
    remarks.push(turnedOff(disabled.path, "disabledMcpjsonServers", "the server fdtool is not started"));
  }
  return remarks;
}

/** Of Linux and macOS. */
const MANAGED_SETTINGS = [
  "/etc/claude-code/managed-settings.json",
  "/Library/Application Support/ClaudeCode/managed-settings.json",
];

function userSettings(setup: Setup): string {
  return own("settings.json")({ ...setup, scope: "user" });
}

/** The tools whose results may be text. */
const TEXT_TOOLS = "Bash|WebFetch|mcp__.*";

const SHELL: WiringSpec = {
  via: "hook",
  label: "shell",
  scopes: ["user"],
  path: shellPath,
  parts: (setup) => [
    shellScript("claude-code", setup, { lines: NOT_THE_MODELS, shell: "${SHELL:-bash}", args: '-c "$1"' }),
  ],
  farewell: "Restart any running Claude Code; until then it still starts every command through that file.",
};

/** The variable with the program that Claude Code starts for each command line, with that line as its only argument. */
const PREFIX = "CLAUDE_CODE_SHELL_PREFIX";

/** The program itself, and what was written before there was one. */
const OUR_SHELL = /(?:^|[\\/])fdtool(?:-shell|[^\\/]* -c)$/;

/** Only in the user's own settings: those of a project are for people without fdtool, too. */
function shellParts(setup: Setup): Part[] {
  if (!mayBeShell(setup)) return [];
  const isOurs = (value: unknown) => typeof value === "string" && OUR_SHELL.test(value);
  return [{ kind: "json", path: ["env"], key: PREFIX, value: shellPath(setup), isOurs, yields: true }];
}

/** The program that Claude Code starts for each command, if it is not fdtool. */
function foreignPrefix(setup: Setup): string | undefined {
  const text = ifPossible(() => readFileSync(userSettings(setup), "utf8"));
  const prefix = membersIn(settingsIn(text)["env"])[PREFIX];
  return typeof prefix === "string" && prefix !== "" && !OUR_SHELL.test(prefix) ? prefix : undefined;
}

function shellRemarks(setup: Setup): string[] {
  if (setup.scope !== "user") return [];
  const foreign = foreignPrefix(setup);
  if (foreign !== undefined) return [foreignSentence(foreign)];
  return mayBeShell(setup) ? [`fdtool is the shell of Claude Code's commands (${PREFIX}).`] : [];
}

function foreignSentence(prefix: string): string {
  return `${PREFIX} is ${
    JSON.stringify(prefix)
  }, which stays: the output of commands that fail is not stored. ` +
    `To store it, let that program end in: fdtool shell -c "$1"`;
}

/** Claude Code takes " -" for the begin of the program's options; Windows starts no script for an MCP server. */
function mayBeShell(setup: Setup): boolean {
  return setup.scope === "user" && process.platform !== "win32" && !shellPath(setup).includes(" -") &&
    (setup.isRemoval === true || foreignPrefix(setup) === undefined);
}

function shellPath(setup: Setup): string {
  return resolve(setup.cwd, own("fdtool-shell")({ ...setup, scope: "user" }));
}

/**
 * Claude Code starts hooks and MCP servers, whose streams are a protocol, in the same way. It says in AI_AGENT for whom, and
 * in SHELL which shell it would use.
 */
const NOT_THE_MODELS =
  `# Claude Code starts this with each command line. fdtool runs the model's, unless it was removed.
case $AI_AGENT in
*_agent) ;;
*) exec /bin/sh -c "$1" ;;
esac
`;

function rulePart(rule: string): Part {
  const findIn = (list: unknown): FoundElement | undefined => {
    const index = Array.isArray(list) ? list.indexOf(rule) : -1;
    return index < 0 ? undefined : { path: [index], isCurrent: true };
  };
  const path = ["permissions", "allow"];
  return { kind: "json", path, key: undefined, value: rule, findIn, mayBeUsers: true };
}
