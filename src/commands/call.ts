/**
 * `call`: runs a tool with JSON arguments from stdin (contract, Agents). Failures are answers, on stdout.
 */

import { defineOperation } from "../calls/arguments/define_operation.ts";
import { callTool, namedTool } from "../agents/call_tool.ts";
import { readStdinText } from "../calls/streams/read_stdin_bytes.ts";

export const command = defineOperation({
  fields: { name: { kind: "text", isRequired: true, isArgument: true } },
  usage: "NAME <ARGUMENTS.json",
  values: { name: "TOOL" },
  failuresAreAnswers: true,
  example: `echo '{"fd":"fd:12","mode":"line","start":10,"count":5}' | fdtool call read_fd --format json`,
  noticesInterrupted: false,
  exitCodes: {
    0: "done",
    1: "refused or failed, or a search found nothing; the answer says which",
    2: "invalid arguments; every fault is reported",
    3: "input needed: fdtool asked a question",
  },
  reportsChange: true,
  async answer({ name }, host) {
    const tool = namedTool(name, host.operations());
    return await callTool(tool, readStdinText(`the arguments of ${tool.name}`), host);
  },
});
