// An MCP server on stdio, for Node: `node text_server.mjs RESULTS.json` has a tool for each member of that file, which
// answers with its value.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const results = JSON.parse(readFileSync(process.argv[2], "utf8"));
const inputSchema = { type: "object", properties: {} };

function answer(method, params) {
  switch (method) {
    case "initialize": {
      const serverInfo = { name: "texts", version: "1" };
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    case "tools/list":
      return { tools: Object.keys(results).map((name) => ({ name, description: name, inputSchema })) };
    case "tools/call":
      return results[params.name];
    default:
      return {};
  }
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: answer(method, params) })}\n`);
});
