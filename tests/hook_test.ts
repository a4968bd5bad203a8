/**
 * The hook of Claude Code (docs/contract.md): it sees results and no commands. Large output is stored
 * whole, a preview takes its place, and everything else stays as it was, whatever comes.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { anyChar } from "./contents.ts";
import { type Finished, makeWorld, runsOf, type World } from "./world.ts";

/** The hook input of Claude Code 2.1.330 for a command that exited with 0. */
function ended(stdout: unknown, more: object = {}, call: object = {}): object {
  return {
    session_id: "00564324-4d7c-4dae-b89a-cc103542572b",
    cwd: "/project",
    permission_mode: "default",
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "make", description: "run it" },
    tool_response: {
      stdout,
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
      ...more,
    },
    tool_use_id: "toolu_s0c0",
    duration_ms: 25,
    ...call,
  };
}

function failed(error: unknown): object {
  return { ...ended(""), hook_event_name: "PostToolUseFailure", tool_response: undefined, error };
}

/** The hook input of Claude Code 2.1.330 for a tool that is not the shell. */
function answered(tool: string, tool_response: unknown, tool_input: object = {}): object {
  return ended("", {}, { tool_name: tool, tool_input, tool_response });
}

/** A result of Claude Code's Read. */
const file = (filePath: string, content: string) => ({
  type: "text",
  file: { filePath, content, numLines: 2, startLine: 1, totalLines: 2 },
});

async function hook(
  world: World,
  payload: unknown,
  env: Record<string, string> = {},
  options: readonly string[] = [],
): Promise<Finished> {
  const stdin = typeof payload === "string" ? payload : JSON.stringify(payload);
  return await world.run(["hook", "claude-code", ...options], { stdin, env });
}

/** The hook's answer; undefined if it has none. It must not have failed or complained. */
async function answerTo(
  world: World,
  payload: unknown,
  ...options: string[]
): Promise<Record<string, unknown> | undefined> {
  const { code, text, stderr } = await hook(world, payload, {}, options);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return text === "" ? undefined : JSON.parse(text).hookSpecificOutput;
}

/** Fails unless nothing is answered, with 0, and what is wrong is one line on stderr. */
function assertPassesWithOneLine({ code, text, stderr }: Finished, what: string): void {
  assertEquals({ code, text }, { code: 0, text: "" }, what);
  assertEquals(stderr.trimEnd().split("\n").length, 1, `${what}: ${stderr}`);
  assert(stderr.startsWith("<fd_error"), `${what}: ${stderr}`);
}

/** The path of a file in which Claude Code saves output. */
const saved = (name: string) => `../home/.claude/projects/p/s/tool-results/${name}`;

const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("");

async function stored(world: World, shown: string): Promise<string> {
  const handle = /^<fd_result fd="(fd:\d+)"/.exec(shown)?.[1];
  assert(handle !== undefined, shown);
  return (await world.run(["read", handle, "--all", "--format", "raw"])).text;
}

Deno.test("hook: large output is stored whole and replaced by a preview; other fields are unchanged", async () => {
  using world = makeWorld();
  const response = {
    stderr: "\nShell cwd was reset to /project",
    returnCodeInterpretation: "as it is",
    odd: [1],
  };
  const answer = await answerTo(world, ended(lines(5000).trimEnd(), response));
  assertEquals(answer?.["hookEventName"], "PostToolUse");
  const { stdout, ...rest } = answer?.["updatedToolOutput"] as Record<string, unknown>;
  assertEquals(rest, { interrupted: false, isImage: false, noOutputExpected: false, ...response });
  assertEquals(await stored(world, String(stdout)), lines(5000).trimEnd());
  // Only the command line is wired: no tool is named that the model does not have.
  assertStringIncludes(String(stdout), "Use fdtool read to read more pages.");
  assertStringIncludes(String(stdout), "<next>fdtool read fd:1 ");
  assert(!String(stdout).includes("read_fd"));
});

