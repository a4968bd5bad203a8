/**
 * What is written for each harness, and where: data from the harnesses' public documentation. docs/decisions.md names the
 * pages, and says why each harness is wired as it is.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { shellWord } from "../next_command.ts";
import { failUsage } from "../usage_failure.ts";
import { pluginText } from "./opencode_plugin.ts";
import type { FdtoolCall } from "./wrap_command.ts";

export const HARNESSES = ["claude-code", "gemini-cli", "codex", "opencode"] as const;
export type Harness = typeof HARNESSES[number];

/** `hook`: every shell command is rewritten. `mcp`: fdtool's tools are registered. */
export type Wiring = "hook" | "mcp";

/** One part of a configuration: what is added to which file, and how it is known again. */
export type Part =
  | {
    kind: "json";
    /** The object or the list that it is added to; what is missing of the way there is made. */
    path: readonly string[];
    /** The member's name; undefined for an element of a list. */
    key: string | undefined;
    value: unknown;
    /** For an element of a list: where in the list ours is, whatever program and store it names, and if it is as wanted. */
    findIn?(list: unknown): FoundElement | undefined;
  }
  | { kind: "toml"; table: readonly string[]; lines: readonly string[]; value: unknown }
  /** The whole file is ours. */
  | { kind: "file"; text: string; mark: string };

/** A place in a list, as the indices and keys that lead to it. */
export interface FoundElement {
  path: readonly (number | string)[];
  isAsWanted: boolean;
}

/** Where a configuration is: the user's own, or a project's. */
export interface SettingsPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  scope: "user" | "project";
}

/** Every way in which a harness can be wired in that scope. */
export function possibleWirings(harness: Harness, scope: SettingsPlace["scope"]): readonly Wiring[] {
  switch (harness) {
    case "claude-code":
      return scope === "user" ? ["hook"] : ["hook", "mcp"];
    case "opencode":
      return ["mcp", "hook"];
    case "gemini-cli":
    case "codex":
      return ["mcp"];
  }
}

/** How a harness is wired where the caller does not say. */
export function defaultWiring(harness: Harness, configPath: string | undefined): Wiring {
  switch (harness) {
    case "claude-code":
      return configPath?.endsWith(".mcp.json") === true ? "mcp" : "hook";
    case "opencode":
      return configPath !== undefined && /\.[cm]?[jt]s$/.test(configPath) ? "hook" : "mcp";
    case "gemini-cli":
    case "codex":
      return "mcp";
  }
}

/** The file that the configuration is in. Relative paths of a project are relative to the working directory. */
export function settingsPath(harness: Harness, wiring: Wiring, { env, cwd, scope }: SettingsPlace): string {
  const isUser = scope === "user";
  const home = (...names: string[]) => {
    if (env["HOME"] !== undefined && env["HOME"] !== "") return join(env["HOME"], ...names);
    const wanted = "a HOME, or --project or --config FILE";
    return failUsage({ kind: "bad_value", command: "install", option: "--user", got: "no HOME", wanted });
  };
  switch (harness) {
    case "claude-code":
      if (wiring === "hook") {
        const directory = isUser ? env["CLAUDE_CONFIG_DIR"] ?? home(".claude") : ".claude";
        return join(directory, "settings.json");
      }
      if (!isUser) return ".mcp.json";
      return failUsage({
        kind: "bad_value",
        command: "install",
        option: "--user",
        got: "claude-code over mcp",
        wanted: "--project (.mcp.json); for the user, Claude Code writes its own file: claude mcp add",
      });
    case "gemini-cli":
      return isUser ? home(".gemini", "settings.json") : join(".gemini", "settings.json");
    case "codex":
      return isUser
        ? join(env["CODEX_HOME"] ?? home(".codex"), "config.toml")
        : join(".codex", "config.toml");
    case "opencode": {
      const own = isUser ? join(env["XDG_CONFIG_HOME"] ?? home(".config"), "opencode") : ".opencode";
      if (wiring === "hook") return join(own, "plugins", "fdtool.js");
      const json = isUser ? join(own, "opencode.json") : "opencode.json";
      return !existsSync(resolve(cwd, json)) && existsSync(resolve(cwd, `${json}c`)) ? `${json}c` : json;
    }
  }
}

/** What is added. */
export function settingsPart(harness: Harness, wiring: Wiring, call: FdtoolCall): Part {
  const { program, storeOption } = call;
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  const server = { command: program, args: ["mcp", ...store] };
  if (wiring === "mcp") {
    switch (harness) {
      case "claude-code":
      case "gemini-cli":
        return serverPart(["mcpServers"], server);
      case "codex":
        return {
          kind: "toml",
          table: ["mcp_servers", "fdtool"],
          lines: [
            "[mcp_servers.fdtool]",
            `command = ${JSON.stringify(program)}`,
            `args = [${server.args.map((word) => JSON.stringify(word)).join(", ")}]`,
          ],
          value: server,
        };
      case "opencode":
        return serverPart(["mcp"], { type: "local", command: [program, ...server.args], enabled: true });
    }
  }
  switch (harness) {
    case "claude-code": {
      const line = [program, "hook", "claude-code", ...store].map(shellWord).join(" ");
      // Whatever becomes of the hook, the command runs: exit code 2 would forbid it.
      const hook = { type: "command", command: `${line} || true` };
      return {
        kind: "json",
        path: ["hooks", "PreToolUse"],
        key: undefined,
        value: { matcher: "Bash", hooks: [hook] },
        findIn: (list) => findHook(list, hook.command),
      };
    }
    case "opencode":
      return { kind: "file", text: pluginText(call), mark: "fdtool install opencode" };
    case "gemini-cli":
    case "codex":
      return failUsage({
        kind: "bad_value",
        command: "install",
        option: "--via",
        got: "hook",
        wanted: `mcp for ${harness} (docs/agents.md says why)`,
      });
  }
}

function serverPart(path: readonly string[], value: unknown): Part {
  return { kind: "json", path, key: "fdtool", value };
}

const OUR_HOOK = /(?:^|[/'"])fdtool['"]? hook claude-code\b/;
const hookGroup = v.object({ hooks: v.array(v.unknown()) });
const hookCommand = v.object({ command: v.string() });

/** Our hook among the groups of PreToolUse: the group where it is alone, else its place in the group. */
function findHook(list: unknown, wanted: string): FoundElement | undefined {
  if (!Array.isArray(list)) return undefined;
  for (const [groupIndex, group] of list.entries()) {
    const { hooks } = v.is(hookGroup, group) ? group : { hooks: [] };
    for (const [index, hook] of hooks.entries()) {
      if (!v.is(hookCommand, hook) || !OUR_HOOK.test(hook.command)) continue;
      const path = hooks.length === 1 ? [groupIndex] : [groupIndex, "hooks", index];
      return { path, isAsWanted: hook.command === wanted };
    }
  }
  return undefined;
}
