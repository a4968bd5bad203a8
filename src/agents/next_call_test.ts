// Promise: the next step that a tool's answer offers is a call that a tool takes, and leads where the command line does.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as v from "valibot";
import { nextCommand } from "../next_command.ts";
import { nextCall } from "./next_call.ts";
import { findTool, TOOLS } from "./tool_table.ts";

const NAMES = new Set(TOOLS.map((tool) => tool.name));

/** The arguments of a call, checked by its tool's own schema. */
function argumentsOf(call: string | undefined): unknown {
  assert(call !== undefined);
  const [, name = "", given = ""] = /^(\S+) (.*)$/.exec(call.replace(":…}", ":true}")) ?? [];
  return v.parse(findTool(name)!.request, JSON.parse(given));
}

Deno.test("every way of reading on is the call of the same slice", () => {
  const slice = fc.record({
    mode: fc.constantFrom("page" as const, "line" as const, "char" as const),
    start: fc.integer({ min: 1, max: 2 ** 40 }),
    count: fc.integer({ min: 1, max: 2 ** 40 }),
  });
  fc.assert(fc.property(slice, fc.option(fc.constantFrom("/a store", "s")), (asked, storeOption) => {
    const words = ["--mode", asked.mode, "--start", String(asked.start), "--count", String(asked.count)];
    const line = nextCommand(["read", "fd:7", ...words, "--number"], storeOption ?? undefined);
    const given = argumentsOf(nextCall(line, NAMES));
    assertEquals(given, { ...asked, fd: "fd:7", number: true });
  }));
});

Deno.test("other steps are calls where a tool does them, and none where no tool does", () => {
  const call = (line: string) => nextCall(line, NAMES);
  assertEquals(call("fdtool undo tx:3"), 'undo_write {"tx":"tx:3"}');
  assertEquals(argumentsOf(call("fdtool undo tx:3")), { tx: "tx:3" });
  assertEquals(call("fdtool ls"), "list_fds {}");
  assertEquals(call("fdtool refs --store '/my store'"), "list_refs {}");
  assertEquals(call("fdtool read ref:x"), 'read_fd {"fd":"ref:x"}');
  assertEquals(call("fdtool answer inq:4"), 'answer_inquiry {"inquiry_id":"inq:4","answer":…}');
  argumentsOf(call("fdtool answer inq:4"));
  const none = ["fdtool gc", "fdtool recover", "fdtool read fd:1 --what 2", "fdtool read", "make", ""];
  assertEquals(none.map(call), none.map(() => undefined));
  assertEquals(nextCall("fdtool undo tx:3", new Set(["read_fd"])), undefined, "a tool that is not served");
});
