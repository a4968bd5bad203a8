/**
 * edit (section 6): exact, unique, all or none, everything outside the match untouched, and questions where an edit
 * changes more than half of a file (section 7).
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { joined } from "./contents.ts";
import { assertFailure, encode, jsonOf, readJson } from "./read_answer.ts";
import { assertBytes, handleIn, store, wholeOf } from "./store_calls.ts";
import { makeWorld, type World } from "./world.ts";

function edit(world: World, path: string, request: unknown, ...args: readonly string[]) {
  const stdin = typeof request === "string" ? request : JSON.stringify(request);
  return world.run(["edit", path, "--format", "json", ...args], { stdin });
}

Deno.test("edit: one match is replaced literally, the rest stays byte for byte", async () => {
  using world = makeWorld();
  const before = Uint8Array.of(0xef, 0xbb, 0xbf, 0xff, 0, 0x0d, 0x0a);
  const after = Uint8Array.of(0x0d, 0x0a, 0xc3, 0x28, 0xed, 0xa0, 0x80);
  world.write("f", joined([before, encode("old"), after]));
  const answer = jsonOf(await edit(world, "f", { old_string: "old", new_string: "$& $1 \\n é" }));
  assertBytes(world.bytes("f"), joined([before, encode("$& $1 \\n é"), after]));
  assertBytes(await wholeOf(world, handleIn(answer, "backup_fd")), joined([before, encode("old"), after]));
});

Deno.test("edit: none and several matches are typed, with lines and what differs", async () => {
  using world = makeWorld();
  world.write("f", "x = 1\n\ty = 2\nx = 1\n");
  const several = await edit(world, "f", { old_string: "x = 1", new_string: "z" });
  const { message } = assertFailure(several, "match_not_unique");
  assertStringIncludes(message, "2 times in f (lines 1, 3)");
  const spaces = await edit(world, "f", { old_string: "    y = 2", new_string: "z" });
  assertStringIncludes(
    assertFailure(spaces, "match_not_found").message,
    "line 2 (y = 2) differs in white space",
  );
  assertEquals(readJson(spaces.stderr)["nearest"], [{ line: 2, text: "\ty = 2", differs: ["white space"] }]);
  const letters = await edit(world, "f", { old_string: "Y = 2", new_string: "z" });
  assertStringIncludes(assertFailure(letters, "match_not_found").message, "differs in case");
  assertEquals(world.text("f"), "x = 1\n\ty = 2\nx = 1\n");
  jsonOf(await edit(world, "f", { old_string: "x = 1", new_string: "z", replace_all: true }));
  assertEquals(world.text("f"), "z\n\ty = 2\nz\n");
});

Deno.test("edit: bytes other than UTF-8 are not reported as a difference in white space", async () => {
  using world = makeWorld();
  world.write("f", Uint8Array.of(0x61, 0xff, 0x62, 0x0a));
  const missed = await edit(world, "f", { old_string: "a\ufffdb", new_string: "z" });
  assertStringIncludes(assertFailure(missed, "match_not_found").message, "differs in ill-formed bytes");
});

Deno.test("edit: other line ends are named, and --eol makes the text match", async () => {
  using world = makeWorld();
  world.write("f", "a\r\nb\r\nc\r\n");
  const missed = await edit(world, "f", { old_string: "a\nb", new_string: "A\nB" });
  assertStringIncludes(assertFailure(missed, "match_not_found").message, "differs in line ends");
  jsonOf(await edit(world, "f", { old_string: "a\nb", new_string: "A\nB" }, "--eol", "crlf"));
  assertEquals(world.text("f"), "A\r\nB\r\nc\r\n");
});

Deno.test("edit: several edits are applied in order, all or none", async () => {
  using world = makeWorld();
  world.write("f", "a b c\n");
  jsonOf(
    await edit(world, "f", {
      edits: [{ old_string: "a", new_string: "b2" }, { old_string: "b2 b", new_string: "x" }],
    }),
  );
  assertEquals(world.text("f"), "x c\n");
  const failed = await edit(world, "f", {
    edits: [{ old_string: "x", new_string: "y" }, { old_string: "nowhere", new_string: "z" }],
  });
  assertStringIncludes(assertFailure(failed, "match_not_found").message, "Edit 2: old_string");
  assertEquals(world.text("f"), "x c\n");
});

Deno.test("edit: an empty old_string sets the content, and creates the file", async () => {
  using world = makeWorld();
  const created = jsonOf(await edit(world, "new/f", { old_string: "", new_string: "hello\n" }));
  assertEquals([created["created"], world.text("new/f")], [true, "hello\n"]);
  world.write("g", "line\n".repeat(50));
  jsonOf(await edit(world, "g", { old_string: "", new_string: "short\n" }, "--yes"));
  assertEquals(world.text("g"), "short\n");
  assertFailure(await edit(world, "absent", { old_string: "a", new_string: "b" }), "file_not_found");
});

Deno.test("edit: text as options, in files, by handle", async () => {
  using world = makeWorld();
  world.write("f", "one\ntwo\nthree\n");
  const fd = await store(world, "TWO\nand more\n");
  world.write("old", "two\n");
  jsonOf(await world.run(["edit", "f", "--old-file", "old", "--new-from", fd, "--format", "json"]));
  assertEquals(world.text("f"), "one\nTWO\nand more\nthree\n");
  jsonOf(await world.run(["edit", "f", "--old", "one", "--new", "1", "--format", "json"]));
  jsonOf(await world.run(["edit_file", "f", "--old_string=three", "--new_string=3", "--format=json"]));
  assertEquals(world.text("f"), "1\nTWO\nand more\n3\n");
});

Deno.test("edit: truncated JSON is reported as truncated, invalid JSON as invalid, and nothing is written", async () => {
  using world = makeWorld();
  world.write("f", "a\n");
  const whole = JSON.stringify({ old_string: "a", new_string: "b".repeat(50) });
  for (const length of [1, 10, 20, 40, whole.length - 1]) {
    const { message } = assertFailure(await edit(world, "f", whole.slice(0, length)), "truncated_payload");
    assertStringIncludes(message, `${length} characters`);
    assertStringIncludes(message, "Nothing was written");
  }
  for (const wrong of ["{old: 1}", "{}", "[]", '{"old_string": 1, "new_string": []}', '{"old_string":"a"}']) {
    assertFailure(await edit(world, "f", wrong), "invalid_parameter", [1, 2]);
  }
  assertEquals(world.text("f"), "a\n");
});

Deno.test("edit: keys of the JSON beside the edits are obeyed or refused", async () => {
  using world = makeWorld();
  const one = { old_string: "b", new_string: "q" };
  const edited = async (request: unknown, ...args: string[]) => {
    world.write("f", "a\nb\nb\n");
    const finished = await edit(world, "f", request, ...args);
    return [finished, world.text("f")] as const;
  };
  const [dry, afterDry] = await edited({ ...one, replace_all: true, dry_run: true });
  assertEquals([dry.code, afterDry], [0, "a\nb\nb\n"]);
  const [crlf, afterCrlf] = await edited({ old_string: "a", new_string: "x\ny", eol: "crlf", path: "f" });
  assertEquals([crlf.code, afterCrlf], [0, "x\r\ny\nb\nb\n"]);
  for (const request of [one, { edits: [one] }, [one]]) {
    assertEquals((await edited(request, "--replace-all"))[1], "a\nq\nq\n");
  }
  const refused: [unknown, string[], string[]][] = [
    [{ ...one, edits: [{ old_string: "a" }] }, [], ["old_string", "new_string", "edits[0].new_string"]],
    [{ ...one, path: "other", bogus: 1 }, [], ["bogus", "path"]],
    [{ ...one, replace_all: false, eol: "lf" }, ["--replace-all", "--eol", "crlf"], ["eol", "replace_all"]],
    [{ edits: [one, { ...one, replace_all: false }] }, ["--replace-all"], ["edits[1].replace_all"]],
    [{ ...one, dry_run: false }, ["--dry-run"], ["dry_run"]],
    [{ old_string: 1, new_fd: "fd:1", new_string: "x" }, [], ["old_string", "new_fd"]],
    [5, [], ["stdin"]],
    ['"str"', [], ["stdin"]],
    ["null", [], ["stdin"]],
  ];
  for (const [request, args, fields] of refused) {
    const [finished, after] = await edited(request, ...args);
    assertFailure(finished, "invalid_parameter", [2]);
    const { faults } = readJson(finished.stderr) as { faults: { field: string }[] };
    assertEquals([faults.map(({ field }) => field), after], [fields, "a\nb\nb\n"]);
  }
  assertStringIncludes((await edit(world, "f", 5)).stderr, "stdin: got 5, expected");
  const { message } = assertFailure(await edit(world, "f", '"str"'), "invalid_parameter", [2]);
  assertStringIncludes(message, 'stdin: got "str", expected {old_string, new_string}');
});

Deno.test("edit: JSON may spell the path of the file in another way", async () => {
  using world = makeWorld();
  const one = { old_string: "a", new_string: "b" };
  for (const said of ["f", "./f", "dir/../f", `${world.dir}/f`]) {
    for (const name of ["path", "filePath", "file_path", "file"]) {
      world.write("f", "a\n");
      const { code, stderr } = await edit(world, "f", { ...one, [name]: said });
      assertEquals([code, stderr, world.text("f")], [0, "", "b\n"], `${name}: ${said}`);
    }
  }
  world.write("f", "a\n");
  for (const said of ["g", "", 5, null, `${world.dir}/f/f`]) {
    for (const name of ["path", "filePath"]) {
      const refused = await edit(world, "f", { ...one, [name]: said });
      assertFailure(refused, "invalid_parameter", [2]);
      const { faults } = readJson(refused.stderr) as { faults: { field: string }[] };
      assertEquals([faults.map(({ field }) => field), world.text("f")], [["path"], "a\n"]);
    }
  }
  const { stderr } = await edit(world, "f", { ...one, path: "f", filePath: "g" });
  assertStringIncludes(stderr, "which mean the same");
});

Deno.test("edit: a change of more than half of ten lines or more asks, --yes and answers settle it", async () => {
  using world = makeWorld();
  const ten = "x\n".repeat(6) + "y\n".repeat(4);
  const request = { old_string: "x", new_string: "z", replace_all: true };
  world.write("f", ten);
  const asked = await edit(world, "f", request);
  assertEquals([asked.code, asked.stderr, world.text("f")], [3, "", ten]);
  const question = readJson(asked.text);
  const id = String(question["inquiry_id"]);
  assertEquals((question["question"] as Record<string, unknown>)["answer_type"], "Boolean");
  assert(!asked.text.includes('"target"'), "any model can answer it");
  assertFailure(await world.run(["answer", id, "--format", "json"], { stdin: '"maybe"' }), "invalid_answer");
  const no = jsonOf(await world.run(["answer", id, "--format", "json"], { stdin: "false" }));
  assertEquals([no["tx"], world.text("f")], [undefined, ten]);
  const again = readJson((await edit(world, "f", request)).text);
  jsonOf(await world.run(["answer", String(again["inquiry_id"]), "--format", "json"], { stdin: "true" }));
  assertEquals(world.text("f"), "z\n".repeat(6) + "y\n".repeat(4));

  world.write("f", ten);
  jsonOf(await edit(world, "f", request, "--yes"));
  world.write("f", ten);
  jsonOf(await edit(world, "f", request, "--answers", '{"large_change": true}'));
  world.write("f", "x\n".repeat(9));
  jsonOf(await edit(world, "f", request));
  world.write("f", "x\n".repeat(5) + "y\n".repeat(5));
  jsonOf(await edit(world, "f", request));
});

Deno.test("edit: a question about a file that changed since is asked again", async () => {
  using world = makeWorld();
  world.write("f", "x\n".repeat(12));
  const request = { old_string: "x", new_string: "z", replace_all: true };
  const first = readJson((await edit(world, "f", request)).text);
  world.write("f", "x\n".repeat(13));
  const repeated = await world.run(["answer", String(first["inquiry_id"]), "--format", "json"], {
    stdin: "true",
  });
  assertEquals(repeated.code, 3);
  const second = readJson(repeated.text);
  assertStringIncludes(String((second["question"] as Record<string, unknown>)["text"]), "13 of 13 lines");
  assertEquals(world.text("f"), "x\n".repeat(13));
  jsonOf(await world.run(["answer", String(second["inquiry_id"]), "--format", "json"], { stdin: "true" }));
  assertEquals(world.text("f"), "z\n".repeat(13));
});

Deno.test("edit: an answer is not accepted for a file that changed since, even if the edit is now small", async () => {
  using world = makeWorld();
  world.write("f", "x\n".repeat(12));
  const request = { old_string: "x", new_string: "z", replace_all: true };
  const first = readJson((await edit(world, "f", request)).text);
  const changed = "x\n" + "y\n".repeat(12);
  world.write("f", changed);
  const answered = (id: unknown) => world.run(["answer", String(id), "--format", "json"], { stdin: "true" });
  const repeated = await answered(first["inquiry_id"]);
  assertEquals([repeated.code, world.text("f")], [3, changed]);
  const second = readJson(repeated.text);
  const { text, pre_amble } = second["question"] as Record<string, unknown>;
  assertStringIncludes(String(text), "1 of 13 lines");
  assertStringIncludes(String(pre_amble), "The file changed since inq:1 was asked.");
  jsonOf(await answered(second["inquiry_id"]));
  assertEquals(world.text("f"), "z\n" + "y\n".repeat(12));
});

Deno.test("one byte is reported as 1 byte", async () => {
  using world = makeWorld();
  world.write("f", "a");
  const edited = jsonOf(await edit(world, "f", { old_string: "a", new_string: "b" }));
  assertStringIncludes(String(edited["message"]), "(1 byte)");
  const undone = jsonOf(await world.run(["undo", "--format", "json"]));
  assertStringIncludes(String(undone["message"]), "(1 byte)");
  const { question } = readJson((await world.run(["create", "f", "--format", "json"])).text);
  assertStringIncludes(String((question as Record<string, unknown>)["text"]), "(1 byte)");
});

Deno.test("edit: read-only files and directories", async () => {
  using world = makeWorld();
  world.write("d/f", "a\n");
  Deno.chmodSync(world.path("d/f"), 0o444);
  // The directory can be written, so the file can be replaced; it stays read-only.
  jsonOf(await edit(world, "d/f", { old_string: "a", new_string: "b" }));
  assertEquals([world.text("d/f"), (Deno.statSync(world.path("d/f")).mode ?? 0) & 0o777], ["b\n", 0o444]);
  if (Deno.uid() === 0) return;
  Deno.chmodSync(world.path("d"), 0o555);
  assertFailure(await edit(world, "d/f", { old_string: "b", new_string: "c" }), "permission_error");
  assertEquals(world.text("d/f"), "b\n");
  Deno.chmodSync(world.path("d"), 0o755);
});

Deno.test("edit, to-file, plans and tools refuse to overwrite an fd's content", async () => {
  using world = makeWorld();
  const content = "first line\nsecond line\n";
  await store(world, content);
  const path = (await world.run(["path", "fd:1"])).text.trim();
  Deno.symlinkSync(path, world.path("link"));
  Deno.symlinkSync(world.store, world.path("way"));
  const plan = { intent: "x", target_file: path, operations: [{ type: "append", content_block: "x\n" }] };
  const call = { path, old_string: "second", new_string: "2" };
  const calls: [string[], string?][] = [
    [["edit", path, "--old", "second", "--new", "2"]],
    [["edit", "link", "--old", "second", "--new", "2"]],
    [["edit", "way/v2/fds/0000/1.dat", "--old", "second", "--new", "2"]],
    [["to-file", "fd:1", path]],
    [["to-file", "fd:1", `${world.store}/v2/fds/0000/9.dat`]],
    [["to-file", "fd:1", `${world.store}/v2/next`]],
    [["create", path]],
    [["call", "edit_file"], JSON.stringify(call)],
    [["fork", "--", "fdtool", "edit", path, "--old", "second", "--new", "2", "--format", "json"]],
  ];
  for (const [args, stdin] of calls) {
    const refused = args[0] === "fork"
      ? await world.run(args)
      : await world.run([args[0]!, "--format", "json", ...args.slice(1)], { stdin });
    assertEquals(refused.code, 1, args.join(" "));
    const failure = readJson(args[0] === "call" ? refused.text : refused.stderr);
    assertEquals([failure["type"], failure["error"]], ["fd_error", "permission_error"], args.join(" "));
    if (args[1]?.endsWith("1.dat")) {
      assertEquals(failure["next"], "fdtool to-file fd:1 fd-1.txt --no-exist-ok");
    }
  }
  const planned = await world.run(["plan", "check", "--format", "json"], { stdin: JSON.stringify(plan) });
  assertStringIncludes(JSON.stringify(readJson(planned.stderr)["problems"]), "permission_error");
  assertBytes(await wholeOf(world, "fd:1"), encode(content));
  assertEquals((await world.run(["verify"])).code, 0);
  // What lies beside the store's data is the user's own.
  world.write("beside", "x\n");
  jsonOf(await world.run(["edit", "beside", "--old", "x", "--new", "y", "--format", "json", "--store", "."]));
});
