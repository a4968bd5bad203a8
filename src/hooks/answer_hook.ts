/**
 * Answers the hooks of harnesses: stores the output that the harness passes on, if it is large, and returns the preview in
 * the harness's own form. Each schema is what the harness's program wrote when it was tried (docs/agents.md).
 */

import * as v from "valibot";
import { utf8Text } from "../../fd/system.ts";
import { wholeFile } from "../writing/commit/inspect_target.ts";
import type { AnswerHook } from "./harness.ts";
import { joinedTexts, replaceResult, type ToolResult } from "./replace_result.ts";

/** `resultOf`: the result of a command that ended; undefined if the call is about something else. */
function answerHook<Call>(
  title: string,
  schema: v.GenericSchema<unknown, Call>,
  resultOf: (call: Call) => ToolResult | undefined,
): AnswerHook {
  return async (written, host) => {
    const call = readCall(schema, written);
    if (typeof call === "string") {
      const wanted = `what ${title} writes to its hook`;
      // Reported on stderr with exit code 0: any other code would mean something to the harness.
      return { exitCode: 0, failures: [{ kind: "invalid_parameter", field: "stdin", got: call, wanted }] };
    }
    const result = resultOf(call);
    return result === undefined ? { exitCode: 0 } : await replaceResult(result, title, host);
  };
}

/** Reads the payload, an object, or says what it is instead. */
function readCall<Call>(schema: v.GenericSchema<unknown, Call>, written: Uint8Array): Call | string {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(written));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    return written.length === 0 ? "nothing" : "text that is not valid JSON";
  }
  const read = v.safeParse(schema, value);
  if (read.success) return read.output;
  const name = v.getDotPath(read.issues[0]);
  return name === null ? "JSON that is not an object" : `JSON without a valid ${name}`;
}

/** A call by one of fdtool's own plugins. */
const pluginCall = v.looseObject({
  tool: v.optional(v.string()),
  command: v.optional(v.string()),
  /** One text, or those of an MCP server. */
  output: v.union([v.string(), v.array(v.string())]),
  output_path: v.optional(v.string()),
  exit_code: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255)))),
});

const pluginHook = (title: string, isTextInFile: boolean) =>
  answerHook(title, pluginCall, ({ tool, command, output, output_path: path, exit_code }) => {
    const texts = joinedTexts([output].flat());
    return { path, ...texts, tool, isTextInFile, command, exitCode: exit_code ?? undefined };
  });

export const answerOpenCode = pluginHook("OpenCode", true);
export const answerPi = pluginHook("pi", false);

/** Its file has what its terminal showed: text without escape sequences. */
export const answerCopilotCli = answerHook(
  "GitHub Copilot CLI",
  v.looseObject({
    toolName: v.string(),
    toolArgs: v.looseObject({ command: v.optional(v.string()) }),
    toolResult: v.looseObject({ resultType: v.string(), textResultForLlm: v.string() }),
  }),
  ({ toolName, toolArgs: { command }, toolResult }) => {
    const { textResultForLlm: shown } = toolResult;
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
      command,
      exitCode: Number(code),
      around: (preview) => ({ modifiedResult: { ...toolResult, textResultForLlm: preview + end } }),
    };
  },
);

/**
 * Qwen Code lets a hook only add to a result. It adds what Qwen Code cut away: the lines that matter, and where all of it is.
 * The file that Qwen Code wrote has its own lines around the output.
 */
export const answerQwenCode = answerHook(
  "Qwen Code",
  v.looseObject({
    hook_event_name: v.string(),
    tool_name: v.string(),
    tool_input: v.looseObject({ command: v.optional(v.string()) }),
    tool_response: v.optional(v.looseObject({ llmContent: v.unknown() })),
    error: v.optional(v.string()),
  }),
  ({ hook_event_name: event, tool_name, tool_input: { command = "" }, tool_response, error }) => {
    const shown = tool_response?.llmContent ?? error;
    if (tool_name !== "run_shell_command" || typeof shown !== "string") return undefined;
    const path =
      /^Tool output was too large [^\n]*\n[^\n]* saved to: ([^\n]*\/run_shell_command_\w+\.output)\n/
        .exec(shown)?.[1];
    if (path === undefined) return undefined;
    const whole = utf8Text(wholeFile(path, path));
    const begin = "\nOutput: ";
    const from = whole.indexOf(begin, whole.indexOf(command) + command.length);
    const to = whole.lastIndexOf("\nError: ");
    const code = /\nExit Code: (\d+)\n/.exec(whole.slice(to))?.[1];
    return {
      text: from < 0 || to < from ? whole : whole.slice(from + begin.length, to),
      isTrimmed: true,
      command,
      exitCode: code === undefined ? undefined : Number(code),
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
