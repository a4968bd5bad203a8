/**
 * The hooks of pi, GitHub Copilot CLI and Qwen Code: a result is replaced (in Qwen Code, completed) after the command has
 * ended, large output is stored, and everything else stays as it is. The events are those of pi 0.87.1, Copilot CLI 1.0.102
 * and Qwen Code 0.24.4, recorded.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { jsonOf } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

/** The bytes of the fd that a preview names. */
async function stored(world: World, shown: string): Promise<Uint8Array> {
  const fd = /<fd_result fd="(fd:\d+)"/.exec(shown)?.[1];
  assert(fd !== undefined, shown);
  return (await world.run(["read", fd, "--all", "--format", "raw"])).stdout;
}

/** Runs pi's extension on events and returns the text of each result, or "stays". */
async function afterExtension(world: World, events: readonly object[]): Promise<string[]> {
  const extension = world.path(".pi/extensions/fdtool.js");
  const script = world.write(
    "host.mjs",
    `import { readFileSync } from "node:fs";
import extension from ${JSON.stringify(extension)};
let handler;
extension({ on: (name, each) => { if (name !== "tool_result") throw new Error(name); handler = each; } });
const results = [];
for (const event of JSON.parse(readFileSync("events.json", "utf8"))) results.push(await handler(event, {}) ?? null);
console.log(JSON.stringify(results));
`,
  );
  world.write("events.json", JSON.stringify(events));
  const host = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-lock", "--no-config", script],
    cwd: world.dir,
    env: { ...world.env, NO_COLOR: "1", TMPDIR: world.dir },
  });
  const { stdout, stderr } = await host.output();
  assertEquals(new TextDecoder().decode(stderr), "");
  const results: ({ content: { text: string }[] } | null)[] = JSON.parse(new TextDecoder().decode(stdout));
  return results.map((each) => each?.content[0]?.text ?? "stays");
}

const piEvent = (text: string, more: object = {}) => ({
  type: "tool_result",
  toolName: "bash",
  toolCallId: "s0c0",
  input: { command: "make", timeout: 1 },
  content: [{ type: "text", text }],
  details: {},
  isError: false,
  ...more,
});

Deno.test("pi: large results become previews, failed and stopped ones too, with every byte and pi's own last line", async () => {
  using world = makeWorld();
  await world.run(["install", "pi", "--project"]);
  const whole = Uint8Array.from({ length: 60_000 }, (_, index) => index % 251);
  const path = world.write("pi-bash-91a1600474e06b29.log", whole);
  const cut = `${lines(3, 2002)}\n\n[Showing lines 3-2002 of 2002. Full output: ${path}]`;
  const failed = { isError: true };
  const shown = await afterExtension(world, [
    piEvent(cut, { details: { fullOutputPath: path } }),
    piEvent(`${cut}\n\nCommand exited with code 3`, failed),
    piEvent(`${lines(1, 5000)}\n\nCommand exited with code 4`, failed),
    piEvent(`${lines(1, 5000)}\n\nCommand timed out after 1 seconds`, failed),
    piEvent(`${lines(1, 5000)}\n\nCommand exited with code 4`),
  ]);
  const bytes = await Promise.all(shown.map((each) => stored(world, each)));
  assertEquals([bytes[0], bytes[1]], [whole, whole]);
  assertEquals(
    bytes.slice(2).map((each) => new TextDecoder().decode(each)),
    [lines(1, 5000), lines(1, 5000), `${lines(1, 5000)}\n\nCommand exited with code 4`],
  );
  const codes = shown.map((each) => /exit_code="(\d+)"/.exec(each)?.[1]);
  assertEquals(codes, ["0", "3", "4", undefined, "0"]);
  const ends = shown.map((each) => each.slice(each.indexOf("</fd_result>") + "</fd_result>".length));
  assertEquals(ends, [
    "",
    "\n\nCommand exited with code 3",
    "\n\nCommand exited with code 4",
    "\n\nCommand timed out after 1 seconds",
    "",
  ]);
  assertEquals(jsonOf(await world.run(["stat", "fd:1", "--format", "json"]))["command"], [
    "sh",
    "-c",
    "make",
  ]);
});

