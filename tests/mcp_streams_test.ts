// Promise: an MCP server on stdin and stdout answers whatever is sent, in whatever pieces, while it works; ends what is
// cancelled; ends with its client. Hostile, truncated and too long input does no harm.

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import type { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { MCP_VERSIONS } from "./in_memory_client.ts";
import { connect } from "./mcp_connection.ts";
import { makeWorld, programUnderTest, type World } from "./world.ts";

/** From source only the newest: a version changes messages, not what the runtime does. */
const VERSIONS = programUnderTest().length > 1 ? MCP_VERSIONS.slice(-1) : MCP_VERSIONS;

for (const version of VERSIONS) {
  for (const waiting of [{}, { until: "never" }]) {
    const how = "until" in waiting ? ", also in the background" : "";
    Deno.test(`${version}: a command ends when its call is cancelled${how}`, async () => {
      using world = makeWorld();
      await using connected = await connect(world, { version, words: ["--run"] });
      const { client } = connected;
      const cancel = new AbortController();
      const fifo = world.path("fifo");
      await world.shell(`mkfifo '${fifo}'`);
      const command = `echo here; echo begun >'${fifo}'; exec sleep 600`;
      const cancelled = client.callTool({ name: "run_command", arguments: { command, ...waiting } }, {
        signal: cancel.signal,
      });
      await world.shell(`cat '${fifo}'`);
      cancel.abort("enough");
      await rejects(cancelled);
      const states = async () => {
        const { structuredContent } = await client.callTool({ name: "list_fds", arguments: {} });
        return (structuredContent as { fds: { state: string }[] }).fds.map(({ state }) => state);
      };
      while ((await states())[0] !== "sealed");
      deepStrictEqual((await world.run(["wait", "fd:1"])).code, 143);
    });
  }
}

for (const version of VERSIONS) {
  Deno.test(`${version}: long work reports progress, and stops when it is cancelled`, async () => {
    using world = makeWorld();
    await world.shell(
      "yes 'a line to search through' | head -c 100000000 | fdtool capture --always --preview none",
    );
    await using connected = await connect(world, { version });
    const { client } = connected;
    const progress: number[] = [];
    const given = { name: "search_fd", arguments: { fd: "fd:1", pattern: "x+y", ignore_case: true } };
    const found = await client.callTool(given, {
      onprogress: ({ progress: done }) => progress.push(done),
    });
    deepStrictEqual((found.structuredContent as Record<string, unknown>)["total"], 0);
    ok(progress.length >= 2 && progress.every((done, index) => index === 0 || done > progress[index - 1]!));

    const cancel = new AbortController();
    const cancelled = client.callTool(
      { ...given, arguments: { ...given.arguments, pattern: ".", extract_to_new_fd: true } },
      { signal: cancel.signal, onprogress: () => cancel.abort("enough") },
    );
    await rejects(cancelled);
    // The server continues, and the fd that was begun until then, if any, is incomplete.
    const states = async () => {
      const { structuredContent } = await client.callTool({ name: "list_fds", arguments: {} });
      return (structuredContent as { fds: { fd: string; state: string }[] }).fds.map((
        { fd, state },
      ) => [fd, state]);
    };
    let seen = await states();
    while (seen.some(([, state]) => state === "live")) seen = await states();
    deepStrictEqual(seen.filter(([, state]) => state !== "incomplete"), [["fd:1", "sealed"]]);
  });
}

/** The processes that a process has started and that still run, where the system lists them. */
function childrenOf(pid: number): string[] {
  return Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).split(" ").filter((each) => each !== "");
}

