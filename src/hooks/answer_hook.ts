/**
 * Answers the hooks of harnesses: stores the output that the harness passes on, if it is large, and returns the preview in
 * the harness's own form. Each schema is what the harness's program wrote when it was tried (docs/agents.md).
 */

import * as v from "valibot";
import { joinBytes, utf8Bytes, utf8Text } from "../../fd/system.ts";
import { commandWriter } from "../answering/next_command.ts";
import { passThrough } from "../capturing/pass_through.ts";
import { dressOf } from "../render/dress.ts";
import { xmlOf } from "../render/xml.ts";
import type { Host, Outcome } from "../terms/command.ts";
import type { AnswerHook } from "./harness.ts";
import { replaceResult, type ToolResult } from "./replace_result.ts";

interface Hook<Call> {
  /** The product's name. */
  title: string;
  call: v.GenericSchema<unknown, Call>;
  /** The result of a command that ended; undefined if the call is about something else. */
  resultOf(call: Call): HookedResult | undefined;
}

interface HookedResult extends ToolResult {
  /** The answer that puts the preview in the output's place; undefined if the preview is the answer. */
  answerWith?(preview: string): unknown;
}

function answerHook<Call>({ title, call, resultOf }: Hook<Call>): AnswerHook {
  return async (written: Uint8Array, host: Host): Promise<Outcome> => {
    const read = readCall(call, written);
    if (!read.success) {
      const wanted = `what ${title} writes to its hook`;
      // Reported on stderr with exit code 0: any other code would mean something to the harness.
      return {
        exitCode: 0,
        failures: [{ kind: "invalid_parameter", field: "stdin", got: read.got, wanted }],
      };
    }
    const result = resultOf(read.output);
    if (result === undefined) return { exitCode: 0 };
    const { answer, ...rest } = await replaceResult(result, title, host);
    if (answer === undefined || result.answerWith === undefined) return { exitCode: 0, answer, ...rest };
    const shown = xmlOf(answer, dressOf(commandWriter(host.storeOption)));
    const bytes = utf8Bytes(
      `${JSON.stringify(result.answerWith(utf8Text(joinBytes([...shown])).trimEnd()))}\n`,
    );
    return { exitCode: 0, answer: passThrough(bytes, "stdout"), ...rest };
  };
}

/** Reads the payload, or says what it is instead. */
function readCall<Call>(
  schema: v.GenericSchema<unknown, Call>,
  written: Uint8Array,
): { success: true; output: Call } | { success: false; got: string } {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(written));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError || thrown instanceof TypeError)) throw thrown;
    return { success: false, got: written.length === 0 ? "nothing" : "text that is not valid JSON" };
  }
  const read = v.safeParse(schema, value);
  if (read.success) return { success: true, output: read.output };
  const name = v.getDotPath(read.issues[0]);
  return {
    success: false,
    got: name === null ? "JSON that is not an object" : `JSON without a valid ${name}`,
  };
}

const exitCode = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(255));

/** A call by one of fdtool's own plugins. */
const pluginCall = v.looseObject({
  command: v.optional(v.string()),
  output: v.string(),
  output_path: v.optional(v.string()),
  exit_code: v.optional(v.nullable(exitCode)),
});

function pluginHook(title: string, isTextInFile: boolean): AnswerHook {
  return answerHook({
    title,
    call: pluginCall,
    resultOf: ({ command, output: text, output_path: path, exit_code }) => ({
      path,
      text,
      isTextInFile,
      command,
      exitCode: exit_code ?? undefined,
    }),
  });
}

export const answerOpenCode = pluginHook("OpenCode", true);
export const answerPi = pluginHook("pi", false);

/** Its file has what its terminal showed: text without escape sequences. */
export const answerCopilotCli = answerHook({
  title: "GitHub Copilot CLI",
  call: v.looseObject({
    toolName: v.string(),
    toolArgs: v.looseObject({ command: v.optional(v.string()) }),
    toolResult: v.looseObject({ resultType: v.string(), textResultForLlm: v.string() }),
  }),
  resultOf({ toolName, toolArgs: { command }, toolResult }) {
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
      answerWith: (preview) => ({ modifiedResult: { ...toolResult, textResultForLlm: preview + end } }),
    };
  },
});