Deno.test("hook: output that Claude Code put in a file is stored from there, every byte", async () => {
  using world = makeWorld();
  const whole = Uint8Array.from({ length: 200_000 }, (_, index) => index % 251);
  const path = world.write(saved("b1.txt"), whole);
  const response = { persistedOutputPath: path, persistedOutputSize: whole.length };
  const answer = await answerTo(world, ended("the first 30,000 chars", response));
  const output = answer?.["updatedToolOutput"] as Record<string, unknown>;
  // With these fields Claude Code would show its own file.
  assertEquals([output["persistedOutputPath"], output["persistedOutputSize"]], [undefined, undefined]);
  const handle = /fd="(fd:\d+)"/.exec(String(output["stdout"]))![1]!;
  assertEquals((await world.run(["read", handle, "--all", "--format", "raw"])).stdout, whole);
});

Deno.test("hook: bytes that a harness changed are marked in answer and record, and not offered as the file", async () => {
  using world = makeWorld();
  const random = new Uint8Array(12_000);
  for (const [index] of random.entries()) random[index] = (index * 7919 >>> 3) % 256;
  const text = new TextDecoder().decode(random);
  const shownFor = async (payload: unknown) => {
    const answer = await answerTo(world, payload);
    return (answer?.["updatedToolOutput"] as Record<string, string>)["stdout"]!;
  };
  const shown = await shownFor(ended(text.trimEnd()));
  assertStringIncludes(shown, 'exact="no"');
  assertStringIncludes(shown, "bytes that were not UTF-8 are lost");
  assert(!shown.includes("to-file"), shown);
  assertMatch((await world.run(["stat", "fd:1"])).text, /exact="no"/);
  assertEquals(await stored(world, shown), text.trimEnd());
  await world.run(["read", "fd:1", "--lines", "1-2", "--extract"]);
  await world.run(["search", "fd:1", ".", "--extract"]);
  await world.run(["read", "fd:3", "--all", "--extract"]);
  for (const part of ["fd:2", "fd:3", "fd:4"]) {
    assertMatch((await world.run(["stat", part])).text, /exact="no"/, part);
  }
  const trimmed = await shownFor(ended(lines(5000).trimEnd()));
  assertStringIncludes(trimmed, 'exact="no"');
  assert(!trimmed.includes("not UTF-8"), "its white space may be lost, and nothing else");
  const persisted = {
    persistedOutputPath: world.write(saved("whole.bin"), random),
    persistedOutputSize: random.length,
  };
  const exact = await shownFor(ended(text, persisted));
  assert(!exact.includes("exact="), exact);
  assertStringIncludes(exact, "<next>fdtool to-file ");
});

Deno.test("hook opencode: text with U+FFFD is marked, in a file too, and other text is exact", async () => {
  using world = makeWorld();
  // The char is cut by the end of the first 64 KiB. The lines are long ones for whatever compares a run with the one before.
  const named = (name: string) => `../home/.local/share/opencode/tool-output/${name}`;
  world.write(named("lossy.txt"), `${"x".repeat(65_535)}\uFFFD${"y".repeat(900_000)}`);
  world.write(named("exact.txt"), "x".repeat(1_000_000));
  for (
    const [call, isExact] of [
      [{ output: "", output_path: named("lossy.txt") }, false],
      [{ output: "", output_path: named("exact.txt") }, true],
      [{ output: `${lines(5000)}\uFFFD` }, false],
      [{ output: lines(5000) }, true],
    ] as const
  ) {
    const { text } = await world.run(["hook", "opencode"], {
      stdin: JSON.stringify({ command: "x", ...call }),
    });
    assertEquals([call.output.length, !text.includes('exact="no"')], [call.output.length, isExact]);
  }
});

Deno.test("hook: whatever a command prints beside fdtool is stored, and fdtool's answer is not, by any exit code", async () => {
  using world = makeWorld();
  const large = lines(5000);
  for (
    const command of ["seq 1 20000 # fdtool read", "fdtool ls; seq 1 20000", "make 2>&1 | fdtool capture"]
  ) {
    assert(await answerTo(world, ended(large, {}, { tool_input: { command } })) !== undefined, command);
  }
  const before = (await world.run(["ls"])).text;
  const command = "fdtool read fd:1 --lines 1-4000; exit 3";
  const call = { command, output: large, exit_code: 3 };
  assertEquals((await world.run(["hook", "opencode"], { stdin: JSON.stringify(call) })).text, "");
  const cut = `Exit code 3\n${large.slice(0, 5000)}\n\n... [20011 characters truncated] ...\n\n${
    large.slice(-5000)
  }`;
  assertEquals(await answerTo(world, { ...failed(cut), tool_input: { command } }), undefined);
  assertEquals((await world.run(["ls"])).text, before);
});

