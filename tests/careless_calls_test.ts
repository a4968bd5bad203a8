// Promise: a careless call is done or led on in one call. The `next` of an error can be run as it is, at each interface.

import { assertEquals } from "@std/assert";
import { connect } from "./mcp_connection.ts";
import { readJson } from "./read_answer.ts";
import { store } from "./store_calls.ts";
import { filesBelow, makeWorld } from "./world.ts";

/** The content of a file, an edit that does not match as it is written, and the content that was meant. */
const MISTAKES: Readonly<Record<string, readonly [string, string, string, string]>> = {
  "spaces for tabs": ["if x:\n\treturn 1\n", "    return 1", "    return 2", "if x:\n\treturn 2\n"],
  "a space for NBSP": ["a\u00a0=\u00a01\n", "a = 1", "a = 2", "a = 2\n"],
  "a zero-width space left out": ["x\u200by = 1\n", "xy = 1", "z = 2", "z = 2\n"],
  "straight quotes": ["say “hi”\n", 'say "hi"', 'say "ho"', 'say "ho"\n'],
  "NFC for NFD": ["cafe\u0301 = 1\n", "café = 1", "tea = 1", "tea = 1\n"],
  "a line end at the end": ["a\nreturn bar", "return bar\n", "return baz\n", "a\nreturn baz"],
  "line numbers": ["f():\n    return 1\n", "2:    return 1", "2:    return 2", "f():\n    return 2\n"],
  "line numbers of cat": ["a\nb\nc\n", "     2\tb\n     3\tc", "     2\tx", "a\nx\n"],
  "escapes twice": ["a\nb\nc\n", "a\\nb", "a\\nx", "a\nx\nc\n"],
  "line ends": ["a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"],
  "mixed line ends": ["foo\r\nbar\nbaz\r\n", "foo\nbar\nbaz", "X", "X\r\n"],
  "another case": ["const Foo = 1;\n", "const foo = 1;", "const foo = 2;", "const foo = 2;\n"],
};

Deno.test("the next of an edit that was not found does what was meant, on the command line", async () => {
  using world = makeWorld();
  for (const [mistake, [before, old_string, new_string, after]] of Object.entries(MISTAKES)) {
    const call = { path: world.write("f", before), old_string, new_string };
    const refused = await world.run(["call", "edit_file", "--format", "json"], {
      stdin: JSON.stringify(call),
    });
    assertEquals(readJson(refused.text)["error"], "match_not_found", mistake);
    assertEquals(world.text("f"), before, mistake);
    const done = await world.shell(String(readJson(refused.text)["next"]));
    assertEquals([done.code, world.text("f")], [0, after], `${mistake}: ${done.stderr}`);
  }
});

Deno.test("the next of an edit that was not found does what was meant, over MCP and to jp", async () => {
  using world = makeWorld();
  await using connected = await connect(world);
  const jp = async (name: string, given: object) => {
    const words = [{ root: world.dir, action: "run" }, { name, arguments: given }];
    return JSON.parse((await world.run(["serve-jp", ...words.map((each) => JSON.stringify(each))])).text);
  };
  const doors: Readonly<
    Record<string, (name: string, given: Record<string, unknown>) => Promise<string | undefined>>
  > = {
    async mcp(name, given) {
      const { structuredContent } = await connected.client.callTool({ name, arguments: given });
      return (structuredContent as Record<string, string>)["next"];
    },
    jp: async (name, given) => (await jp(name, given)).trace?.[1],
  };
  for (const [mistake, [before, old_string, new_string, after]] of Object.entries(MISTAKES)) {
    for (const [door, ask] of Object.entries(doors)) {
      world.write("f", before);
      const next = await (door === "mcp"
        ? ask("edit_file", { path: "f", old_string, new_string })
        : ask("fs_modify_file", { path: "f", patterns: [{ old: old_string, new: new_string }] }));
      assertEquals(world.text("f"), before, mistake);
      const [, name, given] = /^(\w+) (\{.*\})$/.exec(next ?? "") ?? [];
      await ask(name ?? "", JSON.parse(given ?? "{}"));
      assertEquals(world.text("f"), after, `${mistake}, ${door}: ${next}`);
    }
  }
});

