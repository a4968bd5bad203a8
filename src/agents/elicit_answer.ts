/**
 * Puts an inquiry to the user of an MCP client (elicitation), where the client can do that.
 *
 * @module
 */

import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types";
import type { McpSession } from "./mcp_session.ts";

/** A question as `needs_input` carries it (contract, Inquiries). */
export interface AskedQuestion {
  id: string;
  text: string;
  pre_amble?: string | null | undefined;
  answer_type: unknown;
}

type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

/**
 * What the user said: an answer of the question's own type, or that there is none. Nothing where the user did not say, and
 * where the client failed to ask: the question is open still, and its handle must not be lost with the client's error.
 */
export async function elicitAnswer(
  server: McpSession,
  question: AskedQuestion,
  signal: AbortSignal,
): Promise<{ answer: unknown } | "declined" | undefined> {
  const form = formOf(question.answer_type);
  if (form === undefined || server.clientCapabilities?.elicitation?.form === undefined) return undefined;
  const message = [question.pre_amble, question.text].filter((part) => part).join("\n\n");
  const params = { mode: "form", message, requestedSchema: form.schema } as const;
  let said: ElicitResult;
  try {
    said = await server.elicitForm(params, { signal, timeout: LONGEST_WAIT_MS });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  const { action, content } = said;
  if (action === "decline") return "declined";
  if (action !== "accept" || content === undefined) return undefined;
  return { answer: form.isWrapped ? content["answer"] : content };
}

/** A person may take a while. */
const LONGEST_WAIT_MS = 600_000;

/**
 * The form that asks for such an answer. Forms are flat objects: an answer that is none stands in one, under `answer`.
 * Undefined for a schema that no form can show.
 */
function formOf(answerType: unknown): { schema: RequestedSchema; isWrapped: boolean } | undefined {
  const wrapped = (answer: unknown) => ({
    schema: { type: "object", properties: { answer }, required: ["answer"] } as RequestedSchema,
    isWrapped: true,
  });
  if (answerType === "Boolean") return wrapped({ type: "boolean" });
  if (answerType === "Text") return wrapped({ type: "string" });
  if (!isRecord(answerType)) return undefined;
  const { Select: select, Schema: typed } = answerType;
  if (isRecord(select) && Array.isArray(select["options"])) {
    return wrapped({ type: "string", enum: select["options"].map(String) });
  }
  const schema = isRecord(typed) ? typed["schema"] : undefined;
  if (!isRecord(schema) || !isRecord(schema["properties"])) return undefined;
  const { type, properties, required } = schema;
  const isFlat = type === "object" &&
    Object.values(properties).every((property) =>
      isRecord(property) && ["string", "boolean", "number", "integer"].includes(String(property["type"]))
    );
  return isFlat ? { schema: { type, properties, required } as RequestedSchema, isWrapped: false } : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