for (const version of VERSIONS) {
  Deno.test(`${version}: small calls are answered during a large one, which ends when it is cancelled`, {
    ignore: Deno.build.os !== "linux",
  }, async () => {
    using world = makeWorld();
    await world.shell(
      "seq 1 1500000 | fdtool capture --always --preview none; " +
        "seq 1500000 -1 1 | fdtool capture --always --preview none",
    );
    await using connected = await connect(world, { version });
    const { client } = connected;
    const { pid } = client.transport as StdioClientTransport;
    const cancel = new AbortController();
    const given = { old_fd: "fd:1", new_fd: "fd:2", volatile: "show" };
    const cancelled = client.callTool({ name: "diff_fds", arguments: given }, { signal: cancel.signal });
    let hasEnded = false;
    void cancelled.finally(() => hasEnded = true).catch(() => {});
    while (childrenOf(pid!).length === 0) {
      ok(!hasEnded, "the call ended before it could be cancelled");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const read = () => client.callTool({ name: "read_fd", arguments: { fd: "fd:1", count: 1 } });
    const during = await read();
    ok(!hasEnded && during.isError !== true);
    cancel.abort("enough");
    await rejects(cancelled);
    const next = await read();
    ok(next.isError !== true);
    while (childrenOf(pid!).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
    const { structuredContent } = await client.callTool({ name: "list_fds", arguments: {} });
    deepStrictEqual((structuredContent as { fds: { state: string }[] }).fds.map(({ state }) => state), [
      "sealed",
      "sealed",
    ]);
  });
}

Deno.test("a write that is cancelled is finished, and can be undone", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  using world = makeWorld();
  await world.shell("seq 1 3000000 | fdtool capture --always --preview none");
  await using connected = await connect(world);
  const { client } = connected;
  const { pid } = client.transport as StdioClientTransport;
  const cancel = new AbortController();
  const given = { fd: "fd:1", file_path: world.path("copy") };
  const cancelled = client.callTool({ name: "fd_to_file", arguments: given }, { signal: cancel.signal });
  let hasEnded = false;
  void cancelled.finally(() => hasEnded = true).catch(() => {});
  while (childrenOf(pid!).length === 0) {
    ok(!hasEnded, "the call ended before it could be cancelled");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  cancel.abort("enough");
  await rejects(cancelled);
  while (childrenOf(pid!).length > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  ok(world.text("copy").endsWith("\n3000000\n"));
  const { isError } = await client.callTool({ name: "undo_write", arguments: { path: world.path("copy") } });
  ok(isError !== true);
});

Deno.test("2026-07-28: another server takes the user's reply, to a question of the same tool", async () => {
  using world = makeWorld();
  world.write("f", "x\n".repeat(12));
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const edit = { path: "f", old_string: "x", new_string: "z", replace_all: true };
  const call = async (name: string, given: object, more: object = {}) => {
    const params = { name, arguments: given, ...more, _meta };
    const [answer] = await exchange(
      world,
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`,
    );
    const { result, error } = answer as { result?: Record<string, unknown>; error?: { code: number } };
    return result === undefined ? { code: error?.code } : result;
  };
  const asked = await call("edit_file", edit) as Record<string, unknown>;
  deepStrictEqual([asked["resultType"], asked["requestState"]], ["input_required", "inq:1"]);
  const reply = { action: "accept", content: { answer: true } };
  const replied = { requestState: "inq:1", inputResponses: { "inq:1": reply } };
  deepStrictEqual(await call("create_file", { path: "g" }, replied), { code: -32602 });
  // Without a reply the same is asked again.
  const again = await call("edit_file", edit, { requestState: "inq:1" });
  deepStrictEqual(again, asked);
  const done = await call("edit_file", edit, replied) as Record<string, unknown>;
  deepStrictEqual([done["resultType"], world.text("f")], ["complete", "z\n".repeat(12)]);
  const late = await call("edit_file", edit, replied) as { isError?: boolean };
  deepStrictEqual(late.isError, true);
});

/**
 * A client in sh, that reads answers from 4 after its calls were sent. It is killed; the call returns when the server
 * ends, too.
 */
async function killedClient(world: World, calls: string, waitsFor: string): Promise<void> {
  world.write("calls", HELLO + calls);
  await world.shell(`
    mkfifo in out
    fdtool mcp --run <in >out &
    exec 3>in 4<out
    cat calls >&3
    ${waitsFor}
    kill -9 $$`);
}

Deno.test("a command ends, and so does the server, when the client is killed", async () => {
  using world = makeWorld();
  await world.shell("mkfifo begun");
  const given = { command: "echo begun >begun; exec sleep 60" };
  await killedClient(world, callOf(1, "run_command", given), "cat begun");
  deepStrictEqual((await world.run(["wait", "fd:1"])).code, 143);
});

Deno.test("a command ends when the client is killed and the server's parent is a launcher", {
  // Deno does not make the empty write that tells.
  ignore: programUnderTest().length > 1,
}, async () => {
  using world = makeWorld();
  await world.shell("mkfifo begun");
  world.write("calls", HELLO + callOf(1, "run_command", { command: "echo begun >begun; exec sleep 60" }));
  world.write(
    "client.mjs",
    `import { execFileSync, spawn } from "node:child_process";
     import { readFileSync } from "node:fs";
     const stdio = ["pipe", "pipe", "inherit"];
     spawn("sh", ["-c", "fdtool mcp --run; :"], { stdio }).stdin.write(readFileSync("calls"), () => {
       execFileSync("cat", ["begun"]);
       process.kill(process.pid, "SIGKILL");
     });`,
  );
  await world.shell("exec node client.mjs");
  deepStrictEqual((await world.run(["wait", "fd:1"])).code, 143);
});

Deno.test("a search ends, and so does the server, when the client is killed", async () => {
  using world = makeWorld();
  await world.shell(
    "yes 'a line to search through' | head -c 100000000 | fdtool capture --always --preview none",
  );
  const given = { fd: "fd:1", pattern: ".", extract_to_new_fd: true };
  const call = callOf(1, "search_fd", given, { progressToken: 1 });
  await killedClient(
    world,
    call,
    "while read -r line; do case $line in *notifications/progress*) break;; esac; done <&4",
  );
  const states = async () => {
    const { fds } = JSON.parse((await world.run(["ls", "--all", "--format", "json"])).text);
    return (fds as { fd: string; state: string }[]).map(({ fd, state }) => [fd, state]);
  };
  let seen = await states();
  while (seen.some(([, state]) => state === "live")) seen = await states();
  deepStrictEqual(seen.filter(([, state]) => state !== "incomplete"), [["fd:1", "sealed"]]);
});

/** Sends lines to a server and reads the lines that come back until it ends, as an unknown client would. */
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

function callOf(id: number, name: string, given: unknown, _meta?: unknown): string {
  const params = { name, arguments: given, _meta };
  return `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`;
}

Deno.test("a client that sends everything and closes gets every answer complete", async () => {
  using world = makeWorld();
  const lines = Array.from({ length: 900 }, (_, index) => `line ${index + 1}\n`).join("");
  await world.run(["capture", "--always"], { stdin: lines });
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
    deepStrictEqual(structuredContent.content, lines);
  }
});

Deno.test("an invalid message is answered as such, and the server continues", async () => {
  using world = makeWorld();
  const answers = await exchange(
    world,
    HELLO + "not json\n" + "\n" + '{"id":1}\n' + '[{"jsonrpc":"2.0","id":9,"method":"ping"}]\n' +
      '{"jsonrpc":"2.0","id":2,"method":"no/such"}\n' +
      "[".repeat(100_000) + "\n" + '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":5}}\n' +
      callOf(4, "list_fds", {}) +
      '{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"fd://9"}}\n' +
      '{"jsonrpc":"2.0","id":6,"method":"resources/list","params":{"cursor":"x"}}\n',
  );
  const codes = new Map(answers.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]));
  deepStrictEqual(codes.get(1), -32600);
  deepStrictEqual(codes.get(2), -32601);
  ok(codes.get(3) !== undefined);
  deepStrictEqual(codes.get(4), undefined);
  deepStrictEqual(codes.get(5), -32002);
  deepStrictEqual(codes.get(6), -32602);
  deepStrictEqual(
    answers.filter(({ id }) => id === null).map(({ error }) => (error as { code: number }).code).sort(),
    [-32600, -32700, -32700],
  );
});

Deno.test("invalid parameters are an error of one line", async () => {
  using world = makeWorld();
  const wrong: [string, unknown][] = [
    ["tools/call", undefined],
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
    ok(/^Invalid \S+ request: /.test(message) && !/[\n{]/.test(message), message);
  }
});

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

Deno.test("arguments as JSON text or null are read, and an error repeats little of what came", async () => {
  using world = makeWorld();
  const huge = "x".repeat(100_000);
  const given = ['{"limit":3}', null, "", `{"path":${huge}`, huge, {
    path: huge,
    old_string: "a",
    new_string: "b",
  }, {
    [huge]: 1,
  }];
  const sent = [
    ...given.map((each, index) => callOf(index + 1, index < 3 ? "list_fds" : "edit_file", each)),
    callOf(8, huge, {}),
    `${JSON.stringify({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: [huge] } })}\n`,
    `${JSON.stringify({ jsonrpc: "2.0", id: 10, method: huge })}\n`,
    `${JSON.stringify({ jsonrpc: "2.0", id: 11, method: "resources/read", params: { uri: huge } })}\n`,
  ];
  const answers = await exchange(world, HELLO + sent.join(""));
  deepStrictEqual(answers.length, sent.length + 1);
  for (const { id, result, error } of answers) {
    if (id === 0) continue;
    const { isError = false } = (result ?? { isError: true }) as { isError?: boolean };
    deepStrictEqual(isError, id as number > 3, `${id}`);
    const text = JSON.stringify(result ?? error);
    ok((text.match(/x/g) ?? []).length < 1100 && text.length < 6000, `${id}: ${text.slice(0, 300)}`);
  }
});

/** Requests that are answered by much more. */
/** So many requests for the list of tools, each longer by `noteBytes`, with an answer of 7 KB. */
const LISTS = (count: number, noteBytes = 0) => {
  const params = { _meta: { note: "x".repeat(noteBytes) } };
  return `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params })}\n`.repeat(count);
};

/** Deno writes to a pipe without returning, so nothing else happens while a client does not read. */
const ignore = programUnderTest().length > 1;

Deno.test("more answers than wait at a time arrive when the client reads", { ignore }, async () => {
  using world = makeWorld();
  const { stdin, stdout, exit } = startServer(world);
  const writer = stdin.getWriter();
  // Requests of 2 MB and answers of 14 MB: more than are read ahead (1 MiB), and than wait (4 MiB).
  const count = 2000;
  const sending = writer.write(new TextEncoder().encode(LISTS(count, 1000))).then(() => writer.close());
  let answered = 0;
  for await (const chunk of stdout) for (const byte of chunk) if (byte === 0x0a) answered++;
  await sending;
  deepStrictEqual([answered, await exit], [count, 0]);
});

Deno.test(
  "a server ends although its client reads nothing, when its input has ended",
  { ignore },
  async () => {
    using world = makeWorld();
    const { stdin, exit } = startServer(world);
    const writer = stdin.getWriter();
    await writer.write(new TextEncoder().encode(LISTS(2000)));
    await writer.close();
    deepStrictEqual(await exit, 0);
  },
);

function startServer(world: World) {
  const [command, ...args] = programUnderTest();
  const server = new Deno.Command(command!, {
    args: [...args, "mcp"],
    env: { ...world.env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  return { stdin: server.stdin, stdout: server.stdout, exit: server.status.then(({ code }) => code) };
}
