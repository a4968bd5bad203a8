/**
 * Lets Claude Code call the tools of an MCP server, WebFetch and Read. WebFetch takes only https and a host with a dot, so
 * the page is served on 127.0.0.1 with a certificate from openssl; the scripted model reads it aloud.
 */

import { addMembers, holds, type LiveWorld, resultText, type Scenario } from "./live_harness.ts";
import { FILE, kept, otherTools, servePage, SUM_OF_FD, textServer } from "./tool_results.ts";

const ROWS = "$PROJECT/rows.txt";
const READ = { tool: "Read", args: { file_path: ROWS } };

export const TOOL_SCENARIOS: readonly Scenario[] = [
  otherTools({
    prefix: "mcp__texts__",
    page: { tool: "WebFetch", args: { url: "$PAGE", prompt: "Show all of it." } },
    file: READ,
  }, {
    what: "Results of an MCP server, WebFetch and Read: large text becomes an fd, everything else stays",
    short: "compared",
    arrange: (world) => {
      addMembers(world, "home/.claude/settings.json", {
        enableAllProjectMcpServers: true,
        skipWebFetchPreflight: true,
        env: {
          ENABLE_TOOL_SEARCH: "false",
          NODE_EXTRA_CA_CERTS: `${world.root}/cert`,
          // Otherwise the first turn may come before the server.
          MCP_CONNECTION_NONBLOCKING: "0",
        },
      });
      addMembers(world, "project/.mcp.json", { mcpServers: { texts: textServer(world) } });
      world.write("project/rows.txt", FILE);
      servePage(world, newCertificate(world));
    },
  }),
  {
    name: "files as fds",
    what: "What Read shows with `--tools read`",
    short: "alone",
    installs: [["--tools", "read"]],
    arrange: ({ write }) => write("project/rows.txt", FILE),
    with: [
      READ,
      SUM_OF_FD,
      { tool: "Edit", args: { file_path: ROWS, old_string: "row 7 of", new_string: "row seven of" } },
      { tool: "Read", args: { file_path: ROWS, offset: 1, limit: 350 } },
    ],
    checks: ({ with: seen }) => [
      ...kept("a file", seen, 0, FILE),
      holds("it can be edited then", resultText(seen, 2), "has been updated"),
      holds("its lines by number stay", resultText(seen, 3), "350\trow 350 of"),
    ],
  },
];

function newCertificate({ root }: LiveWorld): { cert: string; key: string } {
  const words =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2";
  const args = [...words.split(" "), "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const { success } = new Deno.Command("openssl", { args, cwd: root, stderr: "null" }).outputSync();
  if (!success) throw new Error("openssl made no certificate");
  const [cert, key] = ["cert", "key"].map((name) => Deno.readTextFileSync(`${root}/${name}`));
  return { cert: cert!, key: key! };
}
