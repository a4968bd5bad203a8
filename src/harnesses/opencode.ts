import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import {
  type Harness,
  memoryFile,
  problem,
  serverCommand,
  serverPart,
  type Setup,
  shellScript,
  type WiringSpec,
} from "./harness.ts";
import { pluginStart } from "./hook_call.ts";

const isOurs = (value: unknown) => typeof value === "string" && /[\\/]fdtool[\\/]\w+$/.test(value);

/** The plugin sees only results and changes no call, so permission rules keep their meaning. */
export const opencode: Harness = {
  name: "opencode",
  title: "OpenCode",
  program: "opencode",
  ranWith: "1.18.33",
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      path: (setup) => join(ownDirectory(setup), "plugins", "fdtool.js"),
      parts: (setup) => [{ kind: "file", text: pluginText(setup), mark: "fdtool install opencode" }],
    },
    {
      via: "mcp",
      scopes: ["user", "project"],
      path: settingsPath,
      parts: (setup) => {
        const { command, args } = serverCommand(setup);
        return [serverPart(["mcp"], { type: "local", command: [command, ...args], enabled: true })];
      },
      claims: (path) => /\.jsonc?$/.test(path),
      ownMembers: ["$schema"],
    },
    {
      via: "shell",
      scopes: ["user"],
      path: settingsPath,
      parts: (setup) => [{ kind: "json", path: [], key: "shell", value: scriptPath(setup), isOurs }],
      needs: () => SCRIPT,
      ownMembers: ["$schema"],
    },
    memoryFile({ user: (setup) => join(ownDirectory(setup), "AGENTS.md"), project: "AGENTS.md" }),
  ],
  inspect: ({ version, installed }) =>
    installed.includes("hook") && Number(/^\d+/.exec(version ?? "")?.[0]) >= 2
      ? [
        problem(
          `OpenCode ${version} does not load plugins of OpenCode 1`,
          "fdtool uninstall opencode && fdtool install opencode --via mcp",
        ),
      ]
      : [],
  loadHook: async () => (await import("./answer_hook.ts")).answerOpenCode,
};

/** OpenCode takes the settings of a shell from its name. */
const SCRIPT: WiringSpec = {
  via: "shell",
  scopes: ["user"],
  path: scriptPath,
  parts: (setup) => [
    shellScript("opencode", setup, { lines: "", shell: basename(scriptPath(setup)), args: '"$@"' }),
  ],
};

function scriptPath(setup: Setup): string {
  const isZsh = basename(setup.env["SHELL"] ?? "") === "zsh";
  return resolve(setup.cwd, ownDirectory(setup), "fdtool", isZsh ? "zsh" : "bash");
}

function settingsPath(setup: Setup): string {
  const json = setup.scope === "user" ? join(ownDirectory(setup), "opencode.json") : "opencode.json";
  const isThere = (path: string) => existsSync(resolve(setup.cwd, path));
  return !isThere(json) && isThere(`${json}c`) ? `${json}c` : json;
}

function ownDirectory({ scope, env, home }: Setup): string {
  return scope === "user" ? join(env["XDG_CONFIG_HOME"] ?? home(".config"), "opencode") : ".opencode";
}

/**
 * The plugin: it changes no call, and nothing of what the user sees. Of an MCP server it gets what the server sent; a failed
 * call does not reach it.
 */
function pluginText(setup: Setup): string {
  return `${pluginStart(setup, "opencode")}
export const FdtoolPlugin = async () => ({
  "tool.execute.after": async (input, result) => {
    try {
      const { content, output, metadata } = result;
      if (Array.isArray(content)) {
        // Text alone, and not fdtool's: everything else stays.
        if (/^fdtool_/.test(input.tool) || result.structuredContent !== undefined) return;
        if (!content.every(({ type }) => type === "text")) return;
        const output = content.map(({ text }) => text);
        if (output.join("\\n").length <= ${DEFAULT_THRESHOLD_CHARS}) return;
        const shown = await replacement({ tool: input.tool, command: JSON.stringify(input.args), output });
        if (shown !== "") result.content = [{ type: "text", text: shown.trimEnd() }];
        return;
      }
      if (!/^(?:bash|webfetch)$/.test(input.tool) || typeof output !== "string") return;
      const path = metadata?.truncated === true ? metadata.outputPath : undefined;
      if (path === undefined && output.length <= ${DEFAULT_THRESHOLD_CHARS}) return;
      // OpenCode's own note about a command that it ended is not output of the command.
      const note = /\\n*<shell_metadata>(?:(?!<shell_metadata>)[^])*<\\/shell_metadata>\\s*$/.exec(output)?.[0] ?? "";
      const shown = await replacement({
        ...input.tool === "bash" ? {} : { tool: input.tool },
        command: input.args?.command ?? JSON.stringify(input.args),
        output: path === undefined ? output.slice(0, output.length - note.length) : "",
        output_path: path,
        exit_code: metadata?.exit,
      });
      if (shown !== "") result.output = shown.trimEnd() + note;
    } catch {
      // The result stays as it is.
    }
  },
});
`;
}
