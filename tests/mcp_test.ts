// Promise: any MCP client can use fdtool: the official client library over a real child process; answers that fit their
// output schemas and what each client takes.

import { deepStrictEqual, ok, rejects } from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { MCP_VERSIONS } from "./in_memory_client.ts";
import { connect } from "./mcp_connection.ts";
import { fillStore } from "./store_calls.ts";
import { makeWorld } from "./world.ts";

const LINES = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}\n`).join("");

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: the official client lists and calls tools, and reads resources`, async () => {
    using world = makeWorld();
    await world.run(["capture", "--always"], { stdin: LINES });
    await using connected = await connect(world, { version });
    const { client } = connected;

    const { tools } = await client.listTools();
    ok(tools.some(({ name }) => name === "read_fd"));
    for (const { name, annotations, outputSchema } of tools) {
      // MCP assumes that a tool writes and destroys unless it says otherwise.
      ok(annotations?.openWorldHint === false, name);
      deepStrictEqual(annotations.readOnlyHint === true, /^(read|search|query|list)_/.test(name), name);
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
    await rejects(read("fd://9"), { code: -32602, message: /fd:9 not found/ });
    await rejects(read("fd://1?mode=line&start=9999"), { code: -32602 });
  });
}

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: every tool's answer, and its failure, fits its output schema`, async () => {
    using world = makeWorld();
    await world.run(["capture", "--always", "--name", "log"], { stdin: LINES });
    await world.run(["capture", "--always"], { stdin: LINES.replace("line 7", "LINE 7") });
    world.write("a.txt", "one\ntwo\nthree\n");
    await using connected = await connect(world, { version, words: ["--all", "--run", "--output-schemas"] });
    const { client } = connected;
    const { tools } = await client.listTools();
    const path = world.path("a.txt");
    const calls: Record<string, Record<string, unknown>> = {
      read_fd: { fd: "ref:log", count: 2 },
      search_fd: { fd: "fd:1", pattern: "9$", context: 1 },
      query_fd: { fd: "fd:1", filter: "1", null_input: true },
      diff_fds: { old_fd: "fd:1", new_fd: "fd:2" },
      fd_to_file: { fd: "fd:1", file_path: "out/log.txt" },
      list_fds: {},
      list_refs: {},
      create_file: { path: "new.txt" },
      answer_inquiry: { inquiry_id: "inq:1", answer: { content: "x\n" } },
      rewrite_file: {
        filePath: path,
        content: "1\ntwo\nthree\n",
        expectedLineCount: 3,
        acknowledgement: "I confirm this is the complete file content with no omissions or placeholders",
      },
      edit_file: { path, old_string: "two", new_string: "2" },
      count_lines: { path },
      write_plan: {
        intent: "Add a line",
        target_file: path,
        operations: [{ type: "append", content_block: "four\n" }],
      },
      undo_write: { path },
      run_command: { command: "seq 1 30; exit 3", search: "^2" },
      wait_fd: { fd: "fd:1" },
      stop_fd: { fd: "fd:1" },
    };
    deepStrictEqual(Object.keys(calls).sort(), tools.map(({ name }) => name).sort());
    for (const { name, outputSchema } of tools) {
      const validate = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(outputSchema)));
      for (const given of [calls[name]!, { bogus: 1 }]) {
        const { structuredContent, isError = false } = await client.callTool({ name, arguments: given });
        deepStrictEqual(isError, "bogus" in given, JSON.stringify(structuredContent));
        const { valid, errorMessage } = validate(structuredContent);
        ok(valid, `${name}: ${errorMessage}\n${JSON.stringify(structuredContent)}`);
      }
    }
    deepStrictEqual(world.text("a.txt"), "1\n2\nthree\n");
  });
}

