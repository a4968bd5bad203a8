// Promise: a client of each version is served, also both at once; what is not valid in a version is refused as such.

import { deepStrictEqual, ok } from "node:assert/strict";
import * as v from "valibot";
import { connectInMemory, MCP_VERSIONS, mcpClient } from "../../../tests/in_memory_client.ts";
import { type Client, McpSession } from "./mcp_session.ts";

const INTRODUCTION = {
  serverInfo: { name: "fdtool", version: "0" },
  capabilities: { tools: {} },
  instructions: "Read little.",
};

/** A session that answers `who` with the client that it knows, and `wait` when it is cancelled. */
function makeSession(): McpSession {
  const session = new McpSession(INTRODUCTION);
  session.answerRequests("who", v.object({}), (_, { client }) => Promise.resolve({ ...client }));
  session.answerRequests("tools/list", v.object({}), () => Promise.resolve({ tools: [] }));
  session.answerRequests("wait", v.object({}), async (_, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return {};
  });
  return session;
}

interface Message {
  id?: number | null;
  result?: Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** Sends messages, and returns what comes back once all are answered. */
async function exchange(...messages: object[]): Promise<Message[]> {
  const session = makeSession();
  const received: Message[] = [];
  session.open((message) => {
    received.push(message as Message);
    return Promise.resolve();
  });
  for (const message of messages) session.receive({ jsonrpc: "2.0", ...message });
  await session.endInput();
  return received;
}

const clientInfo = { name: "stateless", version: "1" };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  "io.modelcontextprotocol/clientInfo": clientInfo,
};

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: the server introduces itself, and knows the client`, async () => {
    const session = makeSession();
    const client = mcpClient(version, "known", () => ({ action: "cancel" }));
    await using _ = await connectInMemory(session, client);
    deepStrictEqual(client.getServerVersion(), INTRODUCTION.serverInfo);
    deepStrictEqual(client.getServerCapabilities(), INTRODUCTION.capabilities);
    deepStrictEqual(client.getInstructions(), INTRODUCTION.instructions);
    const known = await client.request({ method: "who" }, v.looseObject({ name: v.string() }));
    ok(known.name === "known" && known["hasForms"] === true);
  });
}

Deno.test("a known protocol version is accepted, and an unknown one answered with the newest", async () => {
  const versionFor = async (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo };
    const [answer] = await exchange({ id: 1, method: "initialize", params });
    return answer?.result?.["protocolVersion"];
  };
  deepStrictEqual(await versionFor("2024-11-05"), "2024-11-05");
  deepStrictEqual(await versionFor("1999-01-01"), "2025-11-25");
});

Deno.test("clients of both kinds are served at the same time, each as what it says", async () => {
  const capabilities = { elicitation: { url: {} } };
  const params = { protocolVersion: "2025-06-18", capabilities, clientInfo: { name: "old", version: "1" } };
  const answers = await exchange(
    { id: 1, method: "initialize", params },
    { id: 2, method: "who", params: { _meta: META } },
    { id: 3, method: "who" },
    { id: 4, method: "ping" },
    { id: 5, method: "ping", params: { _meta: META } },
    { id: 6, method: "initialize", params: { ...params, _meta: META } },
  );
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const _meta = { "io.modelcontextprotocol/serverInfo": INTRODUCTION.serverInfo };
  const stateless: Client = { name: "stateless", hasForms: true, isStateless: true };
  deepStrictEqual(byId.get(2)?.result, { resultType: "complete", ...stateless, _meta });
  deepStrictEqual(byId.get(3)?.result, { name: "old", hasForms: false, isStateless: false });
  deepStrictEqual(byId.get(4)?.result, {});
  deepStrictEqual([5, 6].map((id) => byId.get(id)?.error?.code), [-32601, -32601]);
});

Deno.test("a stateless request says which version it is of, and what the client can do", async () => {
  const { "io.modelcontextprotocol/clientCapabilities": _, ...unable } = META;
  const { "io.modelcontextprotocol/protocolVersion": __, ...versionless } = META;
  const { "io.modelcontextprotocol/clientInfo": ___, ...nameless } = META;
  const version = { ...META, "io.modelcontextprotocol/protocolVersion": "2027-01-01" };
  const errors = await exchange(
    { id: 1, method: "server/discover" },
    { id: 2, method: "who", params: { _meta: unable } },
    { id: 3, method: "who", params: { _meta: versionless } },
    { id: 4, method: "who", params: { _meta: { ...META, "io.modelcontextprotocol/clientInfo": "me" } } },
    { id: 5, method: "who", params: { _meta: version } },
    { id: 6, method: "who", params: { _meta: nameless } },
  );
  deepStrictEqual(errors.map(({ id, error }) => [id, error?.code]).sort(), [
    [1, -32602],
    [2, -32602],
    [3, -32602],
    [4, -32602],
    [5, -32022],
    [6, undefined],
  ]);
  const { error } = errors.find(({ id }) => id === 5)!;
  deepStrictEqual(error?.data, { supported: ["2026-07-28"], requested: "2027-01-01" });
});

Deno.test("what may be kept says for how long", async () => {
  const [list] = await exchange({ id: 1, method: "tools/list", params: { _meta: META } });
  deepStrictEqual([list?.result?.["ttlMs"], list?.result?.["cacheScope"]], [300_000, "private"]);
});

Deno.test("a cancelled call gets no answer, whatever its id, and nothing waits for it", async () => {
  const cancel = (requestId: unknown) => ({ method: "notifications/cancelled", params: { requestId } });
  const answers = await exchange(
    { id: 0, method: "wait" },
    { id: 1, method: "who" },
    { id: "a", method: "wait" },
    cancel(0),
    cancel("a"),
    cancel(7),
    cancel({}),
  );
  deepStrictEqual(answers.map(({ id }) => id), [1]);
});

Deno.test("what is not a valid message is answered as such", async () => {
  const answers = await exchange({ id: 1 }, { id: null, method: "who" }, {
    id: 2,
    method: "who",
    params: [1],
  }, {
    id: 3,
    method: 4,
  });
  deepStrictEqual(answers.map(({ id, error }) => [id, error?.code]), [
    [1, -32600],
    [null, -32600],
    [2, -32600],
    [3, -32600],
  ]);
});

Deno.test("a client that does not answer a form within 45 s is not asked by forms again", async () => {
  const session = makeSession();
  session.answerRequests("ask", v.object({}), async (_, { signal }) => {
    return { reply: await session.elicit({}, signal) ?? null };
  });
  const received: Message[] = [];
  session.open((message) => {
    received.push(message as Message);
    return Promise.resolve();
  });
  const resultOf = (id: number) => received.find((each) => each.id === id && each.result)?.result;
  const { setTimeout: usual } = globalThis;
  const waits: unknown[] = [];
  globalThis.setTimeout = ((action: () => void, ms: number) => {
    waits.push(ms);
    return usual(action, 0);
  }) as typeof setTimeout;
  try {
    const params = { protocolVersion: "2025-06-18", capabilities: { elicitation: {} }, clientInfo };
    session.receive({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    session.receive({ jsonrpc: "2.0", id: 2, method: "who" });
    session.receive({ jsonrpc: "2.0", id: 3, method: "ask" });
    while (resultOf(3) === undefined) await new Promise<void>((resolve) => usual(resolve, 0));
    session.receive({ jsonrpc: "2.0", id: 4, method: "who" });
    await session.endInput();
  } finally {
    globalThis.setTimeout = usual;
  }
  deepStrictEqual(waits, [45_000]);
  deepStrictEqual([resultOf(2)?.["hasForms"], resultOf(3), resultOf(4)?.["hasForms"]], [
    true,
    { reply: null },
    false,
  ]);
});
