/** Anthropic's Messages API, which Claude Code speaks. */

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

export const anthropicMessages: ModelApi = {
  name: "anthropic",
  claims: (path) => path.endsWith("/messages"),
  read,
  say,
};

function read(body: unknown): ModelRequest {
  const results: ToolResult[] = [];
  const users: string[] = [];
  for (const message of elements(member(body, "messages"))) {
    const content = member(message, "content");
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : elements(content);
    for (const block of blocks) {
      const type = member(block, "type");
      if (type === "tool_result") {
        results.push({
          id: word(member(block, "tool_use_id")),
          text: textOf(member(block, "content")),
          isError: member(block, "is_error") === true,
        });
      } else if (type === "text" && member(message, "role") !== "assistant") {
        users.push(word(member(block, "text")));
      }
    }
  }
  const tools = elements(member(body, "tools")).map((tool) => ({
    name: word(member(tool, "name")),
    definition: tool,
  }));
  return { tools, results, system: textOf(member(body, "system")), users };
}

function say(turn: ModelTurn, { body }: Asked): ModelReply {
  const blocks = "text" in turn
    ? [{ type: "text", text: turn.text }]
    : turn.calls.map(({ id, name, args }) => ({ type: "tool_use", id: `toolu_${id}`, name, input: args }));
  const whole = {
    id: `msg_${crypto.randomUUID()}`,
    type: "message",
    role: "assistant",
    model: member(body, "model"),
    content: blocks,
    stop_reason: "text" in turn ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    },
  };
  if (member(body, "stream") !== true) return jsonReply(whole);
  const started = { type: "message_start", message: { ...whole, content: [], stop_reason: null } };
  const inner = blocks.flatMap((block, index) => {
    const [start, delta] = "text" in block
      ? [{ ...block, text: "" }, { type: "text_delta", text: block.text }]
      : [{ ...block, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
    return [
      { type: "content_block_start", index, content_block: start },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
    ];
  });
  const ended = {
    type: "message_delta",
    delta: { stop_reason: whole.stop_reason, stop_sequence: null },
    usage: { output_tokens: 10 },
  };
  return eventReply(
    [started, ...inner, ended, { type: "message_stop" }].map((event) => [event.type, event] as const),
  );
}
