/**
 * OpenCode's plugin and hook: a result is replaced after the command has ended, by at most one process of fdtool; small
 * results, other tools and unknown payloads are unchanged.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { jsonOf } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

/** A call of the plugin's hook, as OpenCode 1.18 makes it. */
interface Result {
  title: string;
  output: string;
  metadata: Record<string, unknown>;
}

/** Of a tool of an MCP server: what the server sent. */
interface ServerResult {
  content: { type: string; text?: string }[];
  structuredContent?: unknown;
}

/** The results after the plugin, and how many processes of fdtool each started. */
async function afterPlugin<Given extends Result | ServerResult = Result>(
  world: World,
  calls: readonly { tool: string; command?: string; result: Given }[],
): Promise<{ result: Given; processes: number }[]> {
  jsonOf(await world.run(["install", "opencode", "--project", "--format", "json"]));
  const script = world.write(
    "host.mjs",
    `import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { FdtoolPlugin } from ${JSON.stringify(world.path(".opencode/plugins/fdtool.js"))};
const hooks = await FdtoolPlugin({});
if (Object.keys(hooks).join() !== "tool.execute.after") throw new Error("it does something before a command");
const reported = [];
for (const { tool, command, result } of JSON.parse(readFileSync("calls.json", "utf8"))) {
  const starts = () => existsSync("starts") ? readFileSync("starts", "utf8").length : 0;
  const before = starts();
  await hooks["tool.execute.after"]({ tool, sessionID: "s", callID: "c", args: { command } }, result);
  reported.push({ result, processes: starts() - before });
}
console.log(JSON.stringify(reported));
`,
  );
  world.write("calls.json", JSON.stringify(calls));
  // Counts the starts of fdtool.
  world.write(
    "bin/fdtool",
    `#!/bin/sh\nprintf x >>"${world.path("starts")}"\nPATH=\${PATH#*:} exec fdtool "$@"\n`,
  );
  Deno.chmodSync(world.path("bin/fdtool"), 0o755);
  const host = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", "--no-config", script],
    cwd: world.dir,
    env: { ...world.env, NO_COLOR: "1", PATH: `${world.path("bin")}:${world.env["PATH"]}` },
  });
  const { stdout, stderr } = await host.output();
  const text = new TextDecoder().decode(stdout);
  return JSON.parse(text === "" ? `"${new TextDecoder().decode(stderr)}"` : text);
}

const MANY = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n");
const result = (output: string, metadata: Record<string, unknown> = {}): Result => ({
  title: "t",
  output,
  metadata: { output, exit: 0, truncated: false, ...metadata },
});

Deno.test("opencode: a large result becomes a preview with the exit code; the user's copy is unchanged", async () => {
  using world = makeWorld();
  const path = "../home/.local/share/opencode/tool-output/tool_1";
  const note =
    "\n\n<shell_metadata>\nshell tool terminated command after exceeding timeout 1000 ms\n</shell_metadata>";
  const [cut, plain, ended] = await afterPlugin(world, [
    {
      tool: "bash",
      command: "make",
      result: result("...output truncated...\nline 4999", {
        exit: 3,
        truncated: true,
        outputPath: world.write(path, `${MANY}\nthe end on stderr\n`),
      }),
    },
    { tool: "bash", command: "seq", result: result(MANY) },
    { tool: "bash", command: "slow", result: result(`${MANY}${note}`, { exit: null }) },
  ]);
  assertStringIncludes(cut!.result.output, 'total_lines="5001" source="shell"');
  assertStringIncludes(cut!.result.output, 'exit_code="3"');
  assertStringIncludes(cut!.result.output, "the end on stderr");
  assertEquals(cut!.result.metadata["output"], "...output truncated...\nline 4999");
  assertStringIncludes(plain!.result.output, '<fd_result fd="fd:');
  assert(ended!.result.output.endsWith(note), ended!.result.output.slice(-300));
  assertEquals([cut, plain, ended].map((each) => each!.processes), [1, 1, 1]);
  const fd = /fd="(fd:\d+)"/.exec(ended!.result.output)![1]!;
  assertEquals((await world.run(["read", fd, "--all", "--format", "raw"])).text, MANY);
  const stat = jsonOf(await world.run(["stat", fd, "--format", "json"]));
  assertEquals(stat["command"], ["sh", "-c", "slow"]);
});

Deno.test("opencode: small results and other tools are unchanged, and start no process", async () => {
  using world = makeWorld();
  const calls = [
    { tool: "bash", command: "ls", result: result("a\nb\n") },
    { tool: "bash", command: "ls", result: result("x".repeat(8000)) },
    { tool: "read", command: "", result: result(MANY) },
  ];
  const reported = await afterPlugin(world, calls);
  assertEquals(reported, calls.map((call) => ({ result: call.result, processes: 0 })));
});

