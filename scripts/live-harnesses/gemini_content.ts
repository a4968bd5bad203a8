/** Google's generateContent, which Gemini CLI speaks. */

import {
  type Asked,
  elements,
  eventReply,
  jsonReply,
  member,
  type ModelApi,
  type ModelReply,
  type ModelRequest,
  type ModelTurn,
  textOf,
  type ToolResult,
  word,
} from "./model_api.ts";

export const geminiContent: ModelApi = {
  name: "gemini",
  claims: (path) => /:(?:stream)?generateContent$/i.test(path),
  read,
  say,
};

function read(body: unknown): ModelRequest {
  const results: ToolResult[] = [];
  const users: string[] = [];
  for (const content of elements(member(body, "contents"))) {
    for (const part of elements(member(content, "parts"))) {
      const response = member(part, "functionResponse");
      if (response !== undefined) results.push(resultOf(response));
      else if (member(content, "role") === "user" && member(part, "text") !== undefined) {
        users.push(word(member(part, "text")));
      }
    }
  }
  const tools = elements(member(body, "tools")).flatMap((group) =>
    elements(member(group, "functionDeclarations")).map((definition) => ({
      name: word(member(definition, "name")),
      definition,
    }))
  );
  return { tools, results, system: textOf(member(member(body, "systemInstruction"), "parts")), users };
}

function resultOf(response: unknown): ToolResult {
  const value = member(response, "response");
  const error = member(value, "error");
  const output = member(value, "output") ?? error ?? value;
  const text = typeof output === "string" ? output : JSON.stringify(output);
  return {
    id: word(member(response, "id")) || word(member(response, "name")),
    text: text + textOf(member(response, "parts")),
    isError: error !== undefined,
  };
}

function say(turn: ModelTurn, { path }: Asked): ModelReply {
  const parts = "text" in turn ? [{ text: turn.text }] : turn.calls.map(({ id, name, args }) => ({
    functionCall: { id, name, args },
    thoughtSignature: "c2tpcA==",
  }));
  const whole = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: "scripted",
    responseId: crypto.randomUUID(),
  };
  return path.includes("stream") ? eventReply([[undefined, whole]]) : jsonReply(whole);
}
