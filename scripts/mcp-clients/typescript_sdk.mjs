// fdtool's MCP server under the TypeScript SDK's client, which checks every answer by its schema, and under the same
// package's strict JSON schema validator: node typescript_sdk.mjs FDTOOL CALLS. Run where the SDK is installed.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import ajvModule from "ajv";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, , fdtool, calls] = process.argv;
const { before, calls: wanted } = JSON.parse(readFileSync(calls, "utf8"));
const home = mkdtempSync(join(tmpdir(), "fdtool-mcp-"));
const env = { HOME: home, PATH: process.env.PATH, FDTOOL_STORE: join(home, "store") };
for (const command of before) {
  execFileSync("/bin/sh", ["-c", command], { cwd: home, env: { ...env, FDTOOL: fdtool } });
}
const args = ["mcp", "--all", "--run", "--output-schemas"];
const transport = new StdioClientTransport({ command: fdtool, args, env, cwd: home });
const client = new Client({ name: "fdtool-check", version: "1" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { answer: true } }));
await client.connect(transport);

let passed = 0;
let failed = 0;
const note = (isRight, what) => {
  if (isRight) passed++;
  else failed++;
  console.log(isRight ? "ok" : "FAILED", what);
};
const ajv = new ajvModule.default({ strict: true, allErrors: true, allowUnionTypes: true });
const { tools } = await client.listTools();
const byName = new Map(tools.map((tool) => [tool.name, tool]));
for (const { name } of tools) {
  if (!wanted.some((call) => call.name === name)) note(false, `no call of ${name}`);
}
for (const { name, arguments: right, wrong } of wanted) {
  const { inputSchema, outputSchema } = byName.get(name);
  const takes = ajv.compile(inputSchema);
  const gives = ajv.compile(outputSchema);
  for (const given of [right, wrong]) {
    const { isError = false, structuredContent } = await client.callTool({ name, arguments: given });
    const fits = gives(structuredContent) && (given === wrong || takes(given));
    const ends = given === wrong ? "fails" : "succeeds";
    note(fits && isError === (given === wrong), `${name} ${ends} ${structuredContent.type}`);
  }
}
await client.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
