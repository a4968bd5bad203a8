/** How harnesses call `fdtool hook NAME`: from a line of their settings, or from a plugin. */

import { shellWord } from "../answers/parts/next_command.ts";
import { membersIn } from "../calls/requests/json_object.ts";
import { type FoundElement, names, type Part, type Setup } from "./harness.ts";

function hookWords(name: string, storeOption: string | undefined, options: readonly string[] = []): string[] {
  return ["hook", name, ...options, ...storeOption === undefined ? [] : ["--store", storeOption]];
}

/**
 * The line that calls the hook. Exit code 2 would report each call as failed to the model, and a missing fdtool after each
 * call.
 */
export function hookLine(
  { program, storeOption }: Setup,
  name: string,
  options: readonly string[] = [],
): string {
  // Harnesses run hooks with sh on every system.
  const words = [program, ...hookWords(name, storeOption, options)].map((word) => shellWord(word, "posix"));
  return `${words.join(" ")} || true`;
}

/** A hook in the settings of Claude Code, whose form others have, too. */
interface SettingsHook {
  /** The harness. */
  name: string;
  event: string;
  /** The tools after which it is called. */
  tools: string;
  options?: readonly string[];
}

export function settingsHook(
  setup: Setup,
  { name, event, tools, options = [] }: SettingsHook,
): Extract<Part, { kind: "json" }> {
  const command = hookLine(setup, name, options);
  const isOurs = (line: string) =>
    // A release's file has a longer name: `fdtool-linux-x64`.
    new RegExp(`(?:^|[\\\\/'"])fdtool(?:[-.][^\\\\/'"\\s]*)?['"]? hook ${name}\\b`).test(line) &&
    line.includes(" --tools ") === options.length > 0;
  return {
    kind: "json",
    path: ["hooks", event],
    key: undefined,
    value: { matcher: tools, hooks: [{ type: "command", command }] },
    findIn: (list) => findHook(list, isOurs, { tools, command }),
  };
}

/** Finds our hook in an event's groups: the whole group if it has no other hook, else the hook inside the group. */
function findHook(
  list: unknown,
  isOurs: (line: string) => boolean,
  wanted: { tools: string; command: string },
): FoundElement | undefined {
  for (const [groupIndex, group] of names(list).entries()) {
    const { hooks, matcher } = membersIn(group);
    for (const [index, hook] of names(hooks).entries()) {
      const { command } = membersIn(hook);
      if (typeof command !== "string" || !isOurs(command)) continue;
      const path = names(hooks).length === 1 ? [groupIndex] : [groupIndex, "hooks", index];
      return { path, isCurrent: command === wanted.command && matcher === wanted.tools };
    }
  }
  return undefined;
}

/**
 * The begin of a plugin's source, for harnesses that load JavaScript: `replacement(payload)` passes a result to
 * `fdtool hook NAME` and returns the answer, or "" if the result stays, whatever fails. It uses only Node's built-ins.
 */
export function pluginStart({ program, storeOption }: Setup, name: string): string {
  const words = hookWords(name, storeOption).map((word) => JSON.stringify(word)).join(", ");
  return `// Written by \`fdtool install ${name}\`; \`fdtool uninstall ${name}\` removes it.
// Large output of shell commands is stored by fdtool; the model sees a preview and a handle.
import { spawn } from "node:child_process";

function replacement(payload) {
  return new Promise((resolve) => {
    const child = spawn(${JSON.stringify(program)}, [${words}], { stdio: ["pipe", "pipe", "ignore"] });
    const limit = setTimeout(() => child.kill("SIGKILL"), 30000);
    const chunks = [];
    child.on("error", () => {
      clearTimeout(limit);
      resolve("");
    });
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve(code === 0 ? Buffer.concat(chunks).toString() : "");
    });
    child.stdin.end(JSON.stringify(payload));
  });
}
`;
}