Deno.test("hook: a file that Claude Code truncated at its limit becomes an incomplete fd", async () => {
  using world = makeWorld();
  const path = world.write(saved("b1.txt"), lines(9000));
  const response = { persistedOutputPath: path, persistedOutputSize: 70_000_000 };
  const answer = await answerTo(world, ended("the first", response));
  const { stdout } = answer?.["updatedToolOutput"] as Record<string, string>;
  assertStringIncludes(stdout!, 'state="incomplete"');
  assertStringIncludes(stdout!, `Claude Code kept only the first ${lines(9000).length} of 70000000 bytes.`);
});

Deno.test("hook: small, binary, background and fdtool's own output is left alone", async () => {
  using world = makeWorld();
  const large = lines(5000);
  const left: [string, object][] = [
    ["small", ended("hello")],
    ["8,000 chars of four bytes", ended("🙂".repeat(8000))],
    ["no output", ended("")],
    ["an image", ended(large, { isImage: true })],
    ["moved to the background", ended(large, { backgroundTaskId: "b1", timedOutAfterMs: 2000 })],
    ["another tool", answered("Edit", large)],
    ["another event", ended(large, {}, { hook_event_name: "PostToolBatch" })],
    ["fdtool's answer", ended(large, {}, { tool_input: { command: "fdtool read fd:1 --all" } })],
    [
      "fdtool's answer and an exit",
      ended(large, {}, { tool_input: { command: "fdtool read fd:1; exit 0" } }),
    ],
    ["failed, small", failed("Exit code 3\nhi")],
    ["failed, large but whole", failed(`Exit code 3\n${large.slice(0, 9000)}`)],
  ];
  for (const [what, payload] of left) assertEquals(await answerTo(world, payload), undefined, what);
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "", "nothing was stored");
  for (
    const command of ["echo fdtool", "grep fdtool log", "cat fdtool.log", "./not-fdtool read", "make fdtool"]
  ) {
    const answer = await answerTo(world, ended(large, {}, { tool_input: { command } }));
    assert(answer !== undefined, `it only names fdtool: ${command}`);
  }
});

Deno.test("hook: text of an MCP server and a fetched page are stored whole, and the result keeps its shape", async () => {
  using world = makeWorld();
  const text = `${lines(3000)}é\uFFFD `;
  const answer = await answerTo(world, answered("mcp__web__get", [{ type: "text", text }], { url: "x" }));
  const [part, ...more] = answer?.["updatedToolOutput"] as { type: string; text: string }[];
  assertEquals([part!.type, more], ["text", []]);
  assertEquals(await stored(world, part!.text), text);
  assert(!part!.text.includes("exact="), part!.text);
  assertStringIncludes(part!.text, 'source="mcp__web__get"');
  assertStringIncludes(
    (await world.run(["stat", "fd:1"])).text,
    "mcp__web__get '{&quot;url&quot;:&quot;x&quot;}'",
  );

  const page = { bytes: 20_000, code: 200, codeText: "OK", durationMs: 9, url: "http://x.y" };
  const fetched = await answerTo(world, answered("WebFetch", { ...page, result: text }));
  const { result, ...rest } = fetched?.["updatedToolOutput"] as Record<string, unknown>;
  assertEquals(rest, page);
  assertEquals(await stored(world, String(result)), text);
});