Deno.test("pi: small results, other tools and images stay; so does all if fdtool is missing", async () => {
  using world = makeWorld();
  await world.run(["install", "pi", "--project"]);
  const secret = world.write("secret.txt", lines(1, 5000));
  const image = { type: "image", data: "", mimeType: "image/png" };
  const large = piEvent(lines(1, 5000));
  const events = [
    piEvent("(no output)"),
    piEvent("x".repeat(8000)),
    piEvent("err\n\n\nCommand exited with code 4", { isError: true }),
    // A command that prints the end of pi's own text names no file to read.
    piEvent(`x\n\n[Showing lines 1-2 of 3. Full output: ${secret}]`),
    { ...large, toolName: "read" },
    { ...large, content: [...large.content, image] },
    { ...large, content: [] },
  ];
  assertEquals(await afterExtension(world, events), events.map(() => "stays"));
  const extension = world.path(".pi/extensions/fdtool.js");
  world.write(".pi/extensions/fdtool.js", Deno.readTextFileSync(extension).replace('spawn("', 'spawn("/no/'));
  assertEquals(await afterExtension(world, [large]), ["stays"]);
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "");
});

const copilotCall = (textResultForLlm: string, more: object = {}) => ({
  sessionId: "ab819e63-beed-469d-b8e5-78d4dbb67fd6",
  timestamp: 1795597078621,
  cwd: "/project",
  toolName: "bash",
  toolArgs: { command: "make", description: "run it" },
  toolResult: { resultType: "success", textResultForLlm },
  ...more,
});

const inFile = (path: string) =>
  `Output too large to read at once (23.3 KB). Saved to: ${path}
Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output.

Preview (first 500 chars):
1
2
`;

Deno.test("hook copilot-cli: large output is stored from its file or the text; the line that says how it ended stays", async () => {
  using world = makeWorld();
  const path = world.write("1795597228607-copilot-tool-output-17881-441855ea.txt", lines(1, 6000));
  for (
    const [text, whole] of [[inFile(path), lines(1, 6000)], [lines(1, 3000), lines(1, 3000)]] as const
  ) {
    const end = "\n<shellId: 4 completed with exit code 3>";
    const stdin = JSON.stringify(copilotCall(text + end));
    const { code, text: written, stderr } = await world.run(["hook", "copilot-cli"], {
      stdin,
      env: { TMPDIR: world.dir },
    });
    assertEquals([code, stderr], [0, ""]);
    const { modifiedResult: { resultType, textResultForLlm: shown, ...rest } } = JSON.parse(written);
    assertEquals([resultType, rest, shown.endsWith(`</fd_result>${end}`)], ["success", {}, true]);
    assertStringIncludes(shown, 'exit_code="3"');
    assertStringIncludes(shown, 'exact="no"', "Copilot CLI takes escape sequences out");
    assertEquals(new TextDecoder().decode(await stored(world, shown)), whole);
  }
});

Deno.test("hook copilot-cli: small results, running commands, other tools and other files stay", async () => {
  using world = makeWorld();
  const end = "\n<shellId: 4 completed with exit code 0>";
  const secret = world.write("secret.txt", lines(1, 5000));
  for (
    const call of [
      copilotCall(`out\nerr${end}`),
      copilotCall("<command started in background with shellId: 7>"),
      copilotCall(`${lines(1, 5000)}<command with shellId: 7 is still running>`),
      copilotCall(inFile(secret) + end),
      copilotCall(lines(1, 5000) + end, { toolName: "view" }),
      copilotCall(lines(1, 5000) + end, { toolArgs: { command: "fdtool read fd:1 --all" } }),
    ]
  ) {
    const { code, text, stderr } = await world.run(["hook", "copilot-cli"], { stdin: JSON.stringify(call) });
    assertEquals([code, text, stderr], [0, "", ""], JSON.stringify(call).slice(0, 300));
  }
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "");
});

