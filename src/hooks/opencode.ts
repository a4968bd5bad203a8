import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Harness, serverCommand, serverPart, type Setup } from "./harness.ts";
import { memoryFile } from "./memory_paragraph.ts";
import { pluginText } from "./opencode_plugin.ts";

/** The plugin sees only results of the shell tool and changes no command, so permission rules keep their meaning. */
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
      path: (setup) => {
        const json = setup.scope === "user" ? join(ownDirectory(setup), "opencode.json") : "opencode.json";
        const isThere = (path: string) => existsSync(resolve(setup.cwd, path));
        return !isThere(json) && isThere(`${json}c`) ? `${json}c` : json;
      },
      parts: (setup) => {
        const { command, args } = serverCommand(setup);
        return [serverPart(["mcp"], { type: "local", command: [command, ...args], enabled: true })];
      },
      claims: (path) => /\.jsonc?$/.test(path),
      ownMembers: ["$schema"],
    },
    memoryFile({ user: (setup) => join(ownDirectory(setup), "AGENTS.md"), project: "AGENTS.md" }),
  ],
  inspect: ({ version, installed }) =>
    installed.includes("hook") && Number(/^\d+/.exec(version ?? "")?.[0]) >= 2
      ? [{
        state: "problem",
        what: `OpenCode ${version} does not load plugins of OpenCode 1`,
        mend: "fdtool uninstall opencode && fdtool install opencode --via mcp",
      }]
      : [],
  loadHook: async () => (await import("./opencode_hook.ts")).answerHook,
};

function ownDirectory({ scope, env, home }: Setup): string {
  return scope === "user" ? join(env["XDG_CONFIG_HOME"] ?? home(".config"), "opencode") : ".opencode";
}
