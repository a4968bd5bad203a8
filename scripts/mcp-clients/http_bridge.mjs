// fdtool's MCP server behind streamable HTTP, which is all that the official conformance suite speaks: node
// http_bridge.mjs FDTOOL prints its address. One server process answers all requests. The bridge adds what HTTP has of
// its own: statuses, headers that must agree with the body, and that a client that hangs up cancels its call.

import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

const server = spawn(process.argv[2], ["mcp", "--all", "--run", "--output-schemas"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** What takes the messages for each open request, by the id that the server knows it by. */
const open = new Map();
let count = 0;
createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  open.get(message.id ?? message.params?.progressToken)?.(message);
});

const VERSION = "io.modelcontextprotocol/protocolVersion";
const STATUSES = { [-32600]: 400, [-32601]: 404, [-32020]: 400, [-32021]: 400, [-32022]: 400 };

/** The header of a stateless request that is missing, or differs from the body. */
function mismatch(headers, { method, params }) {
  const version = params?._meta?.[VERSION];
  if (version === undefined) return undefined;
  if (headers["mcp-protocol-version"] !== version) return "MCP-Protocol-Version";
  if (headers["mcp-method"] !== method) return "Mcp-Method";
  return headers["mcp-name"] === (params.name ?? params.uri) ? undefined : "Mcp-Name";
}

function answer(request, response, text) {
  const reply = (status, message) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(message === undefined ? "" : JSON.stringify({ jsonrpc: "2.0", ...message }));
  };
  const host = new URL(request.headers.origin ?? `http://${request.headers.host}`).hostname;
  if (!["localhost", "127.0.0.1", "[::1]"].includes(host)) return reply(403);
  if (request.method !== "POST") return reply(405);
  let message;
  try {
    message = JSON.parse(text);
  } catch {
    return reply(400, { id: null, error: { code: -32700, message: "not JSON" } });
  }
  const { id, params } = message;
  if (id === undefined) {
    send(message);
    return reply(202);
  }
  const header = mismatch(request.headers, message);
  if (header !== undefined) {
    return reply(400, { id, error: { code: -32020, message: `${header} differs from the body` } });
  }
  const own = ++count;
  const token = params?._meta?.progressToken;
  const isStateless = params?._meta?.[VERSION] !== undefined;
  const event = (sent) => response.write(`event: message\ndata: ${JSON.stringify(sent)}\n\n`);
  if (token !== undefined) response.writeHead(200, { "content-type": "text/event-stream" });
  open.set(own, (received) => {
    if (received.method !== undefined) {
      return event({ ...received, params: { ...received.params, progressToken: token } });
    }
    open.delete(own);
    const sent = { ...received, id };
    if (token !== undefined) {
      event(sent);
      return response.end();
    }
    const code = received.error?.code;
    const isMalformed = code === -32602 && /^Invalid \S+ request: params\._meta/.test(received.error.message);
    const isFault = isStateless || request.headers["mcp-protocol-version"] === "2026-07-28";
    reply(isFault ? isMalformed ? 400 : STATUSES[code] ?? 200 : 200, sent);
  });
  response.on("close", () => {
    if (open.delete(own)) send({ method: "notifications/cancelled", params: { requestId: own } });
  });
  const _meta = token === undefined ? params?._meta : { ...params._meta, progressToken: own };
  send({
    ...message,
    id: own,
    ...(params === undefined ? {} : { params: { ...params, ...(_meta && { _meta }) } }),
  });
}

const http = createServer((request, response) => {
  let text = "";
  request.setEncoding("utf8").on("data", (piece) => text += piece).on(
    "end",
    () => answer(request, response, text),
  );
});
http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
