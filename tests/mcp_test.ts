// Promise: any MCP client can use fdtool. The official client library over a real child process; a client that knows
// nothing but JSON lines; answers that fit their output schemas; what is hostile, cut or too long harms nobody.

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/**
 * A connected client of the official library; it checks answers against their output schemas by itself. With a `reply` it
 * can be asked, and says so.
 */
async function connect(world: World, reply?: ElicitResult): Promise<{ client: Client } & AsyncDisposable> {
  const [command, ...args] = programUnderTest();
  const transport = new StdioClientTransport({
    command,
    args: [...args, "mcp"],
    env: { ...world.env },
    cwd: world.dir,
    stderr: "ignore",
  });
  const capabilities = reply === undefined ? {} : { elicitation: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities });
  if (reply !== undefined) client.setRequestHandler(ElicitRequestSchema, () => reply);
  await client.connect(transport);
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

const LINES = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join("");

Deno.test("the official client lists and calls tools, and reads resources", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: LINES });
  await using connected = await connect(world);
  const { client } = connected;

  const { tools } = await client.listTools();
  ok(tools.some(({ name }) => name === "read_fd"));
  for (const { annotations, outputSchema } of tools) {
    ok(annotations?.readOnlyHint !== undefined && annotations.destructiveHint !== undefined);
    deepStrictEqual(outputSchema?.type, "object");
  }

  const slice = await client.callTool({
    name: "read_fd",
    arguments: { fd: "fd:1", mode: "line", start: 10, count: 2 },
  });
  const { content, lines } = slice.structuredContent as Record<string, unknown>;
  deepStrictEqual({ content, lines }, { content: "line 10\nline 11\n", lines: "10-11" });
  const found = await client.callTool({
    name: "search_fd",
    arguments: { fd: "fd:1", pattern: "line 29[0-9]$" },
  });
  deepStrictEqual((found.structuredContent as Record<string, unknown>)["total"], 10);

  const { resources } = await client.listResources();
  deepStrictEqual(resources.map(({ uri, size }) => [uri, size]), [["fd://1", LINES.length]]);
  const read = async (uri: string) => (await client.readResource({ uri })).contents[0] as { text: string };
  deepStrictEqual((await read("fd://1")).text, LINES);
  deepStrictEqual((await read("fd://1?mode=line&start=2999&count=5")).text, "line 2999\nline 3000\n");
  deepStrictEqual((await read("fd://1?mode=char&start=5&count=3")).text, "1\nl");
  await rejects(read("fd://9"), { code: -32002 });
  await rejects(read("fd://1?mode=line&start=9999"), { code: -32602 });
});

Deno.test("every tool's answer, and its failure, fits its output schema", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always", "--name", "log"], { stdin: LINES });
  await using connected = await connect(world);
  const { client } = connected;
  const { tools } = await client.listTools();
  const calls: Record<string, Record<string, unknown>> = {
    read_fd: { fd: "ref:log", count: 2 },
    search_fd: { fd: "fd:1", pattern: "9$", context: 1 },
    fd_to_file: { fd: "fd:1", file_path: "out/log.txt" },
    list_fds: {},
    list_refs: {},
  };
  for (const { name, outputSchema } of tools) {
    const validate = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(outputSchema)));
    for (const given of [calls[name], { bogus: 1 }]) {
      if (given === undefined) continue;
      const { structuredContent } = await client.callTool({ name, arguments: given });
      const { valid, errorMessage } = validate(structuredContent);
      ok(valid, `${name}: ${errorMessage}\n${JSON.stringify(structuredContent)}`);
    }
  }
});

Deno.test("a failure is a result that a model can mend", async () => {
  using world = makeWorld();
  await using connected = await connect(world);
  const { client } = connected;
  const { isError, structuredContent } = await client.callTool({
    name: "read_fd",
    arguments: { fd: "fd:1", strat: 2 },
  });
  const { type, error, faults } = structuredContent as Record<string, unknown>;
  deepStrictEqual({ isError, type, error, faults }, {
    isError: true,
    type: "fd_error",
    error: "invalid_parameter",
    faults: [{ field: "strat", got: "2", wanted: "a known parameter", nearest: "start" }],
  });
  await rejects(client.callTool({ name: "read", arguments: {} }), { code: -32602 });
});

Deno.test("what a user declined came back as a question to the model", async () => {
  using world = makeWorld();
  const old = "x\n".repeat(12);
  world.write("f", old);
  const given = { path: world.path("f"), old_string: "x", new_string: "z", replace_all: true };
  const edited = async (reply: ElicitResult) => {
    await using connected = await connect(world, reply);
    const { structuredContent } = await connected.client.callTool({ name: "edit_file", arguments: given });
    return structuredContent as Record<string, unknown>;
  };
  const declined = await edited({ action: "decline" });
  deepStrictEqual([declined["type"], declined["next"], world.text("f")], ["write_result", undefined, old]);
  ok(String(declined["message"]).includes("declined"));
  const { inquiries } = JSON.parse((await world.run(["inquiries", "--format", "json"])).text);
  deepStrictEqual(inquiries, []);
  // An answer that does not fit leaves the question, with its handle.
  const unfit = await edited({ action: "accept", content: { answer: "perhaps" } });
  deepStrictEqual([unfit["type"], unfit["inquiry_id"], world.text("f")], ["needs_input", "inq:2", old]);
  const yes = await edited({ action: "accept", content: { answer: true } });
  deepStrictEqual([yes["type"], world.text("f")], ["write_result", "z\n".repeat(12)]);
});

