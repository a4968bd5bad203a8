/**
 * Lets Claude Code call the tools of an MCP server, WebFetch and Read, without fdtool and with it: large text becomes an fd
 * with every byte, and everything else stays as it is. WebFetch takes only https and a host with a dot, so the page is
 * served on 127.0.0.1 with a certificate from openssl; the scripted model reads it aloud.
 */

import { createHash } from "node:crypto";
import {
  type Check,
  holds,
  type LiveWorld,
  resultText,
  same,
  type TrialContext,
  type TrialResult,
} from "./live_harness.ts";
import type { Seen, Step } from "./model_server.ts";
import { LEFT_ALONE, LONG, PARTS, rowsOf, textServer } from "./tool_results.ts";

const PAGE = rowsOf(1500);
const FILE = rowsOf(400);
const SUM_OF_FD: Step = { shell: "fdtool read $FD --all --format raw | sha256sum" };

export async function compareTools(context: TrialContext): Promise<TrialResult> {
  const { world, fdtool } = context;
  // Otherwise the first turn may come before the server.
  const env = { NODE_EXTRA_CA_CERTS: `${world.root}/cert`, MCP_CONNECTION_NONBLOCKING: "0" };
  prepare(world);
  const server = servePage(world);
  const url = `http://127.0.0.1:${server.addr.port}/page`;
  const read: Step = { tool: "Read", args: { file_path: `${world.project}/rows.txt` } };
  const calls: readonly Step[] = [
    { tool: "mcp__texts__long" },
    SUM_OF_FD,
    { tool: "mcp__texts__parts" },
    SUM_OF_FD,
    { tool: "WebFetch", args: { url, prompt: "Show all of it." } },
    SUM_OF_FD,
    read,
    ...LEFT_ALONE.map((name) => ({ tool: `mcp__texts__${name}` })),
  ];
  const settings = () => Deno.readTextFileSync(`${world.home}/.claude/settings.json`);
  const before = settings();
  const without = await context.run(calls, { fdtool: false, env });
  fdtool("install", "claude-code");
  const seen = await context.run(calls, { fdtool: true, env });
  fdtool("install", "claude-code", "--tools", "read");
  const edit = { file_path: `${world.project}/rows.txt`, old_string: "row 7 of", new_string: "row seven of" };
  const lines = { file_path: `${world.project}/rows.txt`, offset: 1, limit: 350 };
  const reading = await context.run(
    [read, SUM_OF_FD, { tool: "Edit", args: edit }, { tool: "Read", args: lines }],
    { fdtool: true },
  );
  fdtool("uninstall", "claude-code");
  await server.shutdown();
  const kept = (what: string, from: Seen, step: number, content: string): Check[] => [
    holds(`${what} arrives as a handle`, resultText(from, step), '<fd_result fd="fd:'),
    holds(`${what}: every byte is kept`, resultText(from, step + 1), sha256(content)),
  ];
  return {
    checks: [
      ...kept("a text of an MCP server", seen, 0, LONG),
      ...kept("two texts", seen, 2, PARTS.join("\n")),
      ...kept("a page", seen, 4, PAGE),
      same("a file stays", resultText(seen, 6), resultText(without, 6)),
      ...LEFT_ALONE.map((name, index) =>
        same(`${name} stays`, shown(seen, 7 + index), shown(without, 7 + index))
      ),
      ...kept("with --tools read, a file", reading, 0, FILE),
      holds("it can be edited then", resultText(reading, 2), "has been updated"),
      holds("its lines by number stay", resultText(reading, 3), "350\trow 350 of"),
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

/** A result, without names that are new in each run. */
function shown(seen: Seen, step: number): string {
  return resultText(seen, step).replace(/[\w/.-]*tool-results[\w/.-]*/g, "FILE");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
