/**
 * `serve-jp`: jp's protocol for local tools (contract, Agents).
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { ANSWER_TYPES, serveJp } from "../agents/jp/serve_jp.ts";
import { textAnswer } from "../answers/parts/text_answer.ts";

export const command = defineOperation({
  fields: {
    context: { kind: "text", isRequired: true, isArgument: true },
    tool: { kind: "text", isRequired: true, isArgument: true },
    answer_types: {
      kind: "text",
      choices: ANSWER_TYPES,
      option: {
        value: "TYPES",
        help: "plain (default): ask only Boolean, Select and Text; schema: also Schema, as in jp's draft",
      },
    },
  },
  usage: "[--answer-types TYPES] CONTEXT TOOL",
  values: { context: "JSON", tool: "JSON" },
  example: `fdtool serve-jp '{"root":".","action":"run"}' '{"name":"read_fd","arguments":{"fd":"fd:1"}}'`,
  noticesInterrupted: false,
  exitCodes: { 0: "an outcome was printed (possibly an error)" },
  reportsChange: true,
  async answer({ context, tool, answer_types: answerTypes = "plain" }, host) {
    const { outcome, isDone } = await serveJp(context, tool, host, answerTypes);
    return { exitCode: 0, answer: textAnswer(`${JSON.stringify(outcome)}\n`, isDone) };
  },
});
