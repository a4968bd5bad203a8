/** OpenAI's chat completions, which OpenCode and Qwen Code speak. */

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

export const openaiChat: ModelApi = {
  name: "chat",
  claims: (path) => path.endsWith("/chat/completions"),
  read,
  say,
};

function read(body: unknown): ModelRequest {
  const results: ToolResult[] = [];
  const users: string[] = [];
  let system = "";
  for (const message of elements(member(body, "messages"))) {
    const text = textOf(member(message, "content"));
    switch (member(message, "role")) {
      case "system":
      case "developer":
        system += text;
        break;
      case "user":
        users.push(text);
        break;
      case "tool":
        results.push({ id: word(member(message, "tool_call_id")), text, isError: false });
    }
  }
  const tools = elements(member(body, "tools")).map((tool) => {
    const definition = member(tool, "function");
    return { name: word(member(definition, "name")), definition };
  });
  return { tools, results, system, users };
}

function say(turn: ModelTurn, { body }: Asked): ModelReply {
  const calls = "text" in turn ? [] : turn.calls.map(({ id, name, args }, index) => ({
    index,
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(args) },
  }));
  const finish = "text" in turn ? "stop" : "tool_calls";
  const message = {
    role: "assistant",
    content: "text" in turn ? turn.text : null,
    ...calls.length > 0 ? { tool_calls: calls } : {},
  };
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const base = {
    id: `chatcmpl-${crypto.randomUUID()}`,
    created: Math.floor(Date.now() / 1000),
    model: member(body, "model"),
  };
  if (member(body, "stream") !== true) {
    const choices = [{ index: 0, message, finish_reason: finish }];
    return jsonReply({ ...base, object: "chat.completion", choices, usage });
  }
  const chunk = (choices: readonly unknown[], more = {}) =>
    [undefined, { ...base, object: "chat.completion.chunk", choices, ...more }] as const;
  return eventReply([
    chunk([{ index: 0, delta: message, finish_reason: null }]),
    chunk([{ index: 0, delta: {}, finish_reason: finish }]),
    chunk([], { usage }),
    [undefined, "[DONE]"],
  ]);
}
