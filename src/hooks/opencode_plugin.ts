/**
 * The plugin for OpenCode: it passes large results of the shell tool to `fdtool hook opencode` and shows the model the
 * answer. The command and the user's view are not changed. If anything fails, the result stays.
 */

import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import type { Setup } from "./harness.ts";

/** The plugin's source. It uses only Node's built-ins. */
export function pluginText({ program, storeOption }: Setup): string {
  const store = storeOption === undefined ? [] : ["--store", storeOption];
  const words = ["hook", "opencode", ...store].map((word) => JSON.stringify(word)).join(", ");
  return `// Written by \`fdtool install opencode\`; \`fdtool uninstall opencode\` removes it.
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

export const FdtoolPlugin = async () => ({
  "tool.execute.after": async (input, result) => {
    try {
      const { output, metadata } = result;
      if (input.tool !== "bash" || typeof output !== "string") return;
      const path = metadata?.truncated === true ? metadata.outputPath : undefined;
      if (path === undefined && output.length <= ${DEFAULT_THRESHOLD_CHARS}) return;
      // OpenCode's own note about a command that it ended is not output of the command.
      const note = /\\n*<shell_metadata>(?:(?!<shell_metadata>)[^])*<\\/shell_metadata>\\s*$/.exec(output)?.[0] ?? "";
      const shown = await replacement({
        command: input.args?.command,
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