const qwenCall = (shown: string, more: object = {}) => ({
  session_id: "2a44ed62-fd4f-4abc-a54e-02c2724f1f32",
  transcript_path: "/home/ann/.qwen/projects/p/chats/2a44ed62.jsonl",
  cwd: "/project",
  hook_event_name: "PostToolUseFailure",
  timestamp: "2026-11-25T08:58:23.123Z",
  permission_mode: "yolo",
  tool_use_id: "toolu_1795597102991_sutyp1i1c",
  tool_call_id: "s1c0",
  tool_name: "run_shell_command",
  tool_input: { command: "make\nOutput: x", description: "run it" },
  error: shown,
  is_interrupt: false,
  duration_ms: 420,
  ...more,
});

const qwenText = (output: string, code: string) =>
  `Command: make\nOutput: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nProcess Group PGID: (none)`;

const cutByQwen = (path: string) =>
  `Tool output was too large and has been truncated.
The full output has been saved to: ${path}
To read the complete output, use the read_file tool with the absolute file path above.
The truncated output below shows the beginning and end of the content. The marker '... [CONTENT TRUNCATED] ...' indicates where content was removed.

Truncated part of the output:
Command: make`;

Deno.test("hook qwen-code: to output that Qwen Code cut, the lines that matter are added; the fd is the output alone", async () => {
  using world = makeWorld();
  const output = `${lines(1, 6000)}a.c:7:1: error: 1 < 2\nError: (none)\n${lines(1, 6000).trimEnd()}`;
  const path = world.write(
    "../home/.qwen/tmp/p/run_shell_command_a707ed3773de.output",
    qwenText(output, "3"),
  );
  const shown = cutByQwen(path);
  const ended = { hook_event_name: "PostToolUse", error: undefined, tool_response: { llmContent: shown } };
  for (const call of [qwenCall(shown), qwenCall(shown, ended)]) {
    const { text, stderr, code } = await world.run(["hook", "qwen-code"], { stdin: JSON.stringify(call) });
    assertEquals([code, stderr], [0, ""]);
    const { hookSpecificOutput: { hookEventName, additionalContext: added } } = JSON.parse(text);
    assertEquals(hookEventName, call.hook_event_name);
    for (const part of ["(&lt; is <)", "6001:a.c:7:1: error: 1 < 2", "12,002 lines", "exit 3"]) {
      assertStringIncludes(added, part);
    }
    const fd = /fd:\d+/.exec(added)![0];
    assertEquals((await world.run(["read", fd, "--all", "--format", "raw"])).text, output);
  }
});

Deno.test("hook qwen-code: what Qwen Code shows whole, other tools and other files stay", async () => {
  using world = makeWorld();
  const secret = world.write("secret.txt", lines(1, 5000));
  for (
    const call of [
      qwenCall(qwenText(lines(1, 3000), "0")),
      qwenCall("Command timed out after 2000ms before it could complete."),
      qwenCall(cutByQwen(secret)),
      qwenCall(cutByQwen("/x/run_shell_command_1.output"), { tool_name: "glob" }),
      qwenCall("", { error: undefined, tool_response: { llmContent: [{ text: "x" }] } }),
    ]
  ) {
    const { code, text, stderr } = await world.run(["hook", "qwen-code"], { stdin: JSON.stringify(call) });
    assertEquals([code, text, stderr], [0, "", ""], JSON.stringify(call).slice(0, 300));
  }
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "");
  // Its file may be gone.
  const stdin = JSON.stringify(qwenCall(cutByQwen("/nowhere/run_shell_command_1.output")));
  const { code, text, stderr } = await world.run(["hook", "qwen-code"], { stdin });
  assertEquals([code, text, stderr.trimEnd().split("\n").length], [0, "", 1]);
});