Deno.test("opencode: text of an MCP server and a fetched page become previews, every byte stored", async () => {
  using world = makeWorld();
  const text = { type: "text", text: `${MANY}\uFFFD é` };
  const [one, two] = await afterPlugin<ServerResult>(world, [
    { tool: "web_get", result: { content: [text] } },
    { tool: "web_get", result: { content: [{ type: "text", text: "Two:" }, text] } },
  ]);
  for (const [reported, content] of [[one, text.text], [two, `Two:\n${text.text}`]] as const) {
    const { content: [part, ...more] } = reported!.result;
    assertEquals([part!.type, more, reported!.processes], ["text", [], 1]);
    const fd = /^<fd_result fd="(fd:\d+)"/.exec(part!.text!)![1]!;
    assertStringIncludes(part!.text!, 'source="web_get"');
    assertEquals((await world.run(["read", fd, "--all", "--format", "raw"])).text, content);
  }
  assertStringIncludes(two!.result.content[0]!.text!, "Its 2 texts are joined by line ends.");
  const page = { title: "http://x.y", output: text.text, metadata: { truncated: false } };
  const [fetched] = await afterPlugin(world, [{ tool: "webfetch", result: page }]);
  assertStringIncludes(fetched!.result.output, 'source="webfetch"');
});

Deno.test("opencode: images, structured content, resources and fdtool's own answers are unchanged", async () => {
  using world = makeWorld();
  const text = { type: "text", text: MANY };
  const calls: { tool: string; result: ServerResult }[] = [
    { tool: "web_get", result: { content: [text, { type: "image" }] } },
    { tool: "web_get", result: { content: [text], structuredContent: { rows: MANY } } },
    { tool: "web_get", result: { content: [{ type: "resource" }] } },
    { tool: "web_get", result: { content: [{ type: "text", text: "small" }] } },
    { tool: "fdtool_read_fd", result: { content: [text] } },
  ];
  const reported = await afterPlugin(world, calls);
  assertEquals(reported, calls.map((call) => ({ result: call.result, processes: 0 })));
});

Deno.test("opencode: if fdtool is missing or cannot store, results are unchanged", async () => {
  using world = makeWorld();
  world.write("store", "a file where the store should be");
  const calls = [{ tool: "bash", command: "seq", result: result(MANY) }];
  const env = { FDTOOL_STORE: world.path("store") };
  const payload = JSON.stringify({ output: MANY, exit_code: 0 });
  const { code, text, stderr } = await world.run(["hook", "opencode"], { env, stdin: payload });
  assertEquals([code, text, stderr.trimEnd().split("\n").length], [0, "", 1]);
  jsonOf(await world.run(["install", "opencode", "--project", "--format", "json"]));
  world.write(
    ".opencode/plugins/fdtool.js",
    world.text(".opencode/plugins/fdtool.js").replace('spawn("', 'spawn("/nowhere/'),
  );
  const script = world.write(
    "host.mjs",
    `import { FdtoolPlugin } from "./.opencode/plugins/fdtool.js";
const [call] = ${JSON.stringify(calls)};
await (await FdtoolPlugin({}))["tool.execute.after"]({ tool: "bash", args: {} }, call.result);
await (await FdtoolPlugin({}))["tool.execute.after"]({ tool: "bash" }, undefined);
console.log(JSON.stringify(call));
`,
  );
  const host = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-config", script],
    cwd: world.dir,
  });
  assertEquals(JSON.parse(new TextDecoder().decode((await host.output()).stdout)), calls[0]);
});

Deno.test("hook opencode: a truncated or unknown payload is reported in one line, with exit code 0", async () => {
  using world = makeWorld();
  const whole = JSON.stringify({ output: MANY, output_path: "/x", exit_code: 0 });
  for (
    const payload of [
      "",
      whole.slice(0, 5000),
      "[]",
      "null",
      "7",
      '{"output":7}',
      '{"output":"x","exit_code":"0"}',
    ]
  ) {
    const { code, text, stderr } = await world.run(["hook", "opencode"], { stdin: payload });
    assertEquals([code, text, stderr.trimEnd().split("\n").length], [0, "", 1], payload);
    assertStringIncludes(stderr, "invalid_parameter");
  }
  // What cannot be read is not stored as if it were the whole.
  for (const output_path of ["/nowhere/at/all", world.dir, "/dev/zero"]) {
    const stdin = JSON.stringify({ output: MANY, output_path });
    const { code, text, stderr } = await world.run(["hook", "opencode"], { stdin });
    assertEquals([code, text, stderr.trimEnd().split("\n").length], [0, "", 1], output_path);
  }
});
