// Promise: the handshake agrees on a known version, exchanges names and capabilities, and refuses requests that the
// server does not support as invalid.

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/inMemory"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { EmptyResultSchema, InitializeResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { McpSession } from "./mcp_session.ts";

const INTRODUCTION = {
  serverInfo: { name: "fdtool", version: "0" },
  capabilities: { tools: {} },
  instructions: "Read little.",
};

async function connect(capabilities = {}) {
  const server = new McpSession(INTRODUCTION);
  const client = new Client({ name: "test", version: "0" }, { capabilities });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
  return { server, client, [Symbol.asyncDispose]: () => client.close() };
}

Deno.test("the handshake introduces the server and remembers what the client can do", async () => {
  await using connected = await connect({ elicitation: {} });
  const { server, client } = connected;
  deepStrictEqual(client.getServerVersion(), INTRODUCTION.serverInfo);
  deepStrictEqual(client.getServerCapabilities(), INTRODUCTION.capabilities);
  deepStrictEqual(client.getInstructions(), INTRODUCTION.instructions);
  ok(server.clientCapabilities?.elicitation?.form !== undefined);
});

Deno.test("a known protocol version is accepted, and an unknown one answered with the newest", async () => {
  await using connected = await connect();
  const { client } = connected;
  const versionFor = async (protocolVersion: string) => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "0" } };
    return (await client.request({ method: "initialize", params }, InitializeResultSchema)).protocolVersion;
  };
  deepStrictEqual(await versionFor("2024-11-05"), "2024-11-05");
  const newest = await versionFor("1999-01-01");
  ok(newest > "2024-11-05", newest);
});

Deno.test("a call as a task is refused as invalid", async () => {
  await using connected = await connect();
  const { client } = connected;
  const asTask = { method: "ping" as const, params: { task: { ttl: 1000 } } };
  await rejects(client.request(asTask, EmptyResultSchema), { code: -32602 });
});
