/**
 * Answers the hooks of harnesses: stores the output that the harness passes on, if it is large, and returns the preview in
 * the harness's own form. What is read is what the harness's program wrote when it was tried (docs/agents.md).
 */

import { membersIn } from "../calls/requests/json_object.ts";
import type { SavedResults } from "./open_saved.ts";
import { hookOf, joinedTexts, textIn } from "./replace_result.ts";

/** Calls by fdtool's own plugins, whose output is one text, or those of an MCP server. */
const pluginHook = (title: string, isTextInFile: boolean, saved: SavedResults) =>
  hookOf(title, saved, ({ tool, command, output, output_path: path, exit_code: code }) => {
    const texts = [output].flat();
    const isWhole = texts.every((text): text is string => typeof text === "string");
    if (!isWhole) return { got: "JSON without a valid output" };
    const exitCode = Number.isInteger(code) ? Number(code) : undefined;
    if (exitCode === undefined && (code ?? undefined) !== undefined) {
      return { got: "JSON without a valid exit_code" };
    }
    const result = { path: textIn(path), tool: textIn(tool), command: textIn(command) };
    return { ...joinedTexts(texts), ...result, isTextInFile, exitCode };
  });

const OPENCODE = {
  inHome: ".local/share",
  variables: ["XDG_DATA_HOME"],
  path: /[\\/]opencode[\\/]tool-output[\\/][^\\/]+$/,
};

export const answerOpenCode = pluginHook("OpenCode", true, OPENCODE);
export const answerPi = pluginHook("pi", false, { path: /[\\/]pi-bash-[0-9a-f]+\.log$/ });

/** Its file has what its terminal showed: text without escape sequences. */
export const answerCopilotCli = hookOf(
  "GitHub Copilot CLI",
  { path: /-copilot-tool-output-[^\\/]*$/ },
  ({ toolName, toolArgs, toolResult }) => {
    const result = membersIn(toolResult);
    const shown = textIn(result["textResultForLlm"]);
    if (shown === undefined) return { got: "JSON without a valid toolResult.textResultForLlm" };
    // Only a command that ended has this line.
    const [end, code] = /\n<shellId: \S+ completed with exit code (\d+)>$/.exec(shown) ?? [];
    if (toolName !== "bash" || end === undefined) return undefined;
    return {
      path: /^Output too large to read at once [^\n]* Saved to: ([^\n]*-copilot-tool-output-[^\n/]*)\n/.exec(
        shown,
      )?.[1],
      text: shown.slice(0, shown.length - end.length),
      isTextInFile: true,
      isTrimmed: true,
      command: textIn(membersIn(toolArgs)["command"]),
      exitCode: Number(code),
      around: (preview) => ({ modifiedResult: { ...result, textResultForLlm: preview + end } }),
    };
  },
);

/**
 * Qwen Code lets a hook only add to a result. It adds what Qwen Code cut away: the lines that matter, and where all of it is.
 * The file that Qwen Code wrote has its own lines around the output.
 */
export const answerQwenCode = hookOf(
  "Qwen Code",
  {
    inHome: ".qwen",
    variables: ["QWEN_RUNTIME_DIR", "QWEN_HOME"],
    path: /[\\/]run_shell_command_\w+\.output$/,
  },
  ({ hook_event_name: event, tool_name, tool_input, tool_response, error }) => {
    if (typeof event !== "string" || typeof tool_name !== "string") {
      return { got: "JSON without a valid tool_name" };
    }
    const command = textIn(membersIn(tool_input)["command"]) ?? "";
    const shown = membersIn(tool_response)["llmContent"] ?? error;
    if (tool_name !== "run_shell_command" || typeof shown !== "string") return undefined;
    const path =
      /^Tool output was too large [^\n]*\n[^\n]* saved to: ([^\n]*\/run_shell_command_\w+\.output)\n/
        .exec(shown)?.[1];
    if (path === undefined) return undefined;
    return {
      text: "",
      path,
      fromFile(whole) {
        const begin = "\nOutput: ";
        const from = whole.indexOf(begin, whole.indexOf(command) + command.length);
        const to = whole.lastIndexOf("\nError: ");
        const code = /\nExit Code: (\d+)\n/.exec(whole.slice(to))?.[1];
        return {
          text: from < 0 || to < from ? whole : whole.slice(from + begin.length, to),
          exitCode: code === undefined ? undefined : Number(code),
        };
      },
      isTrimmed: true,
      command,
      isUntagged: true,
      around: (preview) => ({
        hookSpecificOutput: {
          hookEventName: event,
          additionalContext: `fdtool kept all of this output. The lines that matter${
            /[<>]/.test(preview) ? " (&lt; is <)" : ""
          }:\n${preview}`,
        },
      }),
    };
  },
);
