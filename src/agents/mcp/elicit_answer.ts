import { isJsonObject } from "../../requests/json_object.ts";
import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/sdk/types";
import type { McpSession } from "./mcp_session.ts";

export interface AskedQuestion {
  id: string;
  text: string;
  pre_amble?: string | null | undefined;
  answer_type: unknown;
}

type RequestedSchema = ElicitRequestFormParams["requestedSchema"];

/**
 * Asks the user by a form and returns the answer, or that the user declined. Returns undefined if the user dismissed
 * the form or the client failed: the question stays open, and its handle must not be lost with the client's error.
 */
export async function elicitAnswer(
  server: McpSession,
  question: AskedQuestion,
  signal: AbortSignal,
): Promise<{ answer: unknown } | "declined" | undefined> {
  const answer = answerField(question.answer_type);
  if (answer === undefined || server.clientCapabilities?.elicitation?.form === undefined) return undefined;
  const message = [question.pre_amble, question.text].filter((part) => part).join("\n\n");
  const requestedSchema: RequestedSchema = { type: "object", properties: { answer }, required: ["answer"] };
  const params = { mode: "form", message, requestedSchema } as const;
  let response: ElicitResult;
  try {
    response = await server.elicitForm(params, { signal, timeout: LONGEST_WAIT_MS });
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  const { action, content } = response;
  if (action === "decline") return "declined";
  if (action !== "accept" || content === undefined) return undefined;
  return { answer: content["answer"] };
}

const LONGEST_WAIT_MS = 600_000;

/** The form's only field; undefined for a schema, which only content has: no user should type a file. */
function answerField(answerType: unknown): RequestedSchema["properties"][string] | undefined {
  if (answerType === "Boolean") return { type: "boolean" };
  if (answerType === "Text") return { type: "string" };
  const select = isJsonObject(answerType) ? answerType["Select"] : undefined;
  if (!isJsonObject(select) || !Array.isArray(select["options"])) return undefined;
  return { type: "string", enum: select["options"].map(String) };
}
