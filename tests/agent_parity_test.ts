// Promise: the command line, `call`, MCP and jp are interfaces to the same functions: the same request gives the same answer.

import { deepStrictEqual } from "node:assert/strict";
import { makeWorld, quoteForShell, type World } from "./world.ts";

/** A request as words of the command line, and as a tool with arguments. */
const REQUESTS: readonly [string, string[], string, Record<string, unknown>][] = [
  ["a page", ["read", "fd:1"], "read_fd", { fd: "fd:1" }],
  ["lines", ["read", "fd:1", "--lines", "10-14"], "read_fd", {
    fd: "fd:1",
    mode: "line",
    start: 10,
    count: 5,
  }],
  ["the tail", ["read", "fd:1", "--mode", "line", "--tail", "3"], "read_fd", {
    fd: "fd:1",
    mode: "line",
    tail: 3,
  }],
  ["a range of lines", ["read", "fd:1", "--lines", "10-14"], "read_fd", { fd: "fd:1", lines: "10-14" }],
  ["a range of chars", ["read", "fd:1", "--chars", "5-9"], "read_fd", { fd: "fd:1", chars: "5-9" }],
  ["pages to the end", ["read", "fd:1", "--pages", "2-"], "read_fd", { fd: "fd:1", pages: "2-" }],
  ["the head", ["read", "fd:1", "--head", "3"], "read_fd", { fd: "fd:1", head: 3 }],
  ["a wrong range", ["read", "fd:1", "--lines", "9-3"], "read_fd", { fd: "fd:1", lines: "9-3" }],
  ["all of it", ["read", "fd:1", "--all"], "read_fd", { fd: "fd:1", read_all: true }],
  ["since a cursor", ["read", "fd:1", "--since", "100"], "read_fd", { fd: "fd:1", since: 100 }],
  ["since no cursor", ["read", "fd:1", "--since", "9999999"], "read_fd", { fd: "fd:1", since: 9999999 }],
  ["by name", ["read", "ref:log", "--start", "2"], "read_fd", { fd: "ref:log", start: 2 }],
  ["bounded", ["read", "fd:1", "--max-chars", "100"], "read_fd", { fd: "fd:1", max_chars: 100 }],
  ["bytes that are no text", ["read", "fd:2"], "read_fd", { fd: "fd:2" }],
  ["a page past the end", ["read", "fd:1", "--start", "99"], "read_fd", { fd: "fd:1", start: 99 }],
  ["no such fd", ["read", "fd:77"], "read_fd", { fd: "fd:77" }],
  ["matches", ["search", "fd:1", "9$", "-C", "1"], "search_fd", { fd: "fd:1", pattern: "9$", context: 1 }],
  ["no match", ["search", "fd:1", "zzz"], "search_fd", { fd: "fd:1", pattern: "zzz" }],
  ["a wrong pattern", ["search", "fd:1", "("], "search_fd", { fd: "fd:1", pattern: "(" }],
  ["a diff", ["diff", "fd:1", "fd:3", "-C", "1"], "diff_fds", { old_fd: "fd:1", new_fd: "fd:3", context: 1 }],
  ["no difference", ["diff", "fd:1", "ref:log", "-t"], "diff_fds", {
    old_fd: "fd:1",
    new_fd: "ref:log",
    ignore_times: true,
  }],
  ["the list", ["ls"], "list_fds", {}],
  ["the names", ["refs"], "list_refs", {}],
];

interface DoorAnswer {
  code: number;
  answer: Record<string, unknown>;
  /** The xml answer, if the interface shows one. */
  xml: string | undefined;
}

async function byCommandLine(world: World, words: readonly string[]): Promise<DoorAnswer> {
  const json = await world.run([...words, "--format", "json"]);
  const xml = await world.run(words);
  return {
    code: json.code,
    answer: JSON.parse(json.text === "" ? json.stderr : json.text),
    xml: xml.text === "" ? xml.stderr : xml.text,
  };
}

async function byCall(world: World, tool: string, given: unknown, showsXml = true): Promise<DoorAnswer> {
  const stdin = JSON.stringify(given);
  const json = await world.run(["call", tool, "--format", "json"], { stdin });
  if (!showsXml) return { code: json.code, answer: JSON.parse(json.text), xml: undefined };
  const xml = await world.run(["call", tool], { stdin });
  deepStrictEqual([json.stderr, xml.stderr], ["", ""]);
  return { code: json.code, answer: JSON.parse(json.text), xml: xml.text };
}

async function byMcp(world: World, tool: string, given: unknown): Promise<DoorAnswer> {
  const messages = [
    {
      id: 0,
      method: "initialize",
      params: {
        protocolVersion: "2025-06-18",
        capabilities: {},
        clientInfo: { name: "parity", version: "0" },
      },
    },
    { method: "notifications/initialized" },
    { id: 1, method: "tools/call", params: { name: tool, arguments: given } },
  ];
  const stdin = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { text } = await world.run(["mcp"], { stdin });
  const answers = text.trimEnd().split("\n").map((line) => JSON.parse(line));
  const { result } = answers.find(({ id }) => id === 1);
  return {
    code: result.isError === true ? 1 : 0,
    answer: result.structuredContent,
    xml: result.content[0].text,
  };
}

async function byJp(world: World, tool: string, given: unknown): Promise<Record<string, unknown>> {
  const context = JSON.stringify({ root: world.dir, action: "run" });
  const call = JSON.stringify({ name: tool, arguments: given });
  const { code, text } = await world.shell(
    `fdtool serve-jp ${quoteForShell(context)} ${quoteForShell(call)}`,
  );
  deepStrictEqual(code, 0);
  return JSON.parse(text);
}

