/** A client of the official MCP library, connected to the program under test. */

import { deepStrictEqual } from "node:assert/strict";
import type { Client, ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mcpClient, type McpVersion } from "./in_memory_client.ts";
import { programUnderTest, type World } from "./world.ts";

interface Connecting {
  /** The user's reply to each form. Only with it the client says that it has forms. */
  reply?: ElicitResult;
  name?: string;
  words?: string[];
  version?: McpVersion;
}

/** A connected client of the official library; it checks answers against their output schemas by itself. */
export async function connect(
  world: World,
  { reply, name, words = [], version = "2026-07-28" }: Connecting = {},
): Promise<{ client: Client } & AsyncDisposable> {
  const [command, ...args] = programUnderTest();
  const transport = new StdioClientTransport({
    command: command!,
    args: [...args, "mcp", ...words],
    env: { ...world.env },
    cwd: world.dir,
    stderr: "ignore",
  });
  const client = mcpClient(version, name, reply && (() => reply));
  await client.connect(transport);
  deepStrictEqual(client.getNegotiatedProtocolVersion(), version);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}
