import { DEFAULT_THRESHOLD_CHARS } from "../capturing/capture_options.ts";
import { directory, type Harness, memoryFile, type Setup } from "./harness.ts";
import { pluginStart } from "./hook_call.ts";

const own = directory("PI_CODING_AGENT_DIR", [".pi", "agent"], ".pi");

/**
 * The extension sees results and changes no command. Why not its `shellCommandPrefix`: pi ends a command by SIGKILL to its
 * whole group, fdtool included, and what was held back until then is lost (docs/decisions.md).
 */
export const pi: Harness = {
  name: "pi",
  title: "pi",
  program: "pi",
  ranWith: "1.6.0",
  wirings: [
    {
      via: "hook",
      scopes: ["user", "project"],
      path: own("extensions", "fdtool.js"),
      parts: (setup) => [{ kind: "file", text: extensionText(setup), mark: "fdtool install pi" }],
      remarks: ({ scope }) => scope === "user" ? [] : ["pi loads it once you trust the project (/trust)."],
    },
    memoryFile({ user: own("AGENTS.md"), project: "AGENTS.md" }),
  ],
  loadHook: async () => (await import("./answer_hook.ts")).answerPi,
};

/** Of a failed command, pi hands over the text alone: it names the file with all output, and ends with how it failed. */
function extensionText(setup: Setup): string {
  return `${pluginStart(setup, "pi")}
export default function (pi) {
  pi.on("tool_result", async ({ toolName, input, content, isError }) => {
    try {
      if (toolName !== "bash" || content.length !== 1 || content[0].type !== "text") return;
      const [{ text }] = content;
      const end = isError ? /\\n\\n(Command [^\\n]*)$/.exec(text)?.[0] ?? "" : "";
      const output = text.slice(0, text.length - end.length);
      const path = /\\n\\n\\[Showing [^\\n]* Full output: ([^\\n]*pi-bash-[0-9a-f]+\\.log)\\]$/.exec(output)?.[1];
      if (path === undefined && output.length <= ${DEFAULT_THRESHOLD_CHARS}) return;
      const shown = await replacement({
        command: input.command,
        output: path === undefined ? output : "",
        output_path: path,
        exit_code: isError ? Number(/ code (\\d+)$/.exec(end)?.[1]) : 0,
      });
      if (shown !== "") return { content: [{ type: "text", text: shown.trimEnd() + end }] };
    } catch {
      // The result stays as it is.
    }
  });
}
`;
}