Deno.test("hook: several texts of an MCP server are one fd, which says so", async () => {
  using world = makeWorld();
  const parts = ["Two tables:", lines(2000)].map((text) => ({ type: "text", text }));
  const answer = await answerTo(world, answered("mcp__sql__run", parts));
  const [part, ...more] = answer?.["updatedToolOutput"] as { text: string }[];
  assertEquals(more, []);
  assertStringIncludes(part!.text, "Its 2 texts are joined by line ends.");
  assertEquals(await stored(world, part!.text), `Two tables:\n${lines(2000)}`);
});

Deno.test("hook: images, structured content, resources, fdtool's own answers and small text are left alone", async () => {
  using world = makeWorld();
  const large = lines(5000);
  const text = { type: "text", text: large };
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  const left: [string, object][] = [
    ["an image", answered("mcp__a__b", [image, { type: "text", text: "[Image: source: /tmp/x.png]" }])],
    ["text and an image", answered("mcp__a__b", [text, image])],
    ["structured content, which comes as JSON text", answered("mcp__a__b", JSON.stringify({ rows: large }))],
    ["a resource", answered("mcp__a__b", [{ type: "text", text: `[Resource from a at x://b] ${large}` }])],
    ["text and a link", answered("mcp__a__b", [text, { type: "text", text: "[Resource link: b] x://b" }])],
    [
      "text and a sound",
      answered("mcp__a__b", [text, { type: "text", text: "[Audio from a] Binary content" }]),
    ],
    ["fdtool's answer", answered("mcp__fdtool__read_fd", [text])],
    ["small", answered("mcp__a__b", [{ type: "text", text: "hello" }])],
    ["nothing", answered("mcp__a__b", [])],
    ["half of a surrogate pair", answered("mcp__a__b", [{ type: "text", text: `${large}\ud800` }])],
    ["a small page", answered("WebFetch", { result: "hello", code: 200 })],
    ["links", answered("WebSearch", { query: "x", results: [large] })],
    ["a report", answered("Agent", { status: "completed", content: [text] })],
    ["a file", answered("Read", file(world.write("a.txt", large), large))],
    ["before the call", { ...answered("mcp__a__b", [text]), hook_event_name: "PreToolUse" }],
  ];
  for (const [what, payload] of left) assertEquals(await answerTo(world, payload), undefined, what);
  assertEquals((await world.run(["ls", "--format", "raw"])).text, "", "nothing was stored");
});

Deno.test("hook --tools read: a large file that the model reads is stored from disk, and lines by number stay", async () => {
  using world = makeWorld();
  const content = lines(5000);
  const path = world.write("a.txt", `\uFEFF${content.replaceAll("\n", "\r\n")}`);
  const read = file(path, content);
  const answer = await answerTo(world, answered("Read", read, { file_path: path }), "--tools", "read");
  const { type, file: { content: shown, ...rest } } = answer?.["updatedToolOutput"] as ReturnType<
    typeof file
  >;
  const { content: _content, ...unchanged } = read.file;
  assertEquals([type, rest], ["text", unchanged]);
  const handle = /^<fd_result fd="(fd:\d+)"/.exec(shown)![1]!;
  assertEquals((await world.run(["read", handle, "--all", "--format", "raw"])).stdout, world.bytes("a.txt"));
  for (
    const [what, response, input] of [
      ["lines by number", read, { offset: 1, limit: 4000 }],
      ["small", file(world.write("b.txt", "hi"), "hi"), {}],
      ["an image", { type: "image", file: { base64: content, type: "image/png", originalSize: 9 } }, {}],
    ] as const
  ) {
    assertEquals(
      await answerTo(world, answered("Read", response, input), "--tools", "read"),
      undefined,
      what,
    );
  }
  assertPassesWithOneLine(
    await hook(world, answered("Read", file(world.path("gone"), content)), {}, ["--tools", "read"]),
    "gone",
  );
});

Deno.test("hook: after truncated output of a failing command, the model learns how to store all of it", async () => {
  using world = makeWorld();
  const cut = `Exit code 5\n${"x".repeat(5000)}\n\n... [20011 characters truncated] ...\n\n${
    "y".repeat(5000)
  }`;
  const answer = await answerTo(world, failed(cut));
  assertEquals(answer?.["hookEventName"], "PostToolUseFailure");
  assertStringIncludes(String(answer?.["additionalContext"]), "`fdtool run -- COMMAND`");
});

