/**
 * The parts of a model's API that the scripted model needs: the offered tools, the returned results, and the format
 * of the model's next turn. Each API is one record of this in `model_apis.ts`.
 */

/** One API. */
export interface ModelApi {
  name: string;
  /** Whether a POST to this path is a request for a turn of the model. */
  claims(path: string): boolean;
  read(body: unknown): ModelRequest;
  say(turn: ModelTurn, asked: Asked): ModelReply;
}

/** A request, as far as a scripted model needs it. */
export interface ModelRequest {
  tools: readonly OfferedTool[];
  results: readonly ToolResult[];
  system: string;
  /** Texts of the conversation besides the model's and the results: the user's, and what hooks add. */
  users: readonly string[];
}

/** A tool that the harness offers. */
export interface OfferedTool {
  name: string;
  definition: unknown;
  /** The namespace that a call must name with it (OpenAI Responses). */
  namespace?: string | undefined;
}

/** A result as the model gets it. */
export interface ToolResult {
  /** The call's id. Gemini's API may leave it out and name the tool only. */
  id: string;
  text: string;
  isError: boolean;
}

/** A turn of the model: text, or tool calls. */
export type ModelTurn = { text: string } | { calls: readonly ToolCall[] };

export interface ToolCall {
  id: string;
  name: string;
  namespace: string | undefined;
  args: Readonly<Record<string, unknown>>;
}

/** Fields of the request that the answer depends on. */
export interface Asked {
  path: string;
  body: unknown;
}

export interface ModelReply {
  contentType: string;
  body: string;
}

/** A member of what may be an object. */
export function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** The elements of what may be a list. */
export function elements(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that may be missing. */
export function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a message's content, however it is nested. */
export function textOf(content: unknown): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOf).join("");
  if (typeof content !== "object") return String(content);
  for (const key of ["text", "content", "output", "refusal"]) {
    if (Object.hasOwn(content, key)) return textOf(member(content, key));
  }
  return JSON.stringify(content);
}

export function jsonReply(value: unknown): ModelReply {
  return { contentType: "application/json", body: JSON.stringify(value) };
}

/** Server-sent events: each its name, if it has one, and its data. */
export function eventReply(events: readonly (readonly [string | undefined, unknown])[]): ModelReply {
  const body = events.map(([name, data]) =>
    `${name === undefined ? "" : `event: ${name}\n`}data: ${
      typeof data === "string" ? data : JSON.stringify(data)
    }\n\n`
  ).join("");
  return { contentType: "text/event-stream", body };
}
