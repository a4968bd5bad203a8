/**
 * The plugin for OpenCode: it hands each call of the shell tool to `fdtool hook opencode`, and takes the command that
 * comes back. Whatever goes wrong, the command runs as it is.
 *
 * @module
 */

import type { Setup } from "./harness.ts";

/** The plugin's whole text. It needs nothing but Node's built-ins. */
export function pluginText({ program, storeOption }: Setup): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  const words = ["hook", "opencode", ...store].map((word) => JSON.stringify(word)).join(", ");
  return `// Written by \`fdtool install opencode\`; \`fdtool uninstall opencode\` removes it.
// Large output of shell commands is kept by fdtool, and a preview with its handle is shown instead.
import { spawn } from "node:child_process";

function rewritten(args) {
  return new Promise((resolve) => {
    const child = spawn(${JSON.stringify(program)}, [${words}], { stdio: ["pipe", "pipe", "ignore"] });
    let answer = "";
    child.on("error", () => resolve(undefined));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (chunk) => answer += chunk);
    child.on("close", (code) => {
      try {
        resolve(code === 0 && answer !== "" ? JSON.parse(answer).command : undefined);
      } catch {
        resolve(undefined);
      }
    });
    child.stdin.end(JSON.stringify({ tool_name: "bash", tool_input: args }));
  });
}

export const FdtoolPlugin = async () => ({
  "tool.execute.before": async (input, output) => {
    if (input.tool !== "bash") return;
    const command = await rewritten(output.args);
    if (typeof command === "string") output.args.command = command;
  },
});
`;
}