Deno.test("each part of an answer is complete", async () => {
  using world = makeWorld();
  await world.run(["capture", "--name", "log"], { stdin: LINES });
  world.write("a.txt", "one\ntwo\n".repeat(10));
  await using connected = await connect(world, { words: ["--all", "--run"] });
  const path = world.path("a.txt");
  const calls: [string, Record<string, unknown>][] = [
    ["read_fd", { fd: "1", start: "2" }],
    ["read_fd", { fd: "fd:9" }],
    ["read_fd", { fd: "fd:1", strat: 2 }],
    ["search_fd", { fd: "fd:1", pattern: "line 1", max_count: 3 }],
    ["search_fd", { fd: "fd:1", pattern: "f(" }],
    ["list_fds", {}],
    ["create_file", { path: "new.txt" }],
    ["edit_file", { path, old: "nine", new: "1" }],
    ["edit_file", { path, old: "one", new: "1", replace_all: true, yes: true }],
    ["run_command", { command: "seq 1 30000; exit 3" }],
  ];
  for (const [name, given] of calls) {
    const { content, structuredContent } = await connected.client.callTool({ name, arguments: given });
    const [{ text: xml }, ...others] = content as { text: string }[] as [{ text: string }];
    const text = xml.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&")
      .replace(/(\d),(?=\d{3} like)/g, "$1");
    deepStrictEqual(others, [], name);
    const scalars = scalarsIn(structuredContent);
    const unsaid = scalars.filter((scalar) => !text.includes(scalar) && !text.includes(scalar.trimEnd()));
    // How a fault came about is in the message, in other words.
    if (!Object.hasOwn(structuredContent!, "faults")) deepStrictEqual(unsaid, [], `${name}: ${text}`);
    const attributes = [...text.split("\n", 1)[0]!.matchAll(/ \w+="([^"]*)"/g)].map(([, value]) => value!);
    const unreported = attributes.filter((value) =>
      !JSON.stringify(scalars).includes(JSON.stringify(value).slice(1, -1))
    );
    if (name !== "list_fds") deepStrictEqual(unreported, [], `${name}: ${text}`);
  }
});

function scalarsIn(value: unknown): string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(scalarsIn);
  return value === null || value === undefined ? [] : [String(value)];
}