Deno.test("an edit that can't be corrected is led to the place", async () => {
  using world = makeWorld();
  world.write("f", "a\nb\nc\n");
  const edits = [{ old_string: "a\nb", new_string: "x" }, { old_string: "b", new_string: "y" }];
  const several = await world.run(["edit", "f", "--format", "json"], { stdin: JSON.stringify({ edits }) });
  const { message, next } = readJson(several.stderr);
  assertEquals(String(message).endsWith("edit 1 replaced it (line 2)"), true, String(message));
  assertEquals(next, "fdtool read f --mode line --start 1 --count 9");
  const line = `${"abc ".repeat(5000)}needle ${"abc ".repeat(5000)}`;
  world.write("long", line);
  const twice = await world.run(["edit", "long", "--old", "abc n", "--new", "x", "--format", "json"]);
  assertEquals(twice.code, 0, twice.stderr);
  const many = await world.run(["edit", "long", "--old", "abc abc", "--new", "x", "--format", "json"]);
  assertEquals(String(readJson(many.stderr)["message"]).includes("(line 1, columns 1, 5, 9, "), true);
  world.write("short", "xa ya\nza\n");
  const few = await world.run(["edit", "short", "--old", "a", "--new", "b", "--format", "json"]);
  // Of the one match in a line, no column is known.
  assertEquals(String(readJson(few.stderr)["message"]).includes("(line 1, columns 2, 5; line 2)"), true);
});

Deno.test("a path that is written as none is leads to the file that is meant, and makes no other", async () => {
  using world = makeWorld();
  world.write("mcp/a.txt", "one\n");
  world.write("mcp/sub/b.txt", "one\n");
  const names = () => filesBelow(world.path("mcp")).sort();
  const before = names();
  const a = [
    '"a.txt"',
    " a.txt",
    "a.txt\n",
    "@a.txt",
    `file://${world.path("mcp/a.txt")}`,
    "~/a.txt",
    "mcp/a.txt",
    "A.txt",
  ];
  const b = ["sub\\b.txt", "b.txt", "C:\\mcp\\sub\\b.txt", "./mcp/sub/b.txt"];
  for (const path of [...a, ...b]) {
    const meant = b.includes(path) ? "sub/b.txt" : "a.txt";
    const call = JSON.stringify({ path, old_string: "one", new_string: "two" });
    const refused = await world.run(["call", "edit_file", "--format", "json"], {
      stdin: call,
      cwd: world.path("mcp"),
    });
    const { error, next } = readJson(refused.text);
    assertEquals(["file_not_found", "invalid_parameter"].includes(String(error)), true, `${path}: ${error}`);
    const done = await world.shell(String(next), { cwd: world.path("mcp") });
    assertEquals([done.code, world.text(`mcp/${meant}`)], [0, "two\n"], `${path}: ${next} ${done.stderr}`);
    world.write(`mcp/${meant}`, "one\n");
  }
  for (const path of ['"new.txt"', "sub\\new.txt", "C:\tmp\new.txt", "~", "~/new.txt", "new\0.txt"]) {
    for (
      const [tool, given] of [["create_file", { path }], ["edit_file", {
        path,
        old_string: "",
        new_string: "x",
      }]]
    ) {
      const stdin = JSON.stringify(given);
      const refused = await world.run(["call", String(tool), "--format", "json"], {
        stdin,
        cwd: world.path("mcp"),
      });
      assertEquals(readJson(refused.text)["error"], "invalid_parameter", `${tool} ${path}`);
    }
  }
  assertEquals(names(), before);
  const literal = await world.run(["edit", "./sub\\new.txt", "--old", "", "--new", "x"], {
    cwd: world.path("mcp"),
  });
  assertEquals([literal.code, world.text("mcp/sub\\new.txt")], [0, "x"]);
});

Deno.test("the next call of a create takes the content from stdin or its fd", async () => {
  using world = makeWorld();
  const fd = await store(world, "two\n");
  for (const given of [{ content: "two\n", overwrite: true }, { content_fd: fd, overwrite: true }]) {
    world.write("a.txt", "one\n");
    const stdin = JSON.stringify({ path: "@a.txt", ...given });
    const { next } = readJson((await world.run(["call", "create_file", "--format", "json"], { stdin })).text);
    const done = await world.shell(String(next), { stdin: "two\n" });
    assertEquals([done.code, world.text("a.txt")], [0, "two\n"], `${next}: ${done.stderr}`);
  }
});

