/**
 * The longest answer that each MCP client shows its model, by the client's name in the handshake. Clients cut longer
 * answers, often in the middle, while the answer's header says that it is whole. docs/agents.md has the measurements.
 */

import { Buffer } from "node:buffer";
import type { DressedAnswer } from "../answer_text.ts";

export interface AnswerBound {
  most: number;
  sizeOf(answer: DressedAnswer): number;
}

const textChars = ({ xml }: DressedAnswer) => xml.length;
const jsonChars = ({ json }: DressedAnswer) => JSON.stringify(json).length;

/** For other protocols: a reasonable size of one message. */
export const ONE_MESSAGE: AnswerBound = { most: 100_000, sizeOf: textChars };

/** An unknown client may show the text, the structured content, or both. */
const UNKNOWN_CLIENT: AnswerBound = {
  most: 25_000,
  sizeOf: (answer) => textChars(answer) + jsonChars(answer),
};

/** Claude Code shows as much as a tool's definition asks for, and writes longer answers to a file. */
export const CLAUDE_CODE_CHARS = 50_000;

/** OpenCode also cuts after 2,000 lines: each line counts as at least this many bytes. */
const OPENCODE_LINE_BYTES = 13;
const lineBytes = (text: string) => text.split("\n").length * OPENCODE_LINE_BYTES;

const CLIENTS: readonly (readonly [name: RegExp, bound: AnswerBound])[] = [
  // These show structuredContent.
  [/^claude-code/, { most: CLAUDE_CODE_CHARS, sizeOf: jsonChars }],
  [/^codex/, { most: 10_000, sizeOf: ({ json }) => Buffer.byteLength(JSON.stringify(json)) }],
  // These show the text.
  [/^opencode/, { most: 25_000, sizeOf: ({ xml }) => Math.max(Buffer.byteLength(xml), lineBytes(xml)) }],
  [/^(?:gemini-cli|qwen)/, { most: 25_000, sizeOf: textChars }],
];

/** The bound for the client of that name. */
export function boundFor(clientName: string | undefined): AnswerBound {
  const name = clientName?.toLowerCase() ?? "";
  return CLIENTS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN_CLIENT;
}
