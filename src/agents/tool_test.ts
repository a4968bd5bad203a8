// Promise: the next step in a tool's answer is a valid call of a tool.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { objectFaults } from "../calls/requests/request_schema.ts";
import type { NextCall } from "../calls/terms/next_call.ts";
import { toolCallWriter } from "./tool.ts";
import { listOperations } from "../commands/rows.ts";
import { toolsOf } from "./tool_table.ts";

const TOOLS = toolsOf(listOperations());

const write = toolCallWriter(TOOLS);

function argumentsOf(call: NextCall): unknown {
  const written = write(call);
  assert(written !== undefined);
  const [, name = "", given = ""] = /^(\S+) (.*)$/.exec(written.replace(":…}", ":true}")) ?? [];
  const request = JSON.parse(given);
  assertEquals(objectFaults(TOOLS.find((tool) => tool.name === name)!.fields, request), []);
  return request;
}

Deno.test("the next call of a slice keeps its mode", () => {
  const slice = fc.record({
    mode: fc.constantFrom("page" as const, "line" as const, "char" as const),
    start: fc.integer({ min: 1, max: 2 ** 40 }),
    count: fc.integer({ min: 1, max: 2 ** 40 }),
  });
  fc.assert(fc.property(slice, (asked) => {
    const args = { ...asked, fd: "fd:7", number: true };
    assertEquals(argumentsOf({ command: "read", args }), args);
  }));
});

Deno.test("a call whose command has a tool is valid for that tool's schema", () => {
  const calls: NextCall[] = [
    { command: "undo", args: { tx: "tx:3" } },
    { command: "ls", args: {} },
    { command: "refs", args: { all: true } },
    { command: "search", args: { fd: "fd:1", pattern: "f(", fixed: true } },
    { command: "read", args: { fd: "fd:1", start: undefined, since: 0 } },
    { command: "create", args: { path: "a b" } },
    { command: "to-file", args: { fd: "fd:1", file_path: "f", exist_ok: false } },
    { command: "answer", args: { inquiry_id: "inq:4" } },
  ];
  for (const call of calls) argumentsOf(call);
  assertEquals(write(calls.at(-1)!), 'answer_inquiry {"inquiry_id":"inq:4","answer":…}');
});

Deno.test("a call that no served tool accepts is not offered", () => {
  const calls: NextCall[] = [
    { command: "gc", args: {} },
    { command: "recover", args: {} },
    { command: "ls", args: {}, store: "/another" },
    { words: ["read", "fd:1"] },
  ];
  assertEquals(calls.map(write), calls.map(() => undefined));
  const served = toolCallWriter([{ name: "read_fd", command: "read" }]);
  assertEquals(served({ command: "undo", args: { tx: "tx:3" } }), undefined, "a tool that is not served");
});
