/**
 * Text that has no UTF-8 (half a surrogate pair, which JSON can carry) is refused at every interface, since it would be altered
 * on its way to a path or a file: `z\ud800` and `z\ud801` were one file.
 */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { readdirSync } from "node:fs";
import { openStore } from "../fd/mod.ts";
import { FdError, openRegular } from "../fd/system.ts";
import { resolveRealPath } from "../src/writing/commit/resolve_path.ts";
import { assertFailure, readJson } from "./read_answer.ts";
import { makeWorld, type World } from "./world.ts";

const HALF = "\\ud800";

async function makeTarget(): Promise<World> {
  const world = makeWorld();
  world.write("f", "a\uFFFDb\n");
  await world.run(["capture", "--always", "--format", "raw"], { stdin: "x\n" });
  return world;
}

/** Tools, and arguments in which one text is not whole. */
const CALLS: readonly (readonly [tool: string, args: string, field: string])[] = [
  ["fd_to_file", `{"fd":"fd:1","file_path":"z${HALF}"}`, "file_path"],
  ["fd_to_file", `{"fd":"fd:1","file_path":"z\\udc00"}`, "file_path"],
  ["create_file", `{"path":"z${HALF}"}`, "path"],
  ["count_lines", `{"path":"f${HALF}"}`, "path"],
  ["undo_write", `{"path":"f${HALF}"}`, "path"],
  ["edit_file", `{"path":"f","old_string":"a${HALF}b","new_string":"c"}`, "old_string"],
  ["edit_file", `{"path":"f","edits":[{"old_string":"a","new_string":"${HALF}"}]}`, "edits[0].new_string"],
  [
    "write_plan",
    `{"intent":"i","target_file":"z${HALF}","operations":[{"type":"create","content_block":"x"}]}`,
    "target_file",
  ],
  [
    "write_plan",
    `{"intent":"i","plans":[{"target_file":"f","operations":[{"type":"replace_all","find":"${HALF}","content_block":"x"}]}]}`,
    "plans[0].operations[0].find",
  ],
  ["search_fd", `{"fd":"fd:1","pattern":"${HALF}"}`, "pattern"],
];

Deno.test("arguments of call and jp with half a surrogate pair are refused", async () => {
  using world = await makeTarget();
  const before = readdirSync(world.dir);
  for (const [tool, stdin, field] of CALLS) {
    const called = await world.run(["call", tool, "--format", "json"], { stdin });
    assertEquals([called.code, readJson(called.text)["error"]], [2, "invalid_parameter"], called.text);
    assertStringIncludes(called.text, field);
    const jpName = { create_file: "fs_create_file", edit_file: "fs_modify_file" }[tool] ?? tool;
    const call = `{"name":"${jpName}","arguments":${stdin}}`;
    const served = await world.run(["serve-jp", JSON.stringify({ root: world.dir }), call]);
    assertStringIncludes(served.text, '"type":"error"', served.text);
  }
  assertEquals([readdirSync(world.dir), world.text("f")], [before, "a\uFFFDb\n"]);
});

Deno.test("arguments over MCP with half a surrogate pair are refused", async () => {
  using world = await makeTarget();
  const before = readdirSync(world.dir);
  const clientInfo = { name: "t", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  const stdin = [
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
    JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
    ...CALLS.map(([name, args], index) =>
      `{"jsonrpc":"2.0","id":${
        index + 1
      },"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`
    ),
    "",
  ].join("\n");
  const served = await world.run(["mcp"], { stdin });
  const answers = new Map(
    served.text.trim().split("\n").map((line) => {
      const { id, result } = JSON.parse(line) as { id: number; result: { isError?: boolean } };
      return [id, result];
    }),
  );
  for (const [index, [, , field]] of CALLS.entries()) {
    const answer = answers.get(index + 1);
    assertEquals(answer?.isError, true, JSON.stringify(answer));
    assertStringIncludes(JSON.stringify(answer), field);
  }
  assertEquals([readdirSync(world.dir), world.text("f")], [before, "a\uFFFDb\n"]);
});

Deno.test("JSON on stdin and in files with half a surrogate pair is refused", async () => {
  using world = await makeTarget();
  const plan = `{"intent":"i","target_file":"z${HALF}","operations":[{"type":"create","content_block":"x"}]}`;
  world.write("plan.json", plan);
  assertEquals((await world.run(["create", "new"])).code, 3);
  const before = readdirSync(world.dir);
  const calls: [string[], string][] = [
    [["plan", "apply", "plan.json"], ""],
    [["plan", "check"], plan],
    [["edit", "f"], `{"old_string":"a${HALF}b","new_string":"c"}`],
    [["answer", "inq:1"], `{"content":"${HALF}"}`],
    [["answer", "inq:1"], `"${HALF}"`],
    [["create", "other", "--answers", `{"file_content":{"content":"${HALF}"}}`], ""],
  ];
  for (const [words, stdin] of calls) {
    assertFailure(await world.run([...words, "--format", "json"], { stdin }), "invalid_parameter", [1, 2]);
  }
  assertEquals([readdirSync(world.dir), world.text("f")], [before, "a\uFFFDb\n"]);
  const stdin = `{"content":"\\ud83d\\ude00\\n"}`;
  assertEquals((await world.run(["answer", "inq:1"], { stdin })).code, 0, "a whole pair is text");
  assertEquals(world.text("new"), "\u{1F600}\n");
});

Deno.test("the library refuses paths with half a surrogate pair", () => {
  using world = makeWorld();
  for (const use of [openStore, openRegular, (path: string) => resolveRealPath(path, world.dir)]) {
    const thrown = assertThrows(() => use(`${world.dir}/z\ud800`), FdError);
    assert(thrown.failure.kind === "invalid_parameter");
    assertEquals(thrown.failure.field, "path");
  }
});
