/**
 * How much of an answer a client shows its model, by the name that it gives in the handshake. What is longer a client
 * cuts, often in the middle, while the answer's own header says that all of it is there.
 *
 * The measured values, with the versions that were measured, are in docs/agents.md.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { DressedAnswer } from "../answer_text.ts";

/** The most of an answer, and how it is counted. */
export interface AnswerBound {
  most: number;
  sizeOf(answer: DressedAnswer): number;
}

const textChars = ({ xml }: DressedAnswer) => xml.length;
const jsonChars = ({ json }: DressedAnswer) => JSON.stringify(json).length;

/** For doors other than MCP: as much as one message is good for. */
export const ONE_MESSAGE: AnswerBound = { most: 100_000, sizeOf: textChars };

/** A client that is not known may show either part, or both. */
const UNKNOWN_CLIENT: AnswerBound = {
  most: 25_000,
  sizeOf: (answer) => textChars(answer) + jsonChars(answer),
};

/** Claude Code takes as much as a tool's definition asks it to take, and keeps the rest in a file. */
export const CLAUDE_CODE_CHARS = 50_000;

/** OpenCode also cuts after 2,000 lines; of those, as many bytes as lines of this length have. */
const OPENCODE_LINE_BYTES = 13;

const CLIENTS: readonly (readonly [name: RegExp, bound: AnswerBound])[] = [
  // Shows structuredContent.
  [/^claude-code/, { most: CLAUDE_CODE_CHARS, sizeOf: jsonChars }],
  // Shows structuredContent, and counts bytes.
  [/^codex/, { most: 10_000, sizeOf: ({ json }) => Buffer.byteLength(JSON.stringify(json)) }],
  // These show the text.
  [/^opencode/, { most: 25_000, sizeOf: ({ xml }) => Math.max(Buffer.byteLength(xml), lineBytes(xml)) }],
  [/^gemini-cli/, { most: 25_000, sizeOf: textChars }],
  [/^qwen/, { most: 25_000, sizeOf: textChars }],
];

function lineBytes(text: string): number {
  return text.split("\n").length * OPENCODE_LINE_BYTES;
}

/** Whether definitions may carry Claude Code's own hints. */
export function isClaudeCode(clientName: string | undefined): boolean {
  return clientName === "claude-code";
}

/** The bound for the client of that name. */
export function boundFor(clientName: string | undefined): AnswerBound {
  const name = clientName?.toLowerCase() ?? "";
  return CLIENTS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_CLIENT;
}
