// Promise: a careless call is done or led on in one call. The `next` of an error can be run as it is, at each door.

import { assertEquals } from "@std/assert";
import { connect } from "./mcp_connection.ts";
import { readJson } from "./read_answer.ts";
import { makeWorld } from "./world.ts";

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
});
