/**
 * Calls a tool and bounds its answer to one message. Slices, matches and lists are requested again, smaller, until they
 * fit, so that header and `next` match what is shown. Another answer that is too long is stored as an fd if the tool
 * may write; a read-only tool stores nothing.
 */

import { Buffer } from "node:buffer";
import { formatFd } from "../../../fd/mod.ts";
import type { Answer, AnswerOf, FdResult, FramedAnswer } from "../../calls/terms/answers.ts";
import type { Host, Outcome } from "../../calls/terms/command.ts";
import type { CallWriter, NextCall } from "../../calls/terms/next_call.ts";
import { noteAnswer } from "../../answers/parts/note_answer.ts";
import { openHostStore } from "../../answers/parts/open_host_store.ts";
import { unshownResult } from "../../answers/parts/fd_summary.ts";
import { storeContent } from "../../writing/commit/stored_content.ts";
import type { AnswerBound } from "./answer_bounds.ts";
import { callTool } from "../call_tool.ts";
import { type DressedAnswer, dressedAnswer } from "../answer_text.ts";
import type { Tool } from "../tool.ts";

export interface BoundedOutcome extends DressedAnswer {
  exitCode: number;
}

/** The argument that limits an answer's size. `next` continues after such an answer. */
const MEASURES: { readonly [Type in Answer["type"]]?: string } = {
  fd_content: "max_chars",
  fd_matches: "max_chars",
  fd_diff: "max_chars",
  fd_list: "limit",
  ref_list: "limit",
};

/** Lists show a part by default. */
const OF_ALL = { all: true } as const;

/**
 * A diff that is too long becomes an fd only once: the first request is small enough to nearly always fit, even escaped
 * and in both parts of an answer. It is then shortened from that fd.
 */
const DIFF_SHARE = 0.3;
const MAX_DIFF_CHARS = 8000;

/** Limits the requests for a smaller answer. Each uses the size of the one before, so two or three are enough. */
const MAX_TRIES = 12;

/** Calls `tool`; `writeCall` writes the next call of its answer. Throws what {@link callTool} throws. */
export async function callBounded(...call: Parameters<typeof boundedOutcome>): Promise<BoundedOutcome> {
  const outcome = await boundedOutcome(...call);
  // The answer as JSON has the fields of the answer.
  noteAnswer(outcome.json as unknown as FramedAnswer, outcome.xml.length, call[2]);
  return outcome;
}

async function boundedOutcome(
  tool: Tool,
  given: unknown,
  host: Host,
  writeCall: CallWriter,
  bound: AnswerBound,
): Promise<BoundedOutcome> {
  const first = tool.answers.includes("fd_diff")
    ? { max_chars: Math.floor(Math.min(MAX_DIFF_CHARS, bound.most * DIFF_SHARE)) }
    : {};
  const { exitCode, answer } = shownOutcome(tool, await callTool(tool, given, host, first));
  const measure = MEASURES[answer.type];
  const isMeasurable = measure !== undefined && Object.hasOwn(tool.fields, measure);
  // A char is at most 4 bytes, so far too long content need not be rendered first.
  const isHuge = answer.type === "fd_content" && answer.content.byteLength > 4 * bound.most;
  let dressed = isMeasurable && isHuge ? undefined : dressedAnswer(answer, writeCall);
  let size = dressed === undefined ? Infinity : bound.sizeOf(dressed);
  if (dressed !== undefined && size <= bound.most) return { exitCode, ...dressed };
  let amount = dressed === undefined ? bound.most : amountIn(answer, dressed);
  const isList = measure === "limit";
  for (let tries = 0; isMeasurable && tries < MAX_TRIES && amount > 1; tries++) {
    amount = Math.max(1, Math.floor(size === Infinity ? amount : amount * Math.min(0.97, bound.most / size)));
    const bounds = { ...(isList ? OF_ALL : {}), [measure]: amount };
    const smaller = answer.type === "fd_diff" && answer.diff_fd !== undefined
      ? { exitCode, answer: await shorter({ ...answer, diff_fd: answer.diff_fd }, amount, host) }
      : shownOutcome(tool, await callTool(tool, given, host, bounds));
    dressed = dressedAnswer(withoutBound(smaller.answer, given), writeCall);
    size = bound.sizeOf(dressed);
    if (size <= bound.most) return { exitCode: smaller.exitCode, ...dressed };
  }
  if (tool.readOnly) return { exitCode, ...dressed ?? dressedAnswer(answer, writeCall) };
  const whole = JSON.stringify(dressedAnswer(answer, writeCall).json, null, 1);
  return { exitCode, ...dressedAnswer(storedAnswer(tool, whole, host), writeCall) };
}

async function shorter(
  answer: AnswerOf<"fd_diff"> & { diff_fd: string },
  maxChars: number,
  host: Host,
): Promise<AnswerOf<"fd_diff">> {
  const { shorterDiff } = await import("../../reading/diff_fds.ts");
  return shorterDiff(openHostStore(host), answer, maxChars);
}

/** The size of the shown part, in the unit of the tool's argument. */
function amountIn(answer: FramedAnswer, { json }: DressedAnswer): number {
  switch (answer.type) {
    case "fd_list":
      return answer.fds.length;
    case "ref_list":
      return answer.refs.length;
    case "fd_diff":
      return String(json["diff"]).length;
    case "fd_matches":
      return answer.matches.reduce((chars, { text }) => chars + text.length, 0);
    default:
      return String(json["content"]).length;
  }
}

/** Removes the bound from the next call, since the protocol set it and not the caller. */
function withoutBound(answer: FramedAnswer, given: unknown): FramedAnswer {
  if (answer.type !== "fd_content" && answer.type !== "fd_matches") return answer;
  const { next } = answer;
  if (next === undefined || "words" in next) return answer;
  if (next.command !== "read" && next.command !== "search" || JSON.stringify(given).includes("max")) {
    return answer;
  }
  const { max_chars: _, ...args } = next.args;
  return { ...answer, next: { ...next, args } as NextCall };
}

function shownOutcome(tool: Tool, { exitCode, answer }: Outcome): { exitCode: number; answer: FramedAnswer } {
  if (answer !== undefined && answer.type !== "pass_through") return { exitCode, answer };
  throw new Error(`${tool.name} answered nothing that can be shown`);
}

function storedAnswer(tool: Tool, json: string, host: Host): FdResult {
  const bytes = Buffer.from(`${json}\n`);
  const entry = storeContent(openHostStore(host), bytes, `answer of ${tool.name}`);
  const fd = formatFd(entry.id);
  const message =
    `The answer of ${tool.name} is too long for one message. Use read_fd or search_fd on ${fd}.`;
  return unshownResult(entry, message, { command: "read", args: { fd } });
}
