/** Steps of the journal and their errors: none for nothing, reasons of the system, and the call that leads on (contract, Writing files). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertFailure, jsonOf, readJson } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { makeWorld, quoteForShell, type World } from "./world.ts";

const JSON_FORMAT = ["--format", "json"] as const;

async function call(world: World, tool: string, request: object) {
  const finished = await world.run(["call", tool, ...JSON_FORMAT], { stdin: JSON.stringify(request) });
  return readJson(finished.text);
}

async function stepCount(world: World): Promise<unknown> {
  return jsonOf(await world.run(["log", ...JSON_FORMAT]))["total"];
}

Deno.test("a write that changes nothing makes no step", async () => {
  using world = makeWorld();
  world.write("f", "a\nb\n");
  const before = Deno.statSync(world.path("f"));
  const acknowledgement = "I confirm this is the complete file content with no omissions or placeholders";
  const writes: [string, object][] = [
    ["edit_file", { path: "f", old_string: "a", new_string: "a" }],
    ["edit_file", {
      path: "f",
      edits: [{ old_string: "a", new_string: "c" }, { old_string: "c", new_string: "a" }],
    }],
    ["edit_file", { path: "f", old_string: "", new_string: "a\nb\n" }],
    ["rewrite_file", { filePath: "f", content: "a\nb\n", expectedLineCount: 2, acknowledgement }],
    ["write_plan", { target_file: "f", operations: [{ type: "replace", find: "a", content_block: "a" }] }],
  ];
  for (const [tool, request] of writes) {
    const { type, message, tx, next } = await call(world, tool, request);
    assertEquals([type, tx, next], ["write_result", undefined, undefined], tool);
    assertStringIncludes(String(message), "Nothing was written");
  }
  assertEquals(await stepCount(world), 0);
  assertEquals([Deno.statSync(world.path("f")).ino, Deno.statSync(world.path("f")).mtime], [
    before.ino,
    before.mtime,
  ]);
});

Deno.test("undoing a step that is undone says so and makes no step", async () => {
  using world = makeWorld();
  world.write("f", "a\n");
  const tx = String((await call(world, "edit_file", { path: "f", old_string: "a", new_string: "b" }))["tx"]);
  const made = String(
    (await call(world, "edit_file", { path: "new", old_string: "", new_string: "b\n" }))["tx"],
  );
  const plan = {
    plans: ["f", "other"].map((target_file) => ({
      target_file,
      operations: [{ type: "append", content_block: "x\n" }],
    })),
    yes: true,
  };
  const both = String((await call(world, "write_plan", plan))["tx"]);
  for (const step of [both, made, tx]) {
    const undo = await call(world, "undo_write", { tx: step });
    assertEquals(undo["type"], "write_result");
    const count = await stepCount(world);
    for (const force of [false, true]) {
      const again = await call(world, "undo_write", { tx: step, force });
      assertEquals([again["type"], again["tx"]], ["write_result", undefined], JSON.stringify(again));
      assertStringIncludes(String(again["message"]), `as before ${step} (${undo["tx"]} undid it)`);
    }
    assertEquals(await stepCount(world), count);
  }
  assertEquals(world.text("f"), "a\n");
  // Undoing the undo does it again, and then it can be undone again.
  jsonOf(await world.run(["undo", "tx:6", ...JSON_FORMAT]));
  assertEquals(world.text("f"), "b\n");
  jsonOf(await world.run(["undo", tx, ...JSON_FORMAT]));
  assertEquals(world.text("f"), "a\n");
});

Deno.test("undo says of a path without steps that it has none, and a stale file offers force", async () => {
  using world = makeWorld();
  world.write("f", "a\n");
  await call(world, "edit_file", { path: "f", old_string: "a", new_string: "b" });
  const none = await call(world, "undo_write", { path: "nothere.txt" });
  assertEquals(none["error"], "not_found");
  assertStringIncludes(String(none["message"]), "no write to nothere.txt");
  world.write("f", "c\n");
  const stale = await world.run(["undo", "tx:1", ...JSON_FORMAT]);
  const { next } = assertFailure(stale, "stale_file");
  assertEquals(next, "fdtool undo tx:1 --force");
  assertEquals((await world.shell(next!)).code, 0);
  assertEquals(world.text("f"), "a\n");
});

Deno.test("a read-only file is replaced with a note at every interface", async () => {
  using world = makeWorld();
  const fd = await store(world, "z\n");
  const writes: [string, object][] = [
    ["edit_file", { path: "f", old_string: "a", new_string: "b" }],
    ["write_plan", { target_file: "f", operations: [{ type: "append", content_block: "x\n" }] }],
    ["fd_to_file", { fd, file_path: "f" }],
  ];
  for (const [tool, request] of writes) {
    const path = world.write("f", "a\nb\nc\n");
    Deno.chmodSync(path, 0o444);
    const { message } = await call(world, tool, request);
    assertStringIncludes(String(message), "f is read-only (mode 444)", tool);
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o777, 0o444);
    Deno.removeSync(path);
  }
});

const canMount = Deno.uid() === 0 &&
  new Deno.Command("unshare", { args: ["-m", "true"], stderr: "null" }).outputSync().success;

Deno.test({
  name: "a file that is a mount point is refused with the reason, and nothing is left open",
  ignore: !canMount,
  async fn() {
    using world = makeWorld();
    world.write("real", "a\n");
    world.write("conf", "");
    const script = `mount --bind real conf || exit 99
      fdtool edit conf --old a --new b --format json; code=$?
      cat conf >after; ls -A >names; exit $code`;
    const finished = await world.shell(`exec unshare -m /bin/sh -c ${quoteForShell(script)}`);
    const { message, next } = assertFailure(finished, "write_error");
    assertStringIncludes(message, "mount point");
    assertEquals([next, world.text("after"), world.text("real")], [undefined, "a\n", "a\n"]);
    assertEquals(world.text("names").split("\n").filter((name) => name.includes("tmp")), []);
    const recovered = await world.run(["recover"]);
    assertStringIncludes(recovered.text, "Nothing");
  },
});

Deno.test("a plan check reports every fault of every operation, and what was meant", async () => {
  using world = makeWorld();
  world.write("f", "a\n");
  const plan = {
    target_file: "f",
    operation: 1,
    operations: [
      { type: "insert", content: "z", marker: "node" },
      { type: "replace", find: "nowhere", content_block: "x", note: 1 },
      { type: "append", content_block: 5 },
      { type: "insert", location_marker: "missing", content_block: "x\n", positon: "after" },
    ],
  };
  const { problems } = await call(world, "write_plan", { ...plan, check_only: true });
  const found = (problems as { at: string; message: string }[]).map(({ at, message }) => `${at}: ${message}`);
  const wanted = [
    "operation: unknown field; did you mean operations?",
    "operations[0].content: unknown field; did you mean content_block?",
    "operations[0].marker: unknown field; did you mean location_marker?",
    "operations[0].content_block: expected exactly one",
    "operations[0].location_marker: required",
    "operations[1].note: unknown field",
    "operations[1].find: ",
    "operations[2].content_block: got 5",
    "operations[3].positon: unknown field; did you mean position?",
    "operations[3].location_marker: ",
  ];
  for (const start of wanted) {
    assert(found.some((line) => line.startsWith(start)), `${start} in ${found.join("\n")}`);
  }
  assertEquals(found.length, wanted.length, found.join("\n"));
  const append = { type: "append", content_block: "x\n", location_marker: "end" };
  const done = await call(world, "write_plan", { target_file: "f", operations: [append] });
  assertStringIncludes(String(done["message"]), "location_marker was not used");
});

Deno.test("faults of JSON are in words, with the place and what was expected", async () => {
  using world = makeWorld();
  for (
    const [text, words] of [
      ['{"path": "C:\\Users\\me"}', "line 1, column 13: \\U is not an escape; a backslash is written \\\\"],
      ['{"path": "C:\\\\a\\x"}', "column 16: \\x is not an escape"],
      ["{'path': 'a'}", "column 2: 'path' needs double quotes"],
      ['{"path": True}', "column 10: True is not JSON; write true"],
      ['{"path" "a"}', "column 9: a colon is missing before"],
      ['{"path": "a" "b": 1}', "column 14: a comma is missing before"],
      ['{"path": }', "column 10: a value is missing before }"],
      ['{"path": "\\u12x4"}', "four hex digits"],
    ] as const
  ) {
    const finished = await world.run(["call", "create_file", ...JSON_FORMAT], { stdin: text });
    const { error, message } = readJson(finished.text);
    assertEquals(error, "invalid_parameter", text);
    assertStringIncludes(String(message), words, text);
    assert(!/Invalid[A-Z]|Expected\b/.test(String(message)), String(message));
  }
});
