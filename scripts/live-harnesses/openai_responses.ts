/** OpenAI's Responses API, which Codex speaks. */

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
  type OfferedTool,
  textOf,
  type ToolResult,
  word,
} from "./model_api.ts";

export const openaiResponses: ModelApi = {
  name: "responses",
  claims: (path) => path.endsWith("/responses"),
  read,
  say,
};

const RESULT_TYPES = ["function_call_output", "custom_tool_call_output", "local_shell_call_output"];

function read(body: unknown): ModelRequest {
  const results: ToolResult[] = [];
  const users: string[] = [];
  let system = textOf(member(body, "instructions"));
  for (const item of elements(member(body, "input"))) {
    const type = word(member(item, "type"));
    if (RESULT_TYPES.includes(type)) {
      const text = textOf(member(item, "output"));
      results.push({ id: word(member(item, "call_id")), text, isError: false });
    } else if (type === "message" || type === "") {
      const text = textOf(member(item, "content"));
      if (member(item, "role") === "user") users.push(text);
      else system += text;
    }
  }
  return { tools: elements(member(body, "tools")).flatMap(offered), results, system, users };
}

/** A tool, or those of a namespace. */
function offered(tool: unknown): OfferedTool[] {
  const name = word(member(tool, "name")) || word(member(tool, "type"));
  if (member(tool, "type") !== "namespace") return [{ name, definition: tool }];
  return elements(member(tool, "tools")).map((inner) => ({
    name: word(member(inner, "name")),
    definition: inner,
    namespace: name,
  }));
}

function say(turn: ModelTurn, { body }: Asked): ModelReply {
  const items = "text" in turn
    ? [{
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: turn.text, annotations: [] }],
    }]
    : turn.calls.map(({ id, name, namespace, args }) => ({
      type: "function_call",
      id: `fc_${id}`,
      call_id: id,
      name,
      arguments: JSON.stringify(args),
      status: "completed",
      ...namespace === undefined ? {} : { namespace },
    }));
  const response = {
    id: `resp_${crypto.randomUUID()}`,
    object: "response",
    status: "completed",
    model: member(body, "model"),
    output: items,
    usage: {
      input_tokens: 10,
      output_tokens: 10,
      total_tokens: 20,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  };
  if (member(body, "stream") !== true) return jsonReply(response);
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items.flatMap((item, index) => [
      { type: "response.output_item.added", output_index: index, item },
      { type: "response.output_item.done", output_index: index, item },
    ]),
    { type: "response.completed", response },
  ];
  return eventReply(events.map((event) => [event.type, event] as const));
}
