/**
 * The plugin for OpenCode: after each call of the shell tool it hands a large result to `fdtool hook opencode`, and shows
 * the model what comes back. The command is not touched, and neither is what the person is shown. Whatever goes wrong,
 * the result stands.
 *
 * @module
 */

import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import type { Setup } from "./harness.ts";

/** The plugin's whole text. It needs nothing but Node's built-ins. */
export function pluginText({ program, storeOption }: Setup): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  const words = ["hook", "opencode", ...store].map((word) => JSON.stringify(word)).join(", ");
  return `// Written by \`fdtool install opencode\`; \`fdtool uninstall opencode\` removes it.
// Large output of shell commands is kept by fdtool, and the model is shown a preview with its handle.
import { spawn } from "node:child_process";

function kept(payload) {
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

export const FdtoolPlugin = async () => ({
  "tool.execute.after": async (input, result) => {
    try {
      const { output, metadata } = result;
      if (input.tool !== "bash" || typeof output !== "string") return;
      const path = metadata?.truncated === true ? metadata.outputPath : undefined;
      if (path === undefined && output.length <= ${DEFAULT_THRESHOLD_CHARS}) return;
      // What OpenCode itself says of a command that it ended is not output of the command.
      const note = /\\n*<shell_metadata>(?:(?!<shell_metadata>)[^])*<\\/shell_metadata>\\s*$/.exec(output)?.[0] ?? "";
      const shown = await kept({
        command: input.args?.command,
        output: path === undefined ? output.slice(0, output.length - note.length) : "",
        output_path: path,
        exit_code: metadata?.exit,
      });
      if (shown !== "") result.output = shown.trimEnd() + note;
    } catch {
      // The result stands.
    }
  },
});
`;
}
