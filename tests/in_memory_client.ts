/** The official MCP client, connected to a session in the same process. */

import {
  Client,
  type ElicitResult,
  InMemoryTransport,
  type JSONRPCMessage,
} from "@modelcontextprotocol/client";
import type { McpSession } from "../src/agents/mcp/mcp_session.ts";

/** The versions of the protocol: with a handshake, and with clients that introduce themselves in each request. */
export const MCP_VERSIONS = ["2025-11-25", "2026-07-28"] as const;
export type McpVersion = (typeof MCP_VERSIONS)[number];

/** A client of that version. Only with `onForm` it says that it has forms. */
export function mcpClient(
  version: McpVersion,
  name = "test",
  onForm?: (params: object) => ElicitResult,
): Client {
  const client = new Client({ name, version: "1" }, {
    capabilities: onForm === undefined ? {} : { elicitation: {} },
    versionNegotiation: { mode: version === "2025-11-25" ? "legacy" : { pin: version } },
  });
  if (onForm !== undefined) client.setRequestHandler("elicitation/create", ({ params }) => onForm(params));
  return client;
}

/** Connects `client` to `session`. */
export async function connectInMemory(session: McpSession, client: Client): Promise<AsyncDisposable> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  near.onmessage = (message) => session.receive(message);
  session.open((message) => near.send(message as JSONRPCMessage));
  await near.start();
  await client.connect(far);
  return { [Symbol.asyncDispose]: () => client.close() };
}
