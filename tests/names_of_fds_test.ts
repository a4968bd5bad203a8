// Promise: what one says, one finds: a name is found with and without `ref:`, the place that a search prints can be read,
// and where an fd or a file may be given, which of the two is meant is clear (contract, The store and Commands).

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { jsonOf } from "./read_answer.ts";
import { makeWorld } from "./world.ts";

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join("");

async function namedWorld() {
  const world = makeWorld();
  await world.run(["capture", "--always", "--name", "big"], { stdin: LINES });
  return world;
}

Deno.test("a name without ref: is found wherever an fd is expected, also if a file has that name", async () => {
  using world = await namedWorld();
  world.write("big", "a file\n");
  world.write("line", "a file with the name of a pattern\n");
  for (
    const words of [["search", "big", "line"], ["read", "big", "--head", "1"], ["stat", "big"], [
      "to-file",
      "big",
      "out.txt",
    ]]
  ) assertEquals((await world.run(words)).code, 0, words.join(" "));
  assertEquals(
    jsonOf(
      await world.run(["call", "read_fd", "--format", "json"], { stdin: '{"fd":"big","tail":1}' }),
    )["fd"],
    "fd:1",
  );
  assertEquals((await world.run(["rm", "big", "1", "ref:big"])).code, 0);
});

Deno.test("where an fd or a file may be given, a number is an fd, and a name is one if no file has it", async () => {
  using world = await namedWorld();
  const count = async (word: string) => (await world.run(["count", word, "--format", "raw"])).text.trim();
  assertEquals([await count("big"), await count("1")], ["60", "60"]);
  world.write("big", "one\n");
  world.write("1", "one\n");
  assertEquals([await count("big"), await count("ref:big"), await count("./1")], ["1", "60", "1"]);
  assertEquals(await count("1"), "60");
});

Deno.test("the place that a search of all fds prints can be read: the lines around it", async () => {
  using world = await namedWorld();
  const searched = await world.run(["search", "--all-fds", "line 36"]);
  assertStringIncludes(searched.text, "fd:1:36:line 36");
  for (const place of ["fd:1:36", "1:36", "ref:big:36", "big:36"]) {
    const { fd, lines } = jsonOf(await world.run(["read", place, "--format", "json"]));
    assertEquals([fd, lines], ["fd:1", "26-46"], place);
  }
  assertEquals(jsonOf(await world.run(["read", "fd:1:1", "--format", "json"]))["lines"], "1-11");
  const beyond = await world.run(["read", "fd:1:61", "--format", "json"]);
  assertEquals([beyond.code, JSON.parse(beyond.stderr)["error"]], [1, "invalid_range"]);
  const twice = await world.run(["read", "fd:1:36", "--tail", "2", "--format", "json"]);
  assertEquals([twice.code, JSON.parse(twice.stderr)["error"]], [2, "invalid_parameter"]);
});

Deno.test("diff takes a file, stores it, and says so; a file outside --root is refused", async () => {
  using world = await namedWorld();
  world.write("new.txt", LINES.replace("line 3\n", "line three\n"));
  const answer = JSON.parse((await world.run(["diff", "big", "new.txt", "--format", "json"])).text);
  assertEquals([answer["old_fd"], answer["new_fd"], answer["lines_added"]], ["fd:1", "fd:2", 1]);
  assertStringIncludes(String(answer["message"]), "new.txt was stored as fd:2.");
  assertEquals((await world.run(["diff", "fd:1", "missing.txt"])).code, 1);
  const outside = await world.run(["diff", "fd:1", "/etc/passwd", "--root", ".", "--format", "json"]);
  assertEquals(JSON.parse(outside.stderr)["error"], "outside_root");
});

Deno.test("log tx:N shows the change as a diff, and the list of steps is newest last in every format", async () => {
  using world = await namedWorld();
  world.write("a.txt", "one\n");
  await world.run(["edit", "a.txt", "--old", "one", "--new", "two"]);
  await world.run(["edit", "a.txt", "--old", "two", "--new", "three"]);
  for (const format of ["xml", "raw", "text"]) {
    const { text } = await world.run(["log", "tx:1", "--format", format]);
    assertStringIncludes(text, "-one\n+two\n");
  }
  assertStringIncludes(
    String(jsonOf(await world.run(["log", "tx:2", "--format", "json"]))["diff"]),
    "+three\n",
  );
  for (const format of ["xml", "raw", "text", "json"]) {
    const { text } = await world.run(["log", "--format", format]);
    assertEquals(text.indexOf("tx:1") < text.indexOf("tx:2"), true, format);
  }
  world.write("a.txt", "four\n");
  const lost = await world.run(["log", "tx:2"]);
  assertStringIncludes(lost.text, "a.txt has no diff");
  assertEquals(lost.code, 0);
});

Deno.test("a long diff of a step is cut, which the answer says, and its next shows all of it", async () => {
  using world = await namedWorld();
  const long = Array.from({ length: 2000 }, (_, index) => `number ${index}\n`).join("");
  world.write("b.txt", "");
  await world.run(["edit", "b.txt", "--content", "-", "--old", "", "--yes"], { stdin: long });
  const cut = jsonOf(await world.run(["log", "tx:1", "--format", "json"]));
  assertStringIncludes(String(cut["message"]), "Showing the first");
  assertEquals(cut["next"], "fdtool log tx:1 --all");
  assertStringIncludes((await world.run(["log", "tx:1", "--all"])).text, "+number 1999");
});

Deno.test("search and query take the pattern first, with a name without ref: behind it; of two names the first is the fd", async () => {
  using world = await namedWorld();
  const found = async (...words: string[]) => (await world.run([...words, "--format", "raw"])).text;
  assertEquals(await found("search", "line 36", "big"), "36:line 36\n");
  assertEquals(await found("search", "-c", "line", "big"), "60\n");
  await world.run(["capture", "--always", "--name", "line"], { stdin: "big\n" });
  assertEquals(await found("search", "line", "big"), "1:big\n");
  assertEquals(await found("search", "-c", "big", "line"), "60\n");
  assertEquals((await world.run(["search", "nosuch", "neither"])).code, 1);
  await world.run(["capture", "--always", "--name", "json"], { stdin: '{"a":[1,2]}\n' });
  assertEquals(await found("query", ".a[1]", "json"), "2\n");
});

Deno.test("stop of an fd that has ended says so in one line of every format, without its content", async () => {
  using world = await namedWorld();
  for (const format of ["xml", "json", "raw", "text"]) {
    const { text, code } = await world.run(["stop", "big", "--format", format]);
    assertEquals(code, 0);
    assertMatch(text, /^[^\n]*fd:1 had already ended\.[^\n]*\n$/);
    assertEquals(text.includes("line 1"), false);
  }
});