Deno.test("a person decides on overwriting, and the model gives the content", async () => {
  using world = makeWorld();
  world.write("f", "old\n");
  await using connected = await connect(world, { action: "accept", content: { answer: true } });
  const call = async (name: string, given: Record<string, unknown>) =>
    (await connected.client.callTool({ name, arguments: given })).structuredContent as Record<
      string,
      unknown
    >;
  const asked = await call("create_file", { path: world.path("f") });
  const { id, answer_type } = asked["question"] as Record<string, unknown>;
  deepStrictEqual([asked["type"], id, answer_type, world.text("f")], [
    "needs_input",
    "file_content",
    "Text",
    "old\n",
  ]);
  const done = await call("answer_inquiry", { inquiry_id: asked["inquiry_id"], answer: "new\n" });
  deepStrictEqual([done["type"], world.text("f")], ["write_result", "new\n"]);
  const form = await call("create_file", { path: world.path("g") });
  await call("answer_inquiry", { inquiry_id: form["inquiry_id"], answer: { content: "made\n" } });
  deepStrictEqual(world.text("g"), "made\n");
});

Deno.test("an answer is bounded, says so, and gives the way on", async () => {
  using world = makeWorld();
  const long = "0123456789\n".repeat(50_000);
  await world.run(["capture", "--always"], { stdin: long });
  await using connected = await connect(world);
  const { structuredContent, content: texts } = await connected.client.callTool({
    name: "read_fd",
    arguments: { fd: "fd:1", read_all: true },
  });
  const { content, shown_chars, next } = structuredContent as {
    content: string;
    shown_chars: number;
    next: string;
  };
  ok(content.length <= 100_000 && content.length > 90_000 && long.startsWith(content));
  deepStrictEqual(shown_chars, content.length);

  // A model that has no shell can make the next step: it is a call of a tool, as it must be made in the text as well.
  const [{ text }] = texts as [{ text: string }];
  ok(text.endsWith(`\n<next>${next}</next>\n`), text.slice(-200));
  const call = /^(\w+) (\{.*\})$/.exec(next);
  const more = await connected.client.callTool({ name: call![1]!, arguments: JSON.parse(call![2]!) });
  const rest = (more.structuredContent as { content: string }).content;
  ok(rest.length > 0 && long.slice(content.length).startsWith(rest));
});

Deno.test("an answer over MCP offered a shell command where no tool does the next step", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\n" });
  await using connected = await connect(world);
  const { structuredContent, content } = await connected.client.callTool({
    name: "read_fd",
    arguments: { fd: "fd:1", mode: "page", start: "none" },
  });
  deepStrictEqual((structuredContent as Record<string, unknown>)["next"], undefined);
  ok(!JSON.stringify(content).includes("fdtool "), JSON.stringify(content));
});

Deno.test("long work tells how far it is, and stops when it is cancelled", async () => {
  using world = makeWorld();
  await world.shell(
    "yes 'a line to search through' | head -c 100000000 | fdtool capture --always --preview none",
  );
  await using connected = await connect(world);
  const { client } = connected;
  const progress: number[] = [];
  const given = { name: "search_fd", arguments: { fd: "fd:1", pattern: "x+y", ignore_case: true } };
  const found = await client.callTool(given, undefined, {
    onprogress: ({ progress: done }) => progress.push(done),
  });
  deepStrictEqual((found.structuredContent as Record<string, unknown>)["total"], 0);
  ok(progress.length >= 2 && progress.every((done, index) => index === 0 || done > progress[index - 1]!));

  const cancel = new AbortController();
  const cancelled = client.callTool(
    { ...given, arguments: { ...given.arguments, pattern: ".", extract_to_new_fd: true } },
    undefined,
    { signal: cancel.signal, onprogress: () => cancel.abort("enough") },
  );
  await rejects(cancelled);
  // The server lives on, and says of what was stored until then that it is a part.
  const states = async () => {
    const { structuredContent } = await client.callTool({ name: "list_fds", arguments: {} });
    return (structuredContent as { fds: { fd: string; state: string }[] }).fds.map((
      { fd, state },
    ) => [fd, state]);
  };
  let seen = await states();
  while (seen.some(([, state]) => state === "live")) seen = await states();
  deepStrictEqual(seen, [["fd:1", "sealed"], ["fd:2", "incomplete"]]);
});

