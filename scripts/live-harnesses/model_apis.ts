/** The APIs that harnesses speak. */

import {
  elements,
  eventReply,
  jsonReply,
  member,
  type ModelApi,
  type OfferedTool,
  textOf,
  type ToolResult,
  word,
} from "./model_api.ts";

/** Anthropic's Messages API, which Claude Code speaks. */
const anthropicMessages: ModelApi = {
  name: "anthropic",
  claims: (path) => path.endsWith("/messages"),
  read(body) {
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
    const tools = elements(member(body, "tools")).map(named);
    return { tools, results, system: textOf(member(body, "system")), users };
  },
  say(turn, { body }) {
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
  },
};

/** OpenAI's chat completions, which OpenCode and Qwen Code speak. */
const openaiChat: ModelApi = {
  name: "chat",
  claims: (path) => path.endsWith("/chat/completions"),
  read(body) {
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
    const tools = elements(member(body, "tools")).map((tool) => named(member(tool, "function")));
    return { tools, results, system, users };
  },
  say(turn, { body }) {
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
  },
};

/** OpenAI's Responses API, which Codex speaks. */
const openaiResponses: ModelApi = {
  name: "responses",
  claims: (path) => path.endsWith("/responses"),
  read(body) {
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
  },
  say(turn, { body }) {
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
  },
};

const RESULT_TYPES = ["function_call_output", "custom_tool_call_output", "local_shell_call_output"];

/** A tool, or those of a namespace. */
function offered(tool: unknown): OfferedTool[] {
  const name = word(member(tool, "name")) || word(member(tool, "type"));
  if (member(tool, "type") !== "namespace") return [{ name, definition: tool }];
  return elements(member(tool, "tools")).map((inner) => ({ ...named(inner), namespace: name }));
}

/** Google's generateContent, which Gemini CLI speaks. */
const geminiContent: ModelApi = {
  name: "gemini",
  claims: (path) => /:(?:stream)?generateContent$/i.test(path),
  read(body) {
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
      elements(member(group, "functionDeclarations")).map(named)
    );
    return { tools, results, system: textOf(member(member(body, "systemInstruction"), "parts")), users };
  },
  say(turn, { path }) {
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
  },
};

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

export const APIS: readonly ModelApi[] = [anthropicMessages, openaiChat, openaiResponses, geminiContent];

/** A tool by its own definition. */
function named(definition: unknown): OfferedTool {
  return { name: word(member(definition, "name")), definition };
}