Deno.test("a path outside of the root is refused with the root and where relative paths start", async () => {
  using world = makeWorld();
  world.write("in/a.txt", "one\n");
  const root = Deno.realPathSync(world.path("in"));
  await using connected = await connect(world, { words: ["--root", "in"] });
  const given = { path: "/elsewhere/a.txt", old_string: "a", new_string: "b" };
  const { structuredContent } = await connected.client.callTool({ name: "edit_file", arguments: given });
  const { error, message, meant } = structuredContent as Record<string, string>;
  assertEquals([
    error,
    message!.includes(`outside the root ${root};`),
    message!.includes("relative paths start in"),
  ], [
    "outside_root",
    true,
    true,
  ]);
  assertEquals(meant, undefined);
  const inside = { path: "/elsewhere/in/a.txt", old_string: "a", new_string: "b" };
  const other = await connected.client.callTool({ name: "edit_file", arguments: inside });
  const refused = other.structuredContent as Record<string, string>;
  assertEquals([refused["error"], refused["meant"]], ["outside_root", "in/a.txt"]);
  assertEquals(refused["next"], 'read_fd {"fd":"in/a.txt"}');
});

Deno.test("spellings of other tools are read, with a note", async () => {
  using world = makeWorld();
  world.write("a.txt", "one\ntwo\n");
  await world.run(["capture", "--always"], { stdin: "x\ny\n" });
  const call = async (tool: string, given: object) => {
    const { text } = await world.run(["call", tool, "--format", "json"], { stdin: JSON.stringify(given) });
    return readJson(text);
  };
  const edited = await call("edit_file", { target_file: "a.txt", old_str: "two", new_str: "2" });
  assertEquals([edited["type"], String(edited["notes"]).includes("old_str was read as old_string")], [
    "write_result",
    true,
  ]);
  const acknowledgment = "I confirm this is the complete file content with no omissions or placeholders";
  const rewritten = await call("rewrite_file", {
    target_file: "a.txt",
    content: "1\n",
    expectedLineCount: 1,
    acknowledgment,
  });
  assertEquals(rewritten["type"], "write_result");
  assertEquals((await call("read_fd", { fd: "fd:1", create_fd: true }))["type"], "fd_extraction");
  assertEquals(
    (await call("fd_to_file", { fd: "fd:1", file_path: "a.txt", fail_if_exists: true }))["error"],
    "file_exists",
  );
  assertEquals(
    (await call("fd_to_file", { fd: "fd:1", file_path: "a.txt", fail_if_exists: false }))["type"],
    "fd_file_result",
  );
  assertEquals((await call("create_file", { path: "n.txt" }))["type"], "needs_input");
  assertEquals(
    (await call("answer_inquiry", { id: "inq:1", answer: { content: "z" } }))["type"],
    "write_result",
  );
});

Deno.test("a patch is named as such, with the call of edit_file that it means", async () => {
  using world = makeWorld();
  world.write("a.txt", "one\n");
  const codex = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch\n";
  const unified = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n";
  for (const [patch, form] of [[codex, "a patch in Codex's form"], [unified, "a unified diff"]] as const) {
    for (
      const given of [patch, { patch }, { path: "a.txt", old_string: patch, new_string: "" }, {
        path: "a.txt",
        diff: patch,
      }]
    ) {
      const stdin = typeof given === "string" ? given : JSON.stringify(given);
      const { text } = await world.run(["call", "edit_file", "--format", "json"], { stdin });
      const { error, message, next } = readJson(text);
      assertEquals(error, "invalid_parameter", text);
      assertEquals(String(message).includes(form) && String(message).includes("edits"), true, text);
      assertEquals(String(message).includes("got nothing"), false, text);
      assertEquals((await world.shell(String(next))).code, 0, String(next));
      assertEquals(world.text("a.txt"), "1\n");
      world.write("a.txt", "one\n");
    }
  }
});
