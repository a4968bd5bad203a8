/**
 * Calls a tool and bounds what it answers, for doors whose answers are held in one message. A slice is cut at a line end
 * and says how to go on, as `read --max-chars` does. Any other answer that is too long becomes an fd itself.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { formatFd } from "../../fd/mod.ts";
import type { Answer, FdResult } from "../answers.ts";
import type { Host, Outcome } from "../command.ts";
import type { CallWriter } from "../next_call.ts";
import { openHostStore } from "../open_host_store.ts";
import { unshownResult } from "../unshown_result.ts";
import { keepContent } from "../writing/kept_content.ts";
import { callTool } from "./call_tool.ts";
import { type DressedAnswer, dressedAnswer } from "./answer_text.ts";
import type { Tool } from "./tool.ts";

/** The most chars of a slice's content, and of any other answer as JSON, unless the call asks for fewer. */
const MOST_ANSWER_CHARS = 100_000;

/** What came of a call, dressed. */
export interface BoundedOutcome extends DressedAnswer {
  exitCode: number;
}

/** Calls `tool`; `writeCall` writes the next call of its answer. Throws what {@link callTool} throws. */
export async function callBounded(
  tool: Tool,
  given: unknown,
  host: Host,
  writeCall: CallWriter,
): Promise<BoundedOutcome> {
  const { exitCode, answer } = await boundSlice(tool, given, host);
  if (answer === undefined || answer.type === "pass_through") {
    throw new Error(`${tool.name} answered nothing that can be shown`);
  }
  const dressed = dressedAnswer(answer, writeCall);
  const json = JSON.stringify(dressed.json);
  if (answer.type === "fd_content" || json.length <= MOST_ANSWER_CHARS) {
    return { exitCode, ...dressed };
  }
  return { exitCode, ...dressedAnswer(storedAnswer(tool, json, host), writeCall) };
}

async function boundSlice(tool: Tool, given: unknown, host: Host): Promise<Outcome> {
  const outcome = await callTool(tool, given, host);
  // A char is at least one byte, so what is shorter needs no second look.
  if (!isLongSlice(outcome.answer)) return outcome;
  const bounded = await callTool(tool, given, host, { max_chars: MOST_ANSWER_CHARS });
  const { answer } = bounded;
  return answer?.type === "fd_content" && answer.shown_chars !== undefined ? bounded : outcome;
}

function isLongSlice(answer: Answer | undefined): boolean {
  return answer?.type === "fd_content" && answer.content.byteLength > MOST_ANSWER_CHARS;
}

/** The answer as an fd of its own. */
function storedAnswer(tool: Tool, json: string, host: Host): FdResult {
  const bytes = Buffer.from(`${json}\n`);
  const entry = keepContent(openHostStore(host), bytes, `answer of ${tool.name}`);
  const fd = formatFd(entry.id);
  return unshownResult({
    entry,
    message: `The answer of ${tool.name} is too long for one message. Use read_fd or search_fd on ${fd}.`,
    next: { command: "read", args: { fd } },
  });
}