Deno.test("definitions and instructions stay within their bounds", async () => {
  using world = makeWorld();
  for (const [words, most] of [[[], 8192], [["--run"], 9216], [["--all"], 25_000]] as const) {
    await using connected = await connect(world, { words: [...words] });
    const { tools } = await connected.client.listTools();
    const bytes = new TextEncoder().encode(JSON.stringify({ tools })).length;
    ok(bytes <= most, `${words.join(" ")}: ${bytes} bytes`);
    const instructions = connected.client.getInstructions() ?? "";
    ok(instructions.length > 500 && instructions.length <= 3000, `${instructions.length} chars`);
    ok(!/\bfdtool /.test(instructions), "a shell command in instructions");
    for (const [, named] of instructions.matchAll(/^(\w+)\(/gm)) {
      ok(tools.some(({ name }) => name === named), `${named} is not served`);
    }
  }
});

Deno.test("only Claude Code gets its hints", async () => {
  using world = makeWorld();
  const hints = async (name: string) => {
    await using connected = await connect(world, { name });
    const { tools } = await connected.client.listTools();
    return new Map(tools.map((tool) => [tool.name, tool._meta]));
  };
  const own = await hints("claude-code");
  deepStrictEqual(own.get("read_fd"), {
    "anthropic/alwaysLoad": true,
    "anthropic/maxResultSizeChars": 50_000,
  });
  deepStrictEqual(own.get("edit_file"), { "anthropic/maxResultSizeChars": 50_000 });
  deepStrictEqual([...(await hints("codex-mcp-client")).values()].filter((meta) => meta !== undefined), []);
});

Deno.test("schemas accept every call that fdtool understands", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: LINES });
  world.write("a.txt", "one\ntwo\nthree\nfour\n");
  const path = world.path("a.txt");
  const calls: [string, Record<string, unknown>][] = [
    ["read_fd", { fd: 1, mode: "lines", start: "10", count: "2" }],
    ["read_fd", { fd: "fd:1", readAll: "true" }],
    ["search_fd", { fd: "1", query: "line 2$", ignoreCase: "yes" }],
    ["fd_to_file", { fd: "fd:1", path: "out.txt" }],
    ["fd_to_file", { fd: "fd:1", filePath: "out.txt", mode: "Append" }],
    ["list_fds", { limit: "3" }],
    ["edit_file", { path, old: "one", new: "1" }],
    ["edit_file", { filePath: path, oldString: "two", newString: "2", replaceAll: "true" }],
    ["edit_file", {
      file: path,
      edits: [{ old: "three", new: "3" }, { oldText: "four", newText: "4" }],
      yes: true,
    }],
    ["create_file", { filePath: "new.txt" }],
    ["answer_inquiry", { inquiryId: "inq:1", answer: "text\n" }],
    ["undo_write", { tx: "tx:5", force: "false" }],
  ];
  for (const words of [[], ["--all"]]) {
    await using connected = await connect(world, { words });
    const { tools } = await connected.client.listTools();
    for (const [name, given] of calls) {
      const { inputSchema } = tools.find((tool) => tool.name === name)!;
      // As Gemini CLI wants it: each parameter has a type, or options that have one.
      for (const [parameter, schema] of Object.entries(inputSchema.properties ?? {})) {
        ok(/"(type|anyOf)":/.test(JSON.stringify(schema)), `${name} ${parameter}`);
      }
      // The official library sends text for numbers and flags, too: it does not check calls by their schemas.
      const isTyped = !/:(?:"(?:\d+|true|false|yes)"|1,)/.test(JSON.stringify(given));
      const validate = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(inputSchema)));
      const { valid, errorMessage } = validate(given);
      ok(valid || !isTyped, `${name} ${JSON.stringify(given)}: ${errorMessage}`);
      if (words.length > 0) continue;
      const { isError, structuredContent } = await connected.client.callTool({ name, arguments: given });
      ok(isError !== true, JSON.stringify(structuredContent));
    }
  }
  deepStrictEqual([world.text("a.txt"), world.text("new.txt")], ["1\n2\nthree\nfour\n", "text\n"]);
});

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: a failure is a result that a model can correct`, async () => {
    using world = makeWorld();
    await using connected = await connect(world, { version });
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
}

Deno.test("a message names a tool's parameters, never command-line options", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "1 12:01:02\n2 12:01:03\n" });
  await world.run(["capture", "--always"], { stdin: "1 12:05:02\n2 12:05:03\n" });
  world.write("dos.txt", "a\r\nb\r\n");
  world.write("a.js", "1;\n2;\n");
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const calls: [name: string, given: Record<string, unknown>, named: string][] = [
    ["search_fd", { fd: "1", pattern: "a(b" }, "fixed=true"],
    ["search_fd", { fd: "1", pattern: "1", name: "x" }, "extract_to_new_fd"],
    ["search_fd", { fd: "1", pattern: "1", count: true, extract_to_new_fd: true }, "extract_to_new_fd"],
    ["read_fd", { fd: "1", since: 0, tail: 2 }, "since"],
    ["read_fd", { fd: "1", name: "x" }, "extract_to_new_fd"],
    ["read_fd", { fd: "1", extract_to_new_fd: true, number: true }, "number"],
    ["diff_fds", { old_fd: "1", new_fd: "2" }, "ignore_times=true"],
    ["query_fd", {
      fd: "1",
      null_input: true,
      filter: "reduce range(100000) as $i (null; [.]) | tojson",
    }, "stream=true"],
    ["edit_file", { path: "a.js", old_string: ";", new_string: "" }, "replace_all=true"],
    ["edit_file", { path: "dos.txt", old_string: "a\nb", new_string: "c" }, "line 1 ends with CRLF"],
    ["edit_file", { path: "dos.txt", old_string: "a", new_string: "c\nd" }, 'eol="keep"'],
    ["rewrite_file", {
      filePath: "a.js",
      content: "1;\n// ... rest of file unchanged ...\n",
      expectedLineCount: 2,
      acknowledgement,
    }, "allowPlaceholders=true"],
    ["rewrite_file", {
      filePath: "a.js",
      content: "1;\n",
      expectedLineCount: 1,
      acknowledgement,
      ifMatch: "00",
    }, "does not match the expected 00"],
  ];
  await using connected = await connect(world, { words: ["--all"] });
  for (const [name, given, named] of calls) {
    const result = await connected.client.callTool({ name, arguments: given });
    const { message } = result.structuredContent as { message: string };
    ok(message.includes(named) && !/--[a-z]|fdtool /.test(message), `${name}: ${message}`);
  }
  // The next call is one that this client can make, or there is none: no tool gives help.
  const rewrite = { filePath: "a.js", expectedLineCount: 9, acknowledgement };
  for (
    const [given, next] of [[{ content: "1;\n" }], [{ content_fd: "1" }, 'read_fd {"fd":"fd:1","tail":10}']]
  ) {
    const result = await connected.client.callTool({
      name: "rewrite_file",
      arguments: { ...rewrite, ...given as object },
    });
    deepStrictEqual((result.structuredContent as { next?: string }).next, next);
  }
  // On a command line the same sentence names an option; `call` takes JSON.
  const { text: printed } = await world.run(["diff", "1", "2"]);
  ok(printed.includes("--ignore-times"), printed);
  const called = await world.run(["call", "diff_fds"], { stdin: '{"old_fd":"1","new_fd":"2"}' });
  ok(called.text.includes("ignore_times=true"), called.text);
});

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: a question that the user declined is not put to the model`, async () => {
    using world = makeWorld();
    const old = "x\n".repeat(12);
    world.write("f", old);
    const given = { path: world.path("f"), old_string: "x", new_string: "z", replace_all: true };
    const edited = async (reply: ElicitResult) => {
      await using connected = await connect(world, { version, reply });
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
}

for (const version of MCP_VERSIONS) {
  Deno.test(`${version}: the user decides about overwriting, and the model gives the content`, async () => {
    using world = makeWorld();
    world.write("f", "old\n");
    await using connected = await connect(world, {
      version,
      reply: { action: "accept", content: { answer: true } },
    });
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
    // The user's yes means the content that came with the call.
    const early = await call("create_file", { path: world.path("f"), content: "early\n" });
    deepStrictEqual([early["type"], world.text("f")], ["write_result", "early\n"]);
    const form = await call("create_file", { path: world.path("g") });
    await call("answer_inquiry", { inquiry_id: form["inquiry_id"], answer: { content: "made\n" } });
    deepStrictEqual(world.text("g"), "made\n");
  });
}

/** The measured limits of each client, with the versions in docs/agents.md: its part of the answer and its bound. */
const TAKEN: readonly [client: string, most: number, sizeOf: (text: string, json: string) => number][] = [
  ["claude-code", 50_000, (_, json) => json.length],
  ["codex-mcp-client", 10_000, (_, json) => new TextEncoder().encode(json).length],
  [
    "opencode",
    50_000,
    (text) => Math.max(new TextEncoder().encode(text).length, 25 * text.split("\n").length),
  ],
  ["gemini-cli-mcp-client", 40_000, (text) => text.length],
  ["no such client", 25_000, (text, json) => text.length + json.length],
];

const CONTENTS: Readonly<Record<string, string>> = {
  "short lines": Array.from({ length: 18_000 }, (_, index) => `${index}\n`).join(""),
  "characters that JSON escapes": '"\\\u0001é<&>\t'.repeat(10).concat("\n").repeat(400),
  "one long line": "0123456789".repeat(6000),
};

for (const [client, most, sizeOf] of TAKEN) {
  Deno.test(`${client}: answers are what it takes, and next goes on right after them`, async () => {
    using world = makeWorld();
    const fds = Object.entries(CONTENTS);
    for (const [, content] of fds) await world.run(["capture", "--always"], { stdin: content });
    await using connected = await connect(world, { name: client });
    for (const [index, [what, content]] of fds.entries()) {
      let read = "";
      let next: [string, Record<string, unknown>] | undefined = ["read_fd", {
        fd: `fd:${index + 1}`,
        read_all: true,
        exact: true,
      }];
      let smallest = Infinity;
      while (next !== undefined) {
        const [name, given] = next;
        const { structuredContent, content: parts } = await connected.client.callTool({
          name,
          arguments: given,
        });
        const shown = structuredContent as { content: string; lines: string; next?: string };
        const size = sizeOf((parts as { text: string }[])[0]!.text, JSON.stringify(shown));
        ok(size <= most, `${what}: ${size}`);
        ok(shown.content !== "" && content.startsWith(shown.content, read.length), `${what}: ${read.length}`);
        const [first, last] = shown.lines.split("-").map(Number);
        deepStrictEqual(last! - first! + 1, shown.content.replace(/\n$/, "").split("\n").length, what);
        read += shown.content;
        if (shown.next !== undefined) smallest = Math.min(smallest, size);
        const [, tool, written] = /^(\w+) (\{.*\})$/.exec(shown.next ?? "") ?? [];
        next = tool === undefined ? undefined : [tool, JSON.parse(written!)];
      }
      deepStrictEqual(read, content, what);
      ok(smallest > most / 5, `${what}: ${smallest} chars, where ${most} are taken`);
    }
  });
}

for (const client of ["codex-mcp-client", "no such client"]) {
  Deno.test(`${client}: read-only tools with long answers store nothing, and next skips nothing`, async () => {
    using world = makeWorld();
    fillStore(world, 120, (at) => `a-name-of-some-length-${at}`);
    await using connected = await connect(world, { name: client });
    const call = async (name: string, given: Record<string, unknown>) =>
      (await connected.client.callTool({ name, arguments: given })).structuredContent as Record<
        string,
        unknown
      >;
    /** Returns the joined content of all calls that `next` leads to. */
    const walk = async (name: string, given: Record<string, unknown>, field: string, key: string) => {
      const parts: string[][] = [];
      for (let at: [string, Record<string, unknown>] | undefined = [name, given]; at !== undefined;) {
        const answer = await call(...at);
        parts.push((answer[field] as Record<string, string>[]).map((each) => each[key]!));
        const [, tool, written] = /^(\w+) (\{.*\})$/.exec(String(answer["next"])) ?? [];
        at = tool === undefined ? undefined : [tool, JSON.parse(written!)];
      }
      return parts;
    };
    const all = Array.from({ length: 120 }, (_, at) => `fd:${at + 1}`);
    for (const given of [{ all: true }, { limit: 500 }]) {
      const parts = await walk("list_fds", given, "fds", "fd");
      ok(parts.length > 1);
      deepStrictEqual(parts.toReversed().flat(), all);
    }
    const names = all.map((_, at) => `ref:a-name-of-some-length-${at + 1}`).sort();
    deepStrictEqual((await walk("list_refs", { all: true }, "refs", "id")).flat(), names);
    await world.run(["capture", "--always"], { stdin: '"\\\u0001'.repeat(4).concat("\n").repeat(3000) });
    await world.run(["capture", "--always"], { stdin: "other\n".repeat(3000) });
    const diff = await call("diff_fds", { old_fd: "fd:121", new_fd: "fd:122", max_chars: 60_000 });
    deepStrictEqual([diff["type"], diff["diff_fd"]], ["fd_diff", "fd:123"]);
    ok(String(diff["next"]).startsWith('read_fd {"fd":"fd:123","mode":"line","start":'));
    deepStrictEqual((await call("list_fds", { limit: 1 }))["total"], 123);
  });
}

Deno.test("run_command with until starts and waits in one call; wait_fd goes on, stop_fd ends it", async () => {
  using world = makeWorld();
  await using connected = await connect(world, { words: ["--run", "--root", world.dir] });
  const call = async (name: string, given: Record<string, unknown>) =>
    (await connected.client.callTool({ name, arguments: given })).structuredContent as Record<
      string,
      unknown
    >;
  await world.shell("mkfifo go");
  const command = "echo begun; read -r x <go; echo changed; exec sleep 600";
  const begun = await call("run_command", { command, until: "^beg" });
  deepStrictEqual([begun["fd"], begun["matches"]], ["fd:1", [{ line: 1, text: "begun" }]]);
  const live = await call("wait_fd", { fd: "fd:1", until: "changed", timeout: 0 });
  deepStrictEqual([live["state"], live["next"]], [
    "live",
    'wait_fd {"fd":"fd:1","until":"changed","timeout":"0s"}',
  ]);
  await world.shell("echo >go");
  deepStrictEqual((await call("wait_fd", { fd: "1", until: "changed" }))["matches"], [{
    line: 2,
    text: "changed",
  }]);
  deepStrictEqual((await call("stop_fd", { fd: "fd:1" }))["signal"], "SIGTERM");
  const failed = await call("run_command", { command: "echo broken; exit 3", until: "ready" });
  deepStrictEqual([failed["exit_code"], failed["preview"]], [3, "broken\n"]);
  ok(String(failed["message"]).includes("ended before a line matched"), String(failed["message"]));
  deepStrictEqual((await call("run_command", { command: "true", until: "(" }))["error"], "invalid_parameter");
  deepStrictEqual(
    (await call("run_command", { command: "true", until: "x", tail: 1 }))["error"],
    "invalid_parameter",
  );
});

Deno.test("tools take a file where they take an fd, within the root, and name its fd", async () => {
  using world = makeWorld();
  world.write("root/build.log", LINES);
  world.write("secret", "hunter2\n");
  await using connected = await connect(world, { words: ["--root", world.path("root")] });
  const call = async (name: string, given: Record<string, unknown>) =>
    (await connected.client.callTool({ name, arguments: given })).structuredContent as Record<
      string,
      unknown
    >;
  const found = await call("search_fd", { fd: "root/build.log", pattern: "line 29[0-9]$" });
  deepStrictEqual([found["fd"], found["total"]], ["fd:1", 10]);
  ok(String(found["message"]).startsWith("root/build.log was stored as fd:1."));
  // More than fits one answer, so that the tool is called again for less.
  world.write("root/build.log", LINES.repeat(20));
  const read = await call("read_fd", { fd: "root/build.log", read_all: true });
  deepStrictEqual([read["fd"], read["message"]], ["fd:2", "root/build.log was stored as fd:2."]);
  ok(String(read["next"]).startsWith('read_fd {"fd":"fd:2"'), String(read["next"]));
  deepStrictEqual((await call("read_fd", { fd: "secret" }))["error"], "outside_root");
  // Clients may read resources unasked.
  for (const path of ["root%2Fbuild.log", encodeURIComponent(world.path("root/build.log"))]) {
    await rejects(connected.client.readResource({ uri: `fd://${path}` }), /not found/);
  }
  deepStrictEqual(((await call("list_fds", {}))["fds"] as unknown[]).length, 2);
});

Deno.test("run_command runs, stores and searches in one call, and is offered only on request", async () => {
  using world = makeWorld();
  world.write("sub/file", "");
  {
    await using without = await connect(world, { words: ["--all"] });
    await rejects(without.client.callTool({ name: "run_command", arguments: { command: "true" } }), {
      code: -32602,
    });
  }
  await using connected = await connect(world, { words: ["--run", "--root", world.dir] });
  const run = async (given: Record<string, unknown>) =>
    (await connected.client.callTool({ name: "run_command", arguments: given })).structuredContent as Record<
      string,
      unknown
    >;
  const found = await run({ cmd: "seq 1 5000; echo oops >&2; exit 3", pattern: "oops|^4999" });
  deepStrictEqual([found["fd"], found["exit_code"], found["matches"]], [
    "fd:1",
    3,
    [{ line: 4999, text: "4999" }, { line: 5001, text: "oops" }],
  ]);
  const tail = await run({ command: "seq 1 5000", tail: 2 });
  deepStrictEqual([tail["content"], tail["exit_code"], tail["total_lines"]], ["4999\n5000\n", 0, 5000]);
  const small = await run({ command: "pwd; cat", cwd: "sub" });
  deepStrictEqual([small["preview"], small["exit_code"]], [`${world.path("sub")}\n`, 0]);
  const large = await run({ command: "seq 1 5001" });
  ok(String(large["next"]).startsWith('read_fd {"fd":"fd:4"'), JSON.stringify(large));
  const late = await run({ command: "echo begun; exec sleep 600", timeout: 1 });
  deepStrictEqual([late["exit_code"], late["preview"]], [124, "begun\n"]);
  ok(String(late["message"]).includes("timed out"), String(late["message"]));
  for (
    const [given, error] of [[{ cwd: ".." }, "outside_root"], [{ cwd: "nowhere" }, "file_not_found"]] as const
  ) {
    deepStrictEqual((await run({ command: "true", ...given }))["error"], error);
  }
  const colored = await run({ command: "printf 'ok\\n\\033[1mba\\033[0md\\r\\n'", search: "^bad$" });
  deepStrictEqual([colored["total"], colored["matches"]], [1, [{ line: 2, text: "bad" }]]);
  deepStrictEqual((await run({ command: "true", tail: 1, search: "x" }))["error"], "invalid_parameter");
});
