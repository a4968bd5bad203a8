// fdtool's MCP server under the TypeScript SDK's client, which checks every answer by its schema, and under the same
// package's strict JSON schema validator: node typescript_sdk.mjs VERSION FDTOOL CALLS. Run where the SDK is installed.

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv } from "@modelcontextprotocol/client/validators/ajv";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, , version, fdtool, calls] = process.argv;
const { before, calls: wanted } = JSON.parse(readFileSync(calls, "utf8"));
const home = mkdtempSync(join(tmpdir(), "fdtool-mcp-"));
const env = { HOME: home, PATH: process.env.PATH, FDTOOL_STORE: join(home, "store") };
for (const command of before) {
  execFileSync("/bin/sh", ["-c", command], { cwd: home, env: { ...env, FDTOOL: fdtool } });
}
const args = ["mcp", "--all", "--run", "--output-schemas"];
const transport = new StdioClientTransport({ command: fdtool, args, env, cwd: home });
const client = new Client({ name: "fdtool-check", version: "1" }, {
  capabilities: { elicitation: {} },
  versionNegotiation: { mode: version === "2025-11-25" ? "legacy" : "auto" },
});
let asked = 0;
client.setRequestHandler("elicitation/create", () => {
  asked++;
  return { action: "accept", content: { answer: true } };
});
await client.connect(transport);

let passed = 0;
let failed = 0;
const note = (isRight, what) => {
  if (isRight) passed++;
  else failed++;
  console.log(isRight ? "ok" : "FAILED", what);
};
note(client.getNegotiatedProtocolVersion() === version, `speaks ${client.getNegotiatedProtocolVersion()}`);
const ajv = new Ajv({ strict: true, allErrors: true, allowUnionTypes: true });
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
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: `${resources.at(-1).uri}?mode=line&start=2&count=2` });
note(
  contents[0].text === "2\n3\n",
  `resources: ${resources.length}, a slice: ${JSON.stringify(contents[0].text)}`,
);

writeFileSync(join(home, "many.txt"), "x\n".repeat(12));
const edit = { path: join(home, "many.txt"), old_string: "x", new_string: "y", replace_all: true };
const askedBefore = asked;
const { structuredContent: edited } = await client.callTool({ name: "edit_file", arguments: edit });
note(asked === askedBefore + 1 && edited.type === "write_result", `a form, accepted: ${edited.type}`);

// The command says its process id once it runs, and never ends by itself.
const cancel = new AbortController();
const command = `echo $$ >${home}/part && mv ${home}/part ${home}/pid; exec sleep 100000`;
const cancelled = client.callTool({ name: "run_command", arguments: { command } }, { signal: cancel.signal })
  .then(() => false, () => true);
while (!existsSync(join(home, "pid"))) await new Promise((resolve) => setTimeout(resolve, 5));
cancel.abort("enough");
const next = await client.callTool({ name: "read_fd", arguments: { fd: "ref:log", count: 1 } });
note(await cancelled && next.isError !== true, "a call after a cancelled one is answered");
const isRunning = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
while (isRunning(Number(readFileSync(join(home, "pid"), "utf8")))) {
  await new Promise((go) => setTimeout(go, 5));
}
note(true, "the command of the cancelled call ended");
await client.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
