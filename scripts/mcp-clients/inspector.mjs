// fdtool's MCP server under the inspector's command line: node inspector.mjs INSPECTOR FDTOOL CALLS. Each call is a
// server of its own, so only calls that need none before them are made.

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [, , inspector, fdtool, calls] = process.argv;
const { before, calls: wanted } = JSON.parse(readFileSync(calls, "utf8"));
const home = mkdtempSync(join(tmpdir(), "fdtool-mcp-"));
const env = { HOME: home, PATH: process.env.PATH, FDTOOL_STORE: join(home, "store") };
for (const command of before) {
  execFileSync("/bin/sh", ["-c", command], { cwd: home, env: { ...env, FDTOOL: fdtool } });
}

let passed = 0;
let failed = 0;
const note = (isRight, what) => {
  if (isRight) passed++;
  else failed++;
  console.log(isRight ? "ok" : "FAILED", what);
};
function inspect(...words) {
  // A server's own options would be taken for the inspector's, and of the variables few are passed on: a shell has both.
  const server = `FDTOOL_STORE='${env.FDTOOL_STORE}' exec '${fdtool}' mcp --all --run --output-schemas`;
  const { stdout, stderr } = spawnSync(inspector, ["--cli", "sh", "-c", server, ...words], {
    cwd: home,
    env,
    encoding: "utf8",
  });
  try {
    return JSON.parse(stdout);
  } catch {
    return { said: `${stdout}${stderr}`.slice(0, 300) };
  }
}

const { tools, said } = inspect("--method", "tools/list");
note(tools?.length === wanted.length, `tools/list ${tools?.length ?? said}`);
for (const { name, arguments: right, wrong } of wanted) {
  for (const given of [right, wrong]) {
    // As --tool-arg, new=2 would be a number.
    const words = ["--tool-args-json", JSON.stringify(given)];
    const { isError = false, structuredContent, said } = inspect(
      "--method",
      "tools/call",
      "--tool-name",
      name,
      ...words,
    );
    const ends = given === wrong ? "fails" : "succeeds";
    note(
      structuredContent !== undefined && isError === (given === wrong),
      `${name} ${ends} ${structuredContent?.type ?? said}`,
    );
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
