// Promise: `call` takes JSON as models write it, tells every fault at once as an answer on stdout, and never runs on a part.

import { deepStrictEqual, ok } from "node:assert/strict";
import { makeWorld } from "./world.ts";

const stored = async (world: ReturnType<typeof makeWorld>) => {
  await world.run(["capture", "--always"], { stdin: "one\ntwo\nthree\n" });
};

Deno.test("a sloppy call is answered, and the answer says how it was read", async () => {
  using world = makeWorld();
  await stored(world);
  const stdin = '```json\r\n{"fd": 1, "mode": "lines", "start": "2", "readAll": "no",}\r\n```';
  const { code, text, stderr } = await world.run(["call", "readFd", "--format", "json"], { stdin });
  const { content, notes } = JSON.parse(text);
  deepStrictEqual({ code, stderr, content }, { code: 0, stderr: "", content: "two\n" });
  for (
    const said of ["code fence", "trailing commas", "fd: 1", 'start: "2"', "readAll was read as read_all"]
  ) {
    ok(notes.includes(said), `${said} in: ${notes}`);
  }
  const whole = { name: "read_fd", arguments: '{"fd":"fd:1"}' };
  const wrapped = await world.run(["call", "read_fd", "--format", "json"], { stdin: JSON.stringify(whole) });
  deepStrictEqual(JSON.parse(wrapped.text).content, "one\ntwo\nthree\n");
});

Deno.test("all faults are reported at once, each with its field, the value and what was expected", async () => {
  using world = makeWorld();
  const stdin = '{"fd":["fd:1","fd:2"],"strat":3,"count":"many","mode":"byte"}';
  const { code, text, stderr } = await world.run(["call", "read_fd", "--format", "json"], { stdin });
  const { type, error, faults } = JSON.parse(text);
  deepStrictEqual({ code, stderr, type, error }, {
    code: 2,
    stderr: "",
    type: "fd_error",
    error: "invalid_parameter",
  });
  deepStrictEqual(faults, [
    { field: "strat", got: "3", wanted: "a known parameter", nearest: "start" },
    { field: "fd", got: '["fd:1","fd:2"]', wanted: "a string" },
    { field: "mode", got: '"byte"', wanted: 'one of "page", "line", "char"' },
    { field: "count", got: '"many"', wanted: "a whole number" },
  ]);
});

Deno.test("an unknown parameter is not suggested as its opposite", async () => {
  using world = makeWorld();
  for (const name of ["noexist_ok", "no_create", "no_dry_run", "foo"]) {
    const stdin = JSON.stringify({ fd: "fd:1", path: "f", [name]: true });
    const { text } = await world.run(["call", "fd_to_file", "--format", "json"], { stdin });
    ok(text.includes(`${name}: unknown parameter; known: `), text);
  }
});

Deno.test("faults beyond the schema are reported with the others", async () => {
  using world = makeWorld();
  const cases: [string, unknown, string[]][] = [
    ["rewrite_file", {}, ["filePath", "content", "acknowledgement", "expectedLineCount"]],
    ["rewrite_file", { filePath: "a.txt" }, ["content", "acknowledgement", "expectedLineCount"]],
    ["rewrite_file", { filePath: "a.txt", content: "x", lines: "1-2", acknowledgement: "y" }, [
      "lines",
      "expectedLineCount",
    ]],
    ["edit_file", { path: "e", edits: [{ old_string: 1 }, { new_string: "q" }] }, [
      "edits[0].old_string",
      "edits[0].new_string",
      "edits[1].old_string",
    ]],
    ["edit_file", {}, ["path", "old_string", "new_string"]],
    ["edit_file", { path: "e", edits: [{ old_string: "a", new_string: "b" }], new_string: "c" }, [
      "new_string",
    ]],
    ["read_fd", { fd: "fd:1", tail: 2, start: 3 }, ["start"]],
    ["read_fd", { fd: "fd:1", tail: 2, read_all: true }, ["read_all"]],
  ];
  for (const [tool, given, fields] of cases) {
    const { code, text } = await world.run(["call", tool, "--format", "json"], {
      stdin: JSON.stringify(given),
    });
    const { error, faults } = JSON.parse(text);
    deepStrictEqual([code, error], [2, "invalid_parameter"]);
    deepStrictEqual(faults.map(({ field }: { field: string }) => field), fields, JSON.stringify(given));
  }
  // The checks alone are failures of their own: only with the content there is a line count to tell.
  world.write("a.txt", "x\n");
  const stdin = JSON.stringify({ filePath: "a.txt", content: "x\n" });
  const { code, text } = await world.run(["call", "rewrite_file", "--format", "json"], { stdin });
  const { faults } = JSON.parse(text);
  deepStrictEqual([code, faults.map(({ error }: { error: string }) => error)], [1, [
    "line_count_mismatch",
    "invalid_acknowledgement",
  ]]);
});

Deno.test("a truncated call says how much arrived, and runs nothing", async () => {
  using world = makeWorld();
  await stored(world);
  const stdin = '{"fd":"fd:1","extract_to_new_fd":true,"name":"é';
  const { code, text } = await world.run(["call", "read_fd", "--format", "json"], { stdin });
  const { error, received_chars } = JSON.parse(text);
  deepStrictEqual({ code, error, received_chars }, {
    code: 1,
    error: "truncated_payload",
    received_chars: 47,
  });
  const { fds } = JSON.parse((await world.run(["ls", "--format", "json"])).text);
  deepStrictEqual(fds.length, 1);
});

Deno.test("anything other than a call is refused", async (t) => {
  using world = makeWorld();
  await stored(world);
  const hostile: [string, string | Uint8Array][] = [
    ["two objects", '{"fd":"fd:1"}{"fd":"fd:2"}'],
    ["a key twice", '{"fd":"fd:1","fd":"fd:2"}'],
    ["a list", '["fd:1","fd:2"]'],
    ["a number", "12"],
    ["null", "null"],
    ["another tool's call", '{"name":"list_fds","arguments":{"fd":"fd:1"}}'],
    ["bytes that are no text", Uint8Array.of(0x7b, 0xff, 0x7d)],
    ["nesting without end", "[".repeat(300_000)],
    ["nesting with an end", '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000)],
    ["a prototype", '{"__proto__":{"fd":"fd:1"}}'],
  ];
  for (const [name, stdin] of hostile) {
    await t.step(name, async () => {
      const { code, text, stderr } = await world.run(["call", "read_fd", "--format", "json"], { stdin });
      const { type, error } = JSON.parse(text);
      ok(code === 1 || code === 2, `exit ${code}`);
      deepStrictEqual([type, stderr], ["fd_error", ""]);
      ok(["invalid_parameter", "truncated_payload"].includes(error), text);
    });
  }
});

Deno.test("an unknown tool is reported with the nearest known one", async () => {
  using world = makeWorld();
  const { code, text } = await world.run(["call", "raed_fd"], { stdin: "{}" });
  deepStrictEqual(code, 2);
  ok(text.includes("did you mean read_fd?"), text);
});
