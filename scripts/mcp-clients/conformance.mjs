// fdtool's MCP server in the official conformance suite: node conformance.mjs VERSION FDTOOL DENO SUITE LISTED. The suite
// needs a newer Node than this project does, so Deno runs it. LISTED names what fdtool does not offer.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [, , version, fdtool, deno, suite, listed] = process.argv;
const home = mkdtempSync(join(tmpdir(), "fdtool-mcp-"));
const env = { ...process.env, HOME: home, FDTOOL_STORE: join(home, "store") };
spawnSync(fdtool, ["capture", "--always", "--preview", "none"], { env, input: "line\n".repeat(3000) });
const bridge = spawn(process.execPath, [
  join(dirname(fileURLToPath(import.meta.url)), "http_bridge.mjs"),
  fdtool,
], {
  env,
  cwd: home,
  stdio: ["ignore", "pipe", "inherit"],
});
const url = await new Promise((resolve) =>
  bridge.stdout.once("data", (text) => resolve(String(text).trim()))
);
const options = ["--url", url, "--suite", "all", "--spec-version", version, "--expected-failures", listed];
const run = spawn(deno, ["run", "-A", "--no-lock", suite, "server", ...options], {
  env: { ...env, HOME: process.env.HOME, NO_COLOR: "1" },
  cwd: home,
});
let said = "";
for (const stream of [run.stdout, run.stderr]) stream.on("data", (text) => said += text);
const status = await new Promise((resolve) => run.once("close", resolve));
bridge.kill();

const [, scenarios = "", verdict = ""] = /=== SUMMARY ===\n([^]*?)\nTotal: .*\n([^]*)$/.exec(said) ?? [];
let passed = 0;
for (const [, name, checks] of scenarios.matchAll(/^✓ (\S+): (\d+) passed, 0 failed$/gm)) {
  if (verdict.includes(`✗ ${name}\n`)) continue;
  passed++;
  console.log("ok", `${name}: ${checks} checks`);
}
const absent = [...verdict.matchAll(/^ {2}~ (\S+)$/gm)].map(([, name]) => name);
if (absent.length > 0) console.log("ok", `not offered, as conformance.yml lists: ${absent.length}`);
const wrong = status === 0 ? [] : [...verdict.matchAll(/^ {2}✗ (.+)$/gm)].map(([, name]) => name);
if (status !== 0 && wrong.length === 0) wrong.push(verdict.slice(0, 500) || said.slice(-500));
for (const name of wrong) console.log("FAILED", name);
console.log(`${passed} passed, ${wrong.length} failed`);
process.exit(status === 0 && passed > 0 ? 0 : 1);
