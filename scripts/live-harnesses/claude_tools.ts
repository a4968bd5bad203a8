/**
 * Lets Claude Code call the tools of an MCP server, WebFetch and Read, without fdtool and with it. WebFetch takes only https
 * and a host with a dot, so the page is served on 127.0.0.1 with a certificate from openssl; the scripted model reads it
 * aloud.
 */

import {
  holds,
  type LiveWorld,
  resultText,
  same,
  type TrialContext,
  type TrialResult,
} from "./live_harness.ts";
import { compareTools, FILE, kept, PAGE, SUM_OF_FD, textServer } from "./tool_results.ts";

export async function compareClaudeTools(context: TrialContext): Promise<TrialResult> {
  const { world, fdtool } = context;
  prepare(world);
  const server = servePage(world);
  const url = `http://127.0.0.1:${server.addr.port}/page`;
  const rows = `${world.project}/rows.txt`;
  const file = { tool: "Read", args: { file_path: rows } };
  const settings = () => Deno.readTextFileSync(`${world.home}/.claude/settings.json`);
  const before = settings();
  const checks = await compareTools(context, {
    prefix: "mcp__texts__",
    page: { tool: "WebFetch", args: { url, prompt: "Show all of it." } },
    file,
    // Otherwise the first turn may come before the server.
    env: { NODE_EXTRA_CA_CERTS: `${world.root}/cert`, MCP_CONNECTION_NONBLOCKING: "0" },
  }, () => fdtool("install", "claude-code"));
  fdtool("install", "claude-code", "--tools", "read");
  const edit = { file_path: rows, old_string: "row 7 of", new_string: "row seven of" };
  const lines = { file_path: rows, offset: 1, limit: 350 };
  const seen = await context.run(
    [file, SUM_OF_FD, { tool: "Edit", args: edit }, { tool: "Read", args: lines }],
    { fdtool: true },
  );
  fdtool("uninstall", "claude-code");
  await server.shutdown();
  return {
    checks: [
      ...checks,
      ...kept("with --tools read, a file", seen, 0, FILE),
      holds("it can be edited then", resultText(seen, 2), "has been updated"),
      holds("its lines by number stay", resultText(seen, 3), "350\trow 350 of"),
      same("uninstalling restores the settings byte for byte", settings(), before),
    ],
  };
}

function prepare(world: LiveWorld): void {
  world.write("home/.claude/settings.json", {
    enableAllProjectMcpServers: true,
    skipWebFetchPreflight: true,
    env: { ENABLE_TOOL_SEARCH: "false" },
  });
  world.write("project/.mcp.json", { mcpServers: { texts: textServer(world) } });
  world.write("project/rows.txt", FILE);
}

function servePage({ root }: LiveWorld): Deno.HttpServer<Deno.NetAddr> {
  const words = "req -x509 -newkey rsa:2048 -nodes -keyout key -out cert -days 2 -subj /CN=127.0.0.1".split(
    " ",
  );
  const args = [...words, "-addext", "subjectAltName=IP:127.0.0.1"];
  const { success } = new Deno.Command("openssl", { args, cwd: root, stderr: "null" }).outputSync();
  if (!success) throw new Error("openssl made no certificate");
  const [cert, key] = ["cert", "key"].map((name) => Deno.readTextFileSync(`${root}/${name}`));
  return Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert: cert!, key: key!, onListen() {} },
    () => new Response(PAGE, { headers: { "content-type": "text/plain" } }),
  );
}