Deno.test("a file is written the same through every interface", async () => {
  using world = makeWorld();
  await world.run(["capture", "--always"], { stdin: "one\ntwo\n" });
  const reported: unknown[] = [];
  const take = (answer: Record<string, unknown>, name: string) => {
    const { tx, next, file_path, message, ...rest } = answer;
    const undo = next === `fdtool undo ${tx}` || next === `undo_write {"tx":"${tx}"}`;
    reported.push({ ...rest, message: String(message).replace(name, ""), undo, named: file_path === name });
    deepStrictEqual(world.text(name), "one\ntwo\n");
  };
  take((await byCommandLine(world, ["to-file", "fd:1", "line.txt"])).answer, "line.txt");
  take((await byCall(world, "fd_to_file", { fd: "fd:1", file_path: "call.txt" })).answer, "call.txt");
  take((await byMcp(world, "fd_to_file", { fd: "fd:1", file_path: "mcp.txt" })).answer, "mcp.txt");
  deepStrictEqual(reported, [reported[0], reported[0], reported[0]]);
  const { type } = await byJp(world, "fd_to_file", { fd: "fd:1", file_path: "jp.txt" });
  deepStrictEqual([type, world.text("jp.txt")], ["success", "one\ntwo\n"]);
  const out = await byJp(world, "fd_to_file", { fd: "fd:1", file_path: "../jp.txt" });
  deepStrictEqual([out["type"], (out["trace"] as string[])[0]], ["error", "outside_root"]);
});

Deno.test("the same write through every interface does the same", async () => {
  const requests: [string[], string | undefined, string, Record<string, unknown>][] = [
    [["edit", "a.txt", "--old", "two", "--new", "2"], undefined, "edit_file", {
      old_string: "two",
      new_string: "2",
    }],
    [["edit", "a.txt", "--old", "none", "--new", "2"], undefined, "edit_file", {
      old_string: "none",
      new_string: "2",
    }],
    [
      ["rewrite", "a.txt", "--expected-line-count", "2", "--acknowledgement", "yes"],
      "x\n",
      "rewrite_file",
      { content: "x\n", expectedLineCount: 2, acknowledgement: "yes" },
    ],
    [["count", "a.txt"], undefined, "count_lines", {}],
    [["create", "a.txt"], undefined, "create_file", {}],
    [["undo", "a.txt"], undefined, "undo_write", {}],
    [
      ["plan", "apply"],
      '{"target_file":"a.txt","intent":"i","operations":[{"type":"appnd","content_block":"x"}]}',
      "write_plan",
      { intent: "i", operations: [{ type: "appnd", content_block: "x" }] },
    ],
  ];
  for (const [words, stdin, tool, given] of requests) {
    const pathName = tool === "rewrite_file" ? "filePath" : tool === "write_plan" ? "target_file" : "path";
    const doors: Record<string, (world: World) => Promise<Record<string, unknown>>> = {
      async line(world) {
        const { text, stderr } = await world.run([...words, "--format", "json"], { stdin });
        return JSON.parse(text === "" ? stderr : text);
      },
      call: async (world) => (await byCall(world, tool, { [pathName]: "a.txt", ...given }, false)).answer,
      mcp: async (world) => (await byMcp(world, tool, { [pathName]: "a.txt", ...given })).answer,
    };
    const reported = new Map<string, unknown>();
    for (const [door, ask] of Object.entries(doors)) {
      using world = makeWorld();
      world.write("a.txt", "one\ntwo\nthree\n");
      const { next: _, ...answer } = await ask(world);
      reported.set(door, { answer, text: world.text("a.txt") });
    }
    deepStrictEqual(reported.get("call"), reported.get("line"), tool);
    deepStrictEqual(reported.get("mcp"), reported.get("line"), tool);
  }
});

Deno.test("the same request through every interface gives the same answer", async (t) => {
  using world = makeWorld();
  const lines = Array.from({ length: 300 }, (_, index) => `line ${index + 1} </fd_content> & "é"\n`).join(
    "",
  );
  await world.run(["capture", "--always", "--name", "log"], { stdin: lines });
  await world.run(["capture", "--always"], { stdin: Uint8Array.of(0, 0xff, 0xfe, 10) });
  await world.run(["capture", "--always"], { stdin: lines.replace("line 70 ", "row 70 ") });
  for (const [name, words, tool, given] of REQUESTS) {
    await t.step(name, async () => {
      const line = await byCommandLine(world, words);
      const call = await byCall(world, tool, given);
      const mcp = await byMcp(world, tool, given);
      const jp = await byJp(world, tool, given);
      // A frame's boundary is random by design, and next steps and options are written for the interface's callers.
      const asOptions = (text: string) => text.replaceAll(/use (\w+)=true/g, "use --$1");
      const bare = ({ answer: { next: _, ...answer }, xml }: DoorAnswer) => ({
        answer: JSON.parse(asOptions(JSON.stringify(answer))),
        xml: asOptions(plain(xml ?? "")),
      });
      deepStrictEqual(bare(call), bare(line));
      deepStrictEqual(bare(mcp), bare(line));
      deepStrictEqual(call.code, line.code);
      if (line.answer["type"] === "fd_error") {
        const message = asOptions(String(jp["message"]));
        deepStrictEqual([jp["type"], message], ["error", line.answer["message"]]);
      } else {
        deepStrictEqual([jp["type"], plain(String(jp["content"]))], ["success", bare(line).xml]);
      }
    });
  }
});

/** An answer without boundaries and without its next step, wherever that is. */
function plain(xml: string): string {
  return xml.replaceAll(/ boundary="[0-9a-f]+"/g, "").replace(
    /(^|\n) *<next>.*<\/next>\n|<next>.*<\/next>/g,
    "$1",
  )
    .replace(/ next="[^"]*"/, "");
}