Deno.test("hook: the hook of older settings, before a command, changes and prints nothing", async () => {
  using world = makeWorld();
  const before = {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "make -j8", timeout: 60_000 },
    cwd: world.dir,
  };
  assertEquals(await answerTo(world, before), undefined);
  assertEquals(await answerTo(world, { tool_name: "Bash", tool_input: { command: "make" } }), undefined);
});

Deno.test("hook: a truncated or unknown payload passes unchanged, with one line on stderr", async () => {
  using world = makeWorld();
  const whole = JSON.stringify(ended(lines(5000)));
  const odd: [string, string][] = [
    ["nothing", ""],
    ["cut", whole.slice(0, 20_000)],
    ["no JSON", "no call"],
    ["a list", "[1]"],
    ["deep", "[".repeat(100_000)],
    ["no tool", "{}"],
    ["stdout is a list", JSON.stringify(ended(["a"]))],
    ["no result", JSON.stringify({ ...ended(""), tool_response: undefined })],
    ["the result is text", JSON.stringify({ ...ended(""), tool_response: lines(5000) })],
    ["a failure without its text", JSON.stringify(failed(undefined))],
  ];
  for (const [what, payload] of odd) assertPassesWithOneLine(await hook(world, payload), what);
});

Deno.test("hook: if storing or reading fails, the result is unchanged, with one line on stderr", async () => {
  using world = makeWorld();
  const file = world.write("no-directory", "");
  const env = { FDTOOL_STORE: `${file}/store` };
  assertPassesWithOneLine(await hook(world, ended(lines(5000)), env), "no store");
  const fifo = world.path("fifo");
  new Deno.Command("mkfifo", { args: [fifo] }).outputSync();
  for (const path of [world.path("gone.txt"), world.dir, fifo, "", "a\0b"]) {
    const payload = ended("first", { persistedOutputPath: path, persistedOutputSize: 50_000 });
    assertPassesWithOneLine(await hook(world, payload), JSON.stringify(path));
  }
});

Deno.test("hook: any JSON gets an answer of the right shape or none, never a failure", async () => {
  using world = makeWorld();
  const value = fc.json({ maxDepth: 2 }).map((text) => JSON.parse(text));
  const response = fc.record({
    stdout: fc.oneof(value, fc.string({ unit: anyChar, minLength: 7000, maxLength: 9000 })),
    isImage: fc.oneof(value, fc.constant(false)),
    persistedOutputPath: value,
    persistedOutputSize: value,
  }, { requiredKeys: [] });
  const long = fc.string({ unit: anyChar, minLength: 7000, maxLength: 9000 });
  const others = fc.oneof(
    fc.array(fc.record({ type: fc.oneof(fc.constant("text"), value), text: fc.oneof(long, value) })),
    fc.record({ result: fc.oneof(long, value), code: value }),
    fc.record({
      type: fc.constantFrom("text", "image"),
      file: fc.oneof(value, fc.record({ content: long })),
    }),
  );
  const payload = fc.record({
    hook_event_name: fc.constantFrom("PostToolUse", "PostToolUse", "PostToolUseFailure", "PreToolUse", "x"),
    tool_name: fc.oneof(fc.constantFrom("Bash", "WebFetch", "Read", "mcp__a__b"), value),
    tool_input: fc.oneof(fc.record({ command: fc.string() }), value),
    tool_response: fc.oneof(response, others, value),
    error: value,
  }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(payload, async (call) => {
      const { code, text } = await hook(world, call, {}, ["--tools", "read"]);
      assertEquals(code, 0);
      if (text === "") return;
      const { hookEventName, updatedToolOutput } = JSON.parse(text).hookSpecificOutput;
      assertEquals(hookEventName, call.hook_event_name);
      const [part] = Array.isArray(updatedToolOutput) ? updatedToolOutput : [];
      const shown = part?.text ?? updatedToolOutput.stdout ?? updatedToolOutput.result;
      assert(typeof shown === "string" && shown.startsWith("<fd_result"), text);
    }),
    { numRuns: runsOf(10) },
  );
});
