/** MCP clients that others wrote, as a group of `scripts/live`: what `scripts/check-mcp-clients` prints, as rows. */

import { join } from "node:path";
import type { ReportRow } from "./live_report.ts";

export const MCP_CLIENTS = "mcp-clients";
export const MCP_CLIENTS_WHAT =
  "Every tool, so that it succeeds and so that it fails, with schema validation; the conformance suite";

/** One row a client; undefined if they cannot be installed. */
export async function mcpClientRows(checkout: string): Promise<ReportRow[] | undefined> {
  const { stdout } = await new Deno.Command(join(checkout, "scripts", "check-mcp-clients"), {
    args: ["--all"],
    stdin: "null",
    stderr: "inherit",
  }).output();
  const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
  if (!/^\d+ passed, \d+ failed$/.test(lines.at(-1) ?? "")) return undefined;
  const rows = new Map<string, ReportRow & { kind: "trial" }>();
  for (const line of lines.slice(0, -1)) {
    const [, client, version = "", said = ""] = /^(.+) ([0-9][0-9a-z.-]*): (.*)$/.exec(line) ?? [];
    if (client === undefined) continue;
    const row = rows.get(client) ??
      {
        harness: client,
        version,
        name: MCP_CLIENTS,
        what: MCP_CLIENTS_WHAT,
        kind: "trial",
        result: { checks: [] },
      };
    const [, verdict, what = said] = /^(ok|FAILED) (.*)$/.exec(said) ?? [];
    const isCount = /^\d+ passed, \d+ failed$/.test(said);
    // Any other line is the error output of a client.
    const checks = isCount
      ? row.result.checks
      : [...row.result.checks, { what, ok: verdict === "ok", got: said }];
    rows.set(client, { ...row, result: { checks } });
  }
  return [...rows.values()];
}