/** Sends lines to a server and reads the lines that come back until it ends: what a client does that nobody wrote for it. */
async function exchange(world: World, sent: string): Promise<Record<string, unknown>[]> {
  const { code, text, stderr } = await world.run(["mcp"], { stdin: sent });
  deepStrictEqual({ code, stderr }, { code: 0, stderr: "" });
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const HELLO = [
  {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
  },
  { jsonrpc: "2.0", method: "notifications/initialized" },
].map((message) => `${JSON.stringify(message)}\n`).join("");

const callOf = (id: number, name: string, given: unknown) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } })}\n`;

Deno.test("a client that sends everything and closes gets every answer, whole", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: LINES });
  const count = 200;
  const calls = Array.from(
    { length: count },
    (_, index) => callOf(index + 1, "read_fd", { fd: "fd:1", read_all: true }),
  );
  const answers = await exchange(world, HELLO + calls.join(""));
  deepStrictEqual(answers.length, count + 1);
  deepStrictEqual(
    answers.map(({ id }) => id as number).sort((one, other) => one - other),
    Array.from({ length: count + 1 }, (_, index) => index),
  );
  for (const { id, result } of answers) {
    if (id === 0) continue;
    const { structuredContent } = result as { structuredContent: { content: string } };
    deepStrictEqual(structuredContent.content, LINES);
  }
});

Deno.test("what is no message is answered as such, and the server goes on", async () => {
  using world = makeWorld();
  const answers = await exchange(
    world,
    HELLO + "not json\n" + "\n" + '{"id":1}\n' + "[1,2]\n" + '{"jsonrpc":"2.0","id":2,"method":"no/such"}\n' +
      "[".repeat(100_000) + "\n" + '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}\n' +
      callOf(4, "list_fds", {}),
  );
  const codes = new Map(answers.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]));
  deepStrictEqual(codes.get(1), -32600);
  deepStrictEqual(codes.get(2), -32601);
  ok(codes.get(3) !== undefined);
  deepStrictEqual(codes.get(4), undefined);
  deepStrictEqual(
    answers.filter(({ id }) => id === null).map(({ error }) => (error as { code: number }).code).sort(),
    [-32600, -32700, -32700],
  );
});

Deno.test("parameters that do not fit were an internal error of many lines", async () => {
  using world = makeWorld();
  const wrong: [string, unknown][] = [
    ["tools/call", undefined],
    ["tools/call", { name: "list_fds", arguments: "all" }],
    ["tools/call", { name: 5 }],
    ["resources/read", {}],
    ["initialize", { protocolVersion: null, capabilities: {}, clientInfo: { name: "raw", version: "0" } }],
  ];
  const sent = wrong.map(([method, params], index) =>
    `${JSON.stringify({ jsonrpc: "2.0", id: index + 1, method, params })}\n`
  );
  const answers = await exchange(world, HELLO + sent.join(""));
  const errors = answers.flatMap(({ error }) => error === undefined ? [] : [error]);
  deepStrictEqual(errors.length, wrong.length);
  for (const error of errors) {
    const { code, message } = error as { code: number; message: string };
    deepStrictEqual(code, -32602);
    ok(message.includes("Cannot take this") && !/[\n{]/.test(message), message);
  }
});

Deno.test("a batch was refused under the version of the protocol that has them", async () => {
  using world = makeWorld();
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
  const batch = (...messages: unknown[]) => `${JSON.stringify(messages)}\n`;
  const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
  const sent = batch(ping(1), notification, JSON.parse(callOf(2, "list_fds", {})), 5) + batch() +
    batch(notification) + `${JSON.stringify(ping(3))}\n`;
  const answers = await exchange(world, HELLO.replace("2025-06-18", "2025-03-26") + sent) as unknown[];
  const shown = answers.map((each) =>
    Array.isArray(each) ? each.map(idAndCode).sort() : idAndCode(each as Record<string, unknown>)
  );
  deepStrictEqual(shown.map(String).sort(), ["0", "1,2,null -32600", "3", "null -32600"]);
  const later = await exchange(world, HELLO + batch(ping(1)));
  deepStrictEqual(later.map(idAndCode).sort(), ["0", "null -32600"]);
});

const idAndCode = ({ id, error }: Record<string, unknown>): string =>
  error === undefined ? String(id) : `${id} ${(error as { code: number }).code}`;

Deno.test("a message in pieces, and a last one without its line end, are read", async () => {
  using world = makeWorld();
  const sent = new TextEncoder().encode(HELLO + callOf(1, "list_fds", {}).trimEnd());
  const pieces = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let from = 0; from < sent.length; from += 7) {
        controller.enqueue(sent.slice(from, from + 7));
        await Promise.resolve();
      }
      controller.close();
    },
  });
  const { text } = await world.run(["mcp"], { stdin: pieces });
  deepStrictEqual(text.trimEnd().split("\n").map((line) => JSON.parse(line).id), [0, 1]);
});