/** The place where each harness saves a result, and what its hook is called with when a result names a file. */
const SAVING = [
  {
    name: "claude-code",
    saved: "../home/.claude/projects/p/s/tool-results/b1.txt",
    call: (persistedOutputPath: string) => ({
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "make" },
      tool_response: { stdout: "1", persistedOutputPath, persistedOutputSize: 70_000 },
    }),
  },
  {
    name: "opencode",
    saved: "../home/.local/share/opencode/tool-output/tool_1",
    call: (output_path: string) => ({ output: "", output_path, exit_code: 0, command: "make" }),
  },
  {
    name: "pi",
    saved: "pi-bash-91a1600474e06b29.log",
    call: (output_path: string) => ({ output: "", output_path, exit_code: 0, command: "make" }),
  },
  {
    name: "copilot-cli",
    saved: "1795597228607-copilot-tool-output-17881-441855ea.txt",
    call: (path: string) => copilotCall(`${inFile(path)}\n<shellId: 4 completed with exit code 0>`),
  },
  {
    name: "qwen-code",
    saved: "../home/.qwen/tmp/p/run_shell_command_a707ed3773de.output",
    call: (path: string) => qwenCall(cutByQwen(path)),
  },
] as const;

Deno.test("hooks: a file that the harness did not save during the call is not read, whatever names it", async () => {
  for (const { name, saved, call } of SAVING) {
    using world = makeWorld();
    const options = { env: { TMPDIR: world.dir } };
    const path = world.write(saved, lines(1, 6000));
    const secret = world.write("../elsewhere/secret", lines(1, 6000));
    const ask = async (given: string) =>
      await world.run(["hook", name], { stdin: JSON.stringify(call(given)), ...options });
    const hour = 3_600_000;
    const others: [string, () => string][] = [
      ["a link", () => {
        Deno.removeSync(path);
        Deno.symlinkSync(secret, path);
        return path;
      }],
      ["a hard link", () => {
        Deno.removeSync(path);
        Deno.linkSync(secret, path);
        return path;
      }],
      ["an older file", () => {
        Deno.removeSync(path);
        world.write(saved, lines(1, 6000));
        Deno.utimeSync(path, new Date(Date.now() - 2 * hour), new Date(Date.now() - 2 * hour));
        return path;
      }],
      ["a file elsewhere", () => world.write(`../elsewhere/${path.split("/").at(-1)}`, lines(1, 6000))],
      ["a way out", () => {
        Deno.symlinkSync(world.path("../elsewhere"), world.path("out"));
        return world.path(`out/${path.split("/").at(-1)}`);
      }],
    ];
    assertStringIncludes((await ask(path)).text, "fd:1", name);
    for (const [what, make] of others) {
      const { code, text, stderr } = await ask(make());
      assertEquals([code, text], [0, ""], `${name}, ${what}`);
      assertMatch(stderr, /^<fd_error type="(?:invalid_parameter|read_error)"/, `${name}, ${what}`);
    }
    assertEquals((await world.run(["ls", "--format", "raw"])).text, "fd:1\n", name);
  }
});

Deno.test("hooks: a truncated or unknown payload is one line on stderr, with exit code 0", async () => {
  using world = makeWorld();
  const calls: [string, object][] = [
    ["pi", { output: lines(1, 5000) }],
    ["copilot-cli", copilotCall("x")],
    ["qwen-code", { hook_event_name: "PostToolUse", tool_input: {}, tool_name: "run_shell_command" }],
  ];
  for (const [name, call] of calls) {
    const whole = JSON.stringify(call);
    for (const stdin of ["", whole.slice(0, -1), "[]", "null", "{}", whole.replace(/"[^"]*"}*$/, "7}")]) {
      const { code, text, stderr } = await world.run(["hook", name], { stdin });
      assertEquals([code, text, stderr.trimEnd().split("\n").length], [0, "", 1], `${name}: ${stdin}`);
      assertStringIncludes(stderr, "invalid_parameter");
    }
  }
});
