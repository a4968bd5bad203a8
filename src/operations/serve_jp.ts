/**
 * `serve-jp`: jp's protocol for local tools (contract, Agents).
 */

import { defineOperation } from "../arguments/define_operation.ts";
import { ANSWER_TYPES, serveJp } from "../agents/jp/serve_jp.ts";
import { textAnswer } from "../answering/text_answer.ts";
import { type CommandSpec, optionsOf } from "../terms/command.ts";
import { UNREPORTED_EXIT } from "../answering/reported_changes.ts";

const OPTIONS = {
  "answer-types": {
    kind: "text",
    value: "TYPES",
    choices: ANSWER_TYPES,
    help: "plain (default): ask only Boolean, Select and Text; schema: also Schema, as in jp's draft",
  },
} as const satisfies CommandSpec["options"];

export const command = defineOperation({
  usage: "[--answer-types TYPES] CONTEXT TOOL",
  positionals: { least: 2, most: 2, names: ["context", "tool"] },
  values: { context: "JSON", tool: "JSON" },
  options: OPTIONS,
  example: `fdtool serve-jp '{"root":".","action":"run"}' '{"name":"read_fd","arguments":{"fd":"fd:1"}}'`,
  noticesInterrupted: false,
  exitCodes: [[0, "an outcome was printed (possibly an error)"], [2, "usage error"], UNREPORTED_EXIT],
  async run(call, host) {
    const { positionals } = call;
    const options = optionsOf(OPTIONS, call);
    const answerTypes = options["answer-types"] ?? "plain";
    const { outcome, isDone } = await serveJp(positionals[0]!, positionals[1]!, host, answerTypes);
    return { exitCode: 0, answer: textAnswer(`${JSON.stringify(outcome)}\n`, isDone) };
  },
});
