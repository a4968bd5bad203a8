// Promise: a decision for the user is asked by a form if the client has forms. The model gets the question if the
// client has none, if the user dismisses it, and always if it asks for content.

import { deepStrictEqual, ok } from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { connectInMemory, mcpClient } from "../../../tests/in_memory_client.ts";
import { temporaryStore } from "../../../tests/temporary_store.ts";
import type { Answer, AnswerType } from "../../calls/terms/answers.ts";
import type { Host } from "../../calls/terms/command.ts";
import { ask } from "../../writing/inquiries/inquiries.ts";
import { writeContextOf } from "../../writing/commit/write_context.ts";
import { mcpServer } from "./mcp_server.ts";
import { defineTool, type Tool } from "../tool.ts";

const NO_OPTIONS = { storeOption: undefined, root: undefined, version: "0", operations: () => [] };
const FACTS = {
  title: "",
  answers: [],
  readOnly: false,
  destructive: true,
  idempotent: false,
  description: "",
};

/** A made-up answer. */
const answer = (fields: object) => ({ exitCode: 0, answer: { message: "", ...fields } as unknown as Answer });

/** A tool that asks `answerType`, and a tool that records its answers. */
function askingTools(answerType: AnswerType, answered: unknown[], id: string): Tool[] {
  return [
    defineTool({
      ...FACTS,
      name: "create_file",
      part: "inquiries",
      fields: { path: { kind: "text", isRequired: true } },
      run: (_, host) =>
        Promise.resolve({
          exitCode: 1,
          answer: ask(writeContextOf(host), {
            tool: "create_file",
            question: { id, text: "What?", answer_type: answerType, default: null },
            request: {},
            carriesContent: false,
            targets: [],
          }),
        }),
    }),
    defineTool({
      ...FACTS,
      name: "answer_inquiry",
      part: "inquiries",
      fields: { inquiry_id: { kind: "text", isRequired: true }, answer: { kind: "json" } },
      run({ inquiry_id, answer: given }) {
        answered.push([inquiry_id, given]);
        return Promise.resolve(answer({ type: "write_result" }));
      },
    }),
  ];
}

/** Calls create_file with a client that answers questions by `reply`; `undefined`: it cannot ask. */
async function createWith(
  answerType: AnswerType,
  reply: ElicitResult | Error | undefined,
  id = "overwrite_file",
) {
  const answered: unknown[] = [];
  const asked: object[] = [];
  using world = temporaryStore();
  const env = { FDTOOL_STORE: world.store.path };
  const host: Host = { ...NO_OPTIONS, env, cwd: world.dir };
  const server = mcpServer({ tools: askingTools(answerType, answered, id), unlisted: [] }, host, {
    brief: false,
    program: [],
    outputSchemas: false,
  });
  const client = mcpClient(
    "2025-11-25",
    "test",
    reply && ((params) => {
      asked.push(params);
      if (reply instanceof Error) throw reply;
      return reply;
    }),
  );
  await using _ = await connectInMemory(server, client);
  const { structuredContent } = await client.callTool({ name: "create_file", arguments: { path: "a" } });
  return { type: (structuredContent as { type: string }).type, answered, asked };
}

const CONTENT = {
  Schema: {
    schema: {
      type: "object",
      properties: { content: { type: "string" } },
      required: ["content"],
      additionalProperties: false,
    },
  },
};

Deno.test("the user is not asked for the content of a file", async () => {
  const reply = { action: "accept", content: { answer: "x" } } as const;
  for (const answerType of [CONTENT, "Text"] as const) {
    deepStrictEqual(await createWith(answerType, reply, "file_content"), {
      type: "needs_input",
      answered: [],
      asked: [],
    });
  }
});

Deno.test("a client with forms asks its user, and the form's answer reaches the tool", async () => {
  const yes = await createWith("Boolean", { action: "accept", content: { answer: true } });
  deepStrictEqual([yes.type, yes.answered], ["write_result", [["inq:1", true]]]);
  ok(JSON.stringify(yes.asked).includes("What?"));
  const choice = await createWith({ Select: { options: ["a", "b"] } }, {
    action: "accept",
    content: { answer: "b" },
  });
  deepStrictEqual(choice.answered, [["inq:1", "b"]]);
  const text = await createWith("Text", { action: "accept", content: { answer: "t" } });
  deepStrictEqual(text.answered, [["inq:1", "t"]]);
});

Deno.test("a client without forms gets the question as the result", async () => {
  deepStrictEqual(await createWith("Boolean", undefined), { type: "needs_input", answered: [], asked: [] });
});

Deno.test("a question stays open if the client fails to ask it", async () => {
  const replies = [new Error("no window"), { action: "shrug" }, {
    action: "accept",
    content: { a: { b: 1 } },
  }];
  for (const reply of [...replies, { action: "accept" }, { action: "cancel" }]) {
    const { type, answered, asked } = await createWith("Boolean", reply as ElicitResult | Error);
    deepStrictEqual({ type, answered, asked: asked.length }, { type: "needs_input", answered: [], asked: 1 });
  }
});
